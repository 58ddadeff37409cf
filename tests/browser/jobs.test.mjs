// The list of jobs as a console: found, followed, chosen, cancelled and run again.
import assert from 'node:assert/strict';
import { makeJob, manyJobs } from './fake/data.mjs';
import { trainingJob } from './fake/training.mjs';
import { heard, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const many = (amount) => ({ arrange: (server) => (server.jobs = manyJobs(amount)) });
const sixty = many(60);
const table = (page) => page.getByRole('table', { name: 'Jobs' });
const rows = (page) => table(page).getByRole('row');
const link = (page, name) => table(page).getByRole('link', { name });
const listed = (server) => server.calls.filter(({ name }) => name === 'GET /v1/jobs');
const scrollToEnd = (page) => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));

visit('filters are in the address, and the server applies them', sixty, async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByRole('radio', { name: 'Failed' }).check();
  await page.waitForURL(/state=failed/);
  await link(page, 'Letters to the editor').first().waitFor();
  await link(page, 'Morning headlines').first().waitFor({ state: 'detached' });
  await page.getByLabel('Kind').selectOption('Sentiment');
  await page.getByPlaceholder('Name, ID or label').fill('desk=energy');
  await page.keyboard.press('Enter');
  await page.waitForURL(/label=desk%3Denergy/);
  await until(() => listed(server).at(-1).query.get('label') === 'desk=energy', 'the label at the server');
  await page.reload();
  await link(page, 'Letters to the editor').first().waitFor();
  const { kind, state, label } = Object.fromEntries(listed(server).at(-1).query);
  assert.deepEqual([kind, state, label], ['sentiment', 'failed', 'desk=energy']);
  await page.getByRole('button', { name: 'Remove the filter desk=energy' }).click();
  await until(() => !listed(server).at(-1).query.has('label'), 'a list without the label');
});

const ofTwo = (server) => {
  server.jobs = manyJobs(40);
  for (const job of server.jobs.slice(20, 23)) job.submitter = { id: 'usr_2', name: 'grace' };
};
visit('jobs are found by name, id and label, by person, device and time, and counted by state', { arrange: ofTwo }, async ({ page, server, go }) => {
  server.jobs[5].device_class = 'gpu';
  await go('/#/jobs');
  const search = page.getByPlaceholder('Name, ID or label');
  const count = (words) => page.getByRole('status').getByText(words, { exact: true }).waitFor();
  const noted = (name, amount) => page.getByRole('radio', { name: `${name} ${amount}`, exact: true }).waitFor();
  await count('40 jobs');
  const failed = (jobs) => jobs.filter(({ state }) => state === 'failed').length;
  await noted('All', 40);
  await noted('Failed', failed(server.jobs));
  await search.fill('HEADLINES morning');
  await count('5 jobs');
  await noted('All', 5);
  await page.waitForURL(/q=HEADLINES\+morning/);
  await search.fill(server.jobs[11].id);
  await count('1 job');
  await search.fill('desk":"en');
  await count('14 jobs');
  await search.fill('');
  await page.getByRole('combobox', { name: 'Submitted by' }).selectOption('grace');
  await count('3 jobs');
  await page.getByRole('combobox', { name: 'Submitted by' }).selectOption('Everyone');
  const device = page.getByRole('combobox', { name: 'Device' });
  await device.selectOption('GPU');
  await count('1 job');
  for (const job of server.jobs.slice(7, 9)) job.ran_on = 'crane-7/opencl:0:0';
  await device.selectOption('crane-7/opencl:0:0');
  await count('2 jobs');
  await page.waitForURL(/device=crane-7%2Fopencl%3A0%3A0/);
  await page.reload();
  await count('2 jobs');
  assert.equal(await device.inputValue(), 'crane-7/opencl:0:0');
  await device.selectOption('All devices');
  // One job every 37 minutes, the first a minute ago.
  await page.getByRole('combobox', { name: 'Submitted', exact: true }).selectOption('Last hour');
  await count('2 jobs');
  await page.waitForURL(/since=1h/);
  await page.getByRole('combobox', { name: 'Submitted', exact: true }).selectOption('From … to …');
  await count('40 jobs');
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await page.getByText('No job matches').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await count('40 jobs');
});

