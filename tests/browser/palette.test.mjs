// What is done from the keyboard and the shell: the palette, and the form as a command that a shell runs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manyJobs } from './fake/data.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const sixty = { arrange: (server) => (server.jobs = manyJobs(60)) };
const palette = (page) => page.getByRole('dialog', { name: 'Go to' });
const field = (page) => palette(page).getByRole('combobox');
const chosen = (page) => palette(page).getByRole('option', { selected: true });

visit('Ctrl K goes anywhere by name, from any page', sixty, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByRole('table', { name: 'Jobs' }).waitFor();
  await page.getByPlaceholder('Name, ID or label').focus();
  await page.keyboard.press('Control+K');
  await field(page).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('devic');
  assert.match(await chosen(page).textContent(), /^\s*Devices/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  assert.equal(await palette(page).count(), 0);
});

visit('jobs are found by name, label and id, and chosen with the arrows', sixty, async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByRole('button', { name: /^Go to a page, job or action/ }).click();
  await field(page).fill('notices port');
  const options = palette(page).getByRole('option');
  await until(async () => (await options.count()) === 6, 'the notices');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true');
  assert.equal(await field(page).getAttribute('aria-activedescendant'), await options.nth(1).getAttribute('id'));
  await field(page).fill(server.jobs[4].id);
  await until(async () => (await options.count()) === 1, 'the one job');
  await options.click();
  await page.getByRole('heading', { level: 1, name: 'Letters to the editor' }).waitFor();
});

visit('a search without matches says so, Escape changes nothing', { arrange: (server) => (server.scopes = ['jobs:read']) }, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('No jobs yet').waitFor();
  await page.keyboard.press('Control+K');
  await field(page).fill('new job');
  await palette(page).getByText('Nothing matches all of these words').waitFor();
  await page.keyboard.press('Escape');
  await palette(page).waitFor({ state: 'detached' });
  assert.match(page.url(), /#\/jobs$/);
});

visit('what is done is found by its name: on a page, in the settings, in the documentation', { arrange: (server) => server.myTeams.push({ team: { ...server.team, id: 'team_2', name: 'research' }, role: 'member' }) }, async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByRole('heading', { name: 'What fits on your GPU?' }).waitFor();
  await page.keyboard.press('Control+K');
  const first = palette(page).getByRole('option').first();
  for (const [words, found] of [
    ['invite', /^\s*Invite somebody/], ['drain', /^\s*Drain or pause a device/], ['sign out', /^\s*Sign out/], ['second factor', /^\s*Add a second factor/], ['switch', /^\s*Switch to research/],
    ['troubleshooting', /Docs: Troubleshooting/], ['qlora', /Docs: Training runs/], ['webhooks', /^\s*Webhooks/], ['several gpus', /Docs: Training runs/],
  ]) {
    await field(page).fill(words);
    await first.filter({ hasText: found }).waitFor();
  }
  await field(page).fill('GPU_MIN_FREE_VRAM_MB');
  await palette(page).getByRole('option', { name: 'Search the documentation for “GPU_MIN_FREE_VRAM_MB”' }).click();
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Devices Settings' }).waitFor();
  await page.keyboard.press('Control+K');
  await field(page).fill('switch research');
  await page.keyboard.press('Enter');
  await page.getByLabel('Account: ada, team research').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'PUT /v1/sessions/current/team').body, { team_id: 'team_2' });
});

visit('colours change from the palette', { scheme: 'light' }, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('No jobs yet').waitFor();
  await page.keyboard.press('Control+K');
  await field(page).fill('colours dark');
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => document.documentElement.dataset.theme === 'dark'), 'the dark colours');
});

/** Runs commands in a shell, in a folder of their own. */
async function shell(commands, env) {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-shell-'));
  try {
    return await new Promise((resolve) => execFile('bash', ['-c', commands], { cwd: folder, env: { ...process.env, ...env } }, (_, stdout) => resolve(stdout)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const code = (page, what) => page.getByRole('region', { name: 'The same in code' }).getByRole('group', { name: what });
const command = (page) => code(page, 'the command');

/** What `program` submits, run with a package whose calls are those of deploy/clients/python. */
async function submitted(program) {
  const stub = `
import json, types
class Client:
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def submit(self, kind, args, *, key=None, **settings):
        print(json.dumps({"kind": kind, **settings, "args": args}))
        return types.SimpleNamespace(id="job_1")
    def wait(self, job_id): return types.SimpleNamespace(id=job_id)
    def report(self, job_id): return f"the report of {job_id}"
`;
  const told = await shell(`cat > plimsoll.py <<'STUB'\n${stub}STUB\ncat > program.py <<'PROGRAM'\n${program}\nPROGRAM\npython3 -B program.py 2>&1`);
  const [spec, report] = told.trim().split('\n');
  assert.equal(report, 'the report of job_1', told);
  return JSON.parse(spec);
}

visit('command and program beside the form send what the form sends', async ({ page, server, go }) => {
  await go('/#/new/training-config');
  await page.getByRole('region', { name: 'Estimate' }).getByText('up to date').waitFor();
  const name = `Ada's "first" $HOME`;
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('textbox', { name: 'Labels' }).fill('desk=North Sea');
  await page.getByLabel('Sequence length').fill('256');
  await command(page).getByText('"sequence_length": 256').waitFor();
  const curl = await command(page).textContent();
  await page.getByRole('radio', { name: 'plimsoll', exact: true }).check();
  const cli = await command(page).textContent();
  await page.getByRole('radio', { name: 'Python', exact: true }).check();
  const program = await code(page, 'the program').textContent();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.waitForURL(/#\/jobs\/job_/);
  const sent = server.calls.find(({ name: call }) => call === 'POST /v1/jobs').body;
  assert.deepEqual([sent.name, sent.labels], [name, { desk: 'North Sea' }]);

  await shell(curl, { PLIMSOLL_SERVER: server.url, PLIMSOLL_TOKEN: 'plm_api_good' });
  const called = server.calls.filter(({ name: call }) => call === 'POST /v1/jobs').at(-1);
  assert.equal(called.headers.authorization, 'Bearer plm_api_good');
  assert.deepEqual(called.body, sent);

  const [args, ...flags] = (await shell(`plimsoll() { tr -d '\\n' < "$3"; printf '\\n%s' "$@"; }\n${cli}`)).split('\n');
  assert.deepEqual(JSON.parse(args), sent.args);
  assert.deepEqual(flags, ['submit', 'training-config', 'args.json', '--name', name, '--label', 'desk=North Sea', '--watch']);

  assert.deepEqual(await submitted(program), sent);
});

visit('a long input is a file next to the command, a schedule uses its own command', async ({ page, go }) => {
  await go('/#/new/waves');
  assert.equal(await command(page).count(), 0, 'without prices there is nothing to send');
  await page.getByRole('button', { name: 'Fill in sample closes' }).click();
  await command(page).getByText('--data-binary @body.json').waitFor();
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'body.json' }).click();
  const chunks = [];
  for await (const chunk of await (await started).createReadStream()) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  assert.deepEqual([body.kind, body.args.days], ['waves', 500]);
  await page.getByRole('radio', { name: 'On a schedule' }).check();
  await command(page).getByText('/v1/schedules').waitFor();
});