visit('a view is saved under a name, shown again, and deleted', sixty, async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByRole('radio', { name: 'Failed' }).check();
  await page.getByRole('button', { name: 'Save this view' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill(' My failures ');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const views = page.getByRole('navigation', { name: 'Saved views' });
  await views.getByRole('link', { name: 'My failures' }).waitFor();
  assert.deepEqual(server.savedViews.map(({ name, query, page: of }) => [name, query, of]), [['My failures', 'state=failed', 'jobs']]);
  await page.getByRole('radio', { name: 'Running' }).check();
  await views.getByRole('button', { name: 'Save this view' }).waitFor();
  await page.reload();
  await views.getByRole('link', { name: 'My failures' }).click();
  await page.waitForURL(/state=failed/);
  await views.getByRole('button', { name: 'Delete the view My failures' }).click();
  await heard(page, 'View “My failures” deleted');
  assert.deepEqual(server.savedViews, []);
  await page.getByRole('button', { name: 'Undo' }).click();
  await views.getByRole('link', { name: 'My failures' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
});

visit('a member of several teams switches, and the pages show the other team', sixty, async ({ page, server, go }) => {
  server.myTeams.push({ team: { ...server.team, id: 'team_2', name: 'research' }, role: 'member' });
  server.myTeams.push({ team: { ...server.team, id: 'team_3', name: 'a-team-whose-name-nobody-shortened-before-it-came-here' }, role: 'owner' });
  await go(`/#/jobs/${server.jobs[0].id}`);
  await page.getByLabel(/^Account: ada, team /).click();
  assert.ok((await page.getByText('owner', { exact: true }).boundingBox()).height < 30, 'a role stands on one line');
  await page.getByRole('region', { name: 'Switch team' }).getByRole('button', { name: 'research' }).click();
  await page.waitForURL(/#\/jobs$/); // the job is the other team's
  await page.getByLabel('Account: ada, team research').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'PUT /v1/sessions/current/team').body, { team_id: 'team_2' });
});

visit('a search with few matches continues for a while, then asks', many(60), async ({ page, server, go }) => {
  server.pageSize = 1;
  await go('/#/jobs?by=ada');
  const before = 1 + 5;
  await page.getByRole('button', { name: 'Search older jobs' }).waitFor();
  await until(() => listed(server).filter(({ query }) => query.has('cursor')).length === before - 1, 'five older pages');
  await page.getByRole('button', { name: 'Search older jobs' }).click();
  await until(() => listed(server).filter(({ query }) => query.has('cursor')).length >= 2 * (before - 1), 'five more');
});

const unnamed = (server) => {
  server.add(makeJob('job_s', { progress: { items_total: 2000 } }));
  server.add(trainingJob({ id: 'job_t', name: null }));
  server.add(makeJob('job_p', { kind: 'profile', args: { mode: 'engine' } }));
};
visit('a job without a name is described by its content', { arrange: unnamed }, async ({ page, go }) => {
  await go('/#/jobs');
  await link(page, 'Sentiment: 2,000 texts').waitFor();
  await link(page, 'Speed of a device').waitFor();
  await link(page, 'naics-4ch, 512 tokens, RTX 4090 and H200').click();
  await page.getByRole('heading', { level: 1, name: 'naics-4ch, 512 tokens, RTX 4090 and H200' }).waitFor();
});

const timed = (server) => {
  const at = (seconds) => new Date(Date.now() - 3_600_000 + seconds * 1000).toISOString();
  server.add(makeJob('job_timed', { name: 'Timed', state: 'failed', error: 'Timed out after 90 s (the job\'s limit).', created_at: at(0), started_at: at(75), finished_at: at(165), labels: { desk: 'ore' } }));
};
visit('a row says how long a job waited and ran, and why it failed', { arrange: timed }, async ({ page, go }) => {
  await go('/#/jobs');
  const row = page.getByRole('row', { name: 'Timed' });
  for (const text of ['Timed out after 90 s', 'desk=ore · Sentiment, 1,000 texts', 'ada']) await row.getByText(text).waitFor();
  assert.deepEqual(await row.locator('.number').allTextContents(), ['1\u00a0min 15\u00a0s', '1\u00a0min 30\u00a0s']);
  const { height } = await row.boundingBox();
  assert.equal(height, 40);
});

const failing = (server) => {
  const error = { last_error: 'The worker stopped responding.', tasks_failed: 1 };
  server.jobs = [
    makeJob('job_some', { name: 'Some', state: 'succeeded', ...error, progress: { items_total: 2154, items_done: 2154, items_failed: 300 } }),
    makeJob('job_all', { name: 'All', state: 'failed', ...error, progress: { items_total: 4, items_done: 4, items_failed: 4 } }),
  ];
};
visit('a reason stands beside a state of many words, not on it', { arrange: failing }, async ({ page, go }) => {
  await go('/#/jobs');
  await link(page, 'Some').waitFor();
  for (const width of [1280, 900, 700, 375]) {
    await page.setViewportSize({ width, height: 900 });
    for (const words of ['300 of 2,154 items failed', 'All items failed']) {
      const row = rows(page).filter({ hasText: words });
      const [badge, reason] = await Promise.all([row.getByText(words), row.getByText('The worker stopped')].map((one) => one.boundingBox()));
      assert.ok(badge.x + badge.width <= reason.x || badge.y + badge.height <= reason.y, `${words} at ${width} px: ${JSON.stringify([badge, reason])}`);
    }
  }
});

visit('the list follows events, on loaded pages too', many(120), async ({ page, server, go }) => {
  await go('/#/jobs');
  await until(async () => (await rows(page).count()) > 10, 'rows');
  server.finish(server.jobs[1].id);
  await rows(page).nth(2).getByText('Succeeded').waitFor();
  // The 104th is running, on the third page.
  const late = server.jobs[104];
  await scrollToEnd(page);
  await until(async () => {
    await scrollToEnd(page);
    return (await rows(page).last().getAttribute('aria-rowindex')) === '121';
  }, 'the oldest job');
  const row = table(page).locator('[role=row]', { has: page.locator(`a[href="#/jobs/${late.id}"]`) });
  await row.getByText('Running').waitFor();
  server.finish(late.id);
  await row.getByText('Running').waitFor({ state: 'detached' });
});

visit('a scheduled job does not refresh the list every second', { ofItsOwn: true, arrange: (server) => server.add(makeJob('job_later', { state: 'scheduled', run_at: '2100-01-02T03:04:05.000Z' })) }, async ({ page, server, go }) => {
  await page.clock.install();
  await go('/#/jobs');
  await table(page).getByText('Scheduled').waitFor();
  const before = listed(server).length;
  await page.clock.runFor(4_500);
  assert.equal(listed(server).length, before);
  await page.clock.runFor(1_000);
  await until(() => listed(server).length > before, 'the next look');
});

visit('only visible jobs of a hundred thousand are drawn', many(100_000), async ({ page, server, go }) => {
  server.pageSize = 10_000;
  await go('/#/jobs');
  await until(async () => {
    await scrollToEnd(page);
    return (await rows(page).last().getAttribute('aria-rowindex')) === '100001';
  }, 'the oldest of all jobs');
  assert.equal(await table(page).getAttribute('aria-rowcount'), '100001');
  assert.ok((await rows(page).count()) < 60, `${await rows(page).count()} rows`);
  assert.ok((await page.locator('*').count()) < 1500, `${await page.locator('*').count()} elements`);
  // The row of a place stands where it belongs.
  await page.evaluate(() => scrollTo(0, 0));
  await until(async () => (await rows(page).nth(1).getAttribute('aria-rowindex')) === '2', 'the newest job');
  await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), `#/jobs/${server.jobs[0].id}`);
});

visit('the focus stays with its job while others come, and leaves with it', many(300), async ({ page, server, go }) => {
  await go('/#/jobs');
  await rows(page).nth(5).waitFor();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('j');
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('href'));
  const third = `#/jobs/${server.jobs[2].id}`;
  assert.equal(await focused(), third);
  server.add(makeJob('job_newer', { name: 'Newer' }));
  await link(page, 'Newer').waitFor();
  assert.equal(await focused(), third);
  await page.mouse.move(600, 500);
  await until(async () => {
    await page.mouse.wheel(0, 4_000);
    return (await table(page).locator(`a[href="${third}"]`).count()) === 0;
  }, 'the job to leave the window');
  assert.equal(await focused(), null, 'no other job has the focus');
});

visit('jobs are chosen and cancelled after a question that counts them', sixty, async ({ page, server, go }) => {
  const others = server.jobs.find(({ state }) => state === 'queued');
  others.submitter = { id: 'usr_2', name: 'grace' };
  await go('/#/jobs');
  const [running, queued, done] = server.jobs;
  for (const { name } of [running, queued, done]) await page.getByLabel(`Select ${name}`).first().check();
  const bar = page.getByRole('region', { name: 'Selected jobs' });
  await bar.getByText('3 jobs selected').waitFor();
  await bar.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  const question = page.getByRole('dialog', { name: 'Cancel 2 jobs?' });
  await question.getByText('1 running, 1 queued. 1 of them belongs to another member.').waitFor();
  await question.getByRole('button', { name: 'Keep' }).click();
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/cancellations'));
  await bar.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  server.job(queued.id).state = 'succeeded'; // it ends while somebody reads the question
  await question.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  await heard(page, '1 job cancelled; 1 job refused: The job has already finished.');
  await page.evaluate(() => scrollTo(0, 0));
  await table(page).locator('[role=row]', { has: page.locator(`a[href="#/jobs/${running.id}"]`) }).getByText('Cancelling').waitFor();
  await bar.waitFor({ state: 'detached' });
  assert.equal(server.job(done.id).state, 'succeeded');
});

visit('all matching jobs run again after a confirmation that counts them, loaded or not', many(2_000), async ({ page, server, go }) => {
  const failed = server.jobs.filter(({ state }) => state === 'failed');
  server.unredrivable.add(failed[0].id);
  await go('/#/jobs?state=failed');
  await page.getByLabel('Select all jobs in the list').check();
  const bar = page.getByRole('region', { name: 'Selected jobs' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByRole('button', { name: `Run ${failed.length} again` }).click();
  const question = page.getByRole('dialog', { name: `Run ${failed.length} jobs again?` });
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/redrives'));
  await bar.getByRole('button', { name: `Run ${failed.length} again` }).click();
  await question.getByRole('button', { name: `Run ${failed.length} jobs` }).click();
  await heard(page, `${failed.length - 1} jobs will run again; 1 job refused: The job's dataset has been deleted.`);
  const { body } = server.calls.find(({ name }) => name === 'POST /v1/redrives');
  assert.deepEqual(body, { filter: { state: 'failed' } });
});

visit('all matching jobs are cancelled by their filter', many(2_000), async ({ page, server, go }) => {
  const waiting = server.jobs.filter(({ state }) => state === 'queued');
  await go('/#/jobs?state=queued&by=ada');
  await page.getByLabel('Select all jobs in the list').check();
  const bar = page.getByRole('region', { name: 'Selected jobs' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByRole('button', { name: `Cancel ${waiting.length} jobs` }).click();
  const question = page.getByRole('dialog', { name: `Cancel ${waiting.length} jobs?` });
  await question.getByText(`${waiting.length} queued.`).waitFor();
  await question.getByRole('button', { name: `Cancel ${waiting.length} jobs` }).click();
  await heard(page, `${waiting.length} jobs cancelled`);
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/cancellations').body, { filter: { state: 'queued', submitter: 'ada' } });
  assert.ok(waiting.every(({ id }) => server.job(id).state === 'cancelling'));
});

visit('without the scope to submit jobs cannot be selected', { arrange: (server) => ((server.jobs = manyJobs(5)), (server.scopes = ['jobs:read'])) }, async ({ page, go }) => {
  await go('/#/jobs');
  await rows(page).nth(5).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
});
