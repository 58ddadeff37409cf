// What single pages can do, beyond being shown.
import assert from 'node:assert/strict';
import { busyQueue, makeJob, manyJobs } from './fake/data.mjs';
import { profileJob, profileReport } from './fake/profile.mjs';
import { heard, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const sixty = { arrange: (server) => (server.jobs = manyJobs(60)) };
const reportAddress = `/#/jobs/${manyJobs(3)[2].id}`;

visit('a speed profile is measured on the device that is chosen', async ({ page, server, go }) => {
  await go('/#/new/profile');
  await page.getByRole('combobox', { name: 'Device' }).selectOption({ label: 'pthread-Intel Xeon Processor (dock-1/opencl:0:0)' });
  await page.getByRole('radio', { name: 'Device' }).check();
  // The host has no device, one that failed none to offer.
  assert.deepEqual(await page.locator('optgroup option').evaluateAll((options) => options.map(({ value }) => value)), ['dock-1/opencl:0:0', 'crane-7/opencl:0:0']);
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.waitForURL(/#\/jobs\/job_/);
  const { args } = server.calls.find(({ name }) => name === 'POST /v1/jobs').body;
  assert.deepEqual([args.mode, args.device, args.device_class], ['engine', 'dock-1/opencl:0:0', undefined]);
  // The next one is about the same things, where it is not told. The job's page comes first: who goes back before it is
  // shown returns to the form as it was left.
  await page.getByRole('button', { name: 'Submit job' }).waitFor({ state: 'detached' });
  await go('/#/new/profile');
  await page.getByRole('button', { name: 'Submit job' }).waitFor();
  assert.ok(await page.getByRole('radio', { name: 'Device' }).isChecked());
  assert.equal(await page.getByRole('combobox', { name: 'Device' }).inputValue(), '');
});

/** Jobs that ended well, with so many failed items of four. */
const partlyFailed = (server) => {
  for (const [id, items_failed] of [['job_whole', 0], ['job_partly', 1], ['job_nothing', 4]]) {
    server.add(makeJob(id, { name: id, state: items_failed === 4 ? 'failed' : 'succeeded', progress: { items_total: 4, items_done: 4, items_failed, fraction: 1, eta_seconds: null } }));
  }
};

visit('a job whose items failed does not look like a success', { arrange: partlyFailed }, async ({ page, go }) => {
  await go('/#/jobs');
  const row = (name) => page.getByRole('row', { name });
  await row('job_whole').getByText('Succeeded').waitFor();
  await row('job_partly').getByText('1 of 4 items failed').waitFor();
  await row('job_nothing').getByText('All items failed').waitFor();
  await row('job_nothing').getByRole('link').click();
  await page.getByRole('heading', { name: 'job_nothing' }).waitFor();
  await page.getByText('All items failed').waitFor();
  assert.equal(await page.getByText('Succeeded', { exact: true }).count(), 0);
});

/** Two reports of one device; the products of `before` are half as fast. */
const profiledTwice = (server) => {
  for (const [id, factor] of [['before', 0.5], ['after', 1]]) {
    const job = server.add(profileJob({ id }));
    const report = profileReport(job);
    for (const rate of report.summary.engine.products) rate.value *= factor;
    server.reports.set(id, report);
  }
};

visit('a pinned report is the team’s baseline, in every browser', { arrange: profiledTwice }, async ({ page, server, go }) => {
  await go('/#/jobs/before');
  await page.getByRole('button', { name: 'Pin as baseline' }).click();
  await page.getByText("This report is your team's baseline").waitFor();
  assert.deepEqual(server.baselines.map(({ baseline }) => baseline.job_id), ['before']);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('baseline'))), []);

  await page.evaluate(() => (location.hash = '#/jobs/after'));
  const table = page.getByRole('table', { name: 'Changes since the baseline' });
  await table.getByText('+100.0 %').first().waitFor();
  await page.getByText('by ada').waitFor();
  server.jobs = server.jobs.filter(({ id }) => id !== 'before');
  await page.reload();
  await page.getByText('its job was deleted; the numbers are kept').waitFor();
  await table.getByText('+100.0 %').first().waitFor();

  await page.getByRole('button', { name: 'Pin this report instead' }).click();
  await page.getByText("This report is your team's baseline").waitFor();
  await page.getByRole('button', { name: 'Unpin' }).click();
  await page.getByRole('button', { name: 'Pin as baseline' }).waitFor();
  assert.deepEqual(server.baselines, []);
});

visit('without the scope to submit the baseline is shown but cannot be pinned', { arrange: profiledTwice }, async ({ page, server, go }) => {
  server.scopes = ['jobs:read', 'reports:read'];
  await go('/#/jobs/after');
  await page.getByText('Nothing is pinned. Once a report is').waitFor();
  assert.equal(await page.getByRole('button', { name: /Pin|Unpin/ }).count(), 0);
});

visit('on a phone the bar shows the current page, and buttons stay within their card', async ({ page, go }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await go('/#/settings/preferences');
  const current = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' });
  const within = async (locator) => {
    const { x, width } = await locator.boundingBox();
    return x >= 0 && x + width <= 375;
  };
  await until(() => within(current), 'the current place in the bar');
  await page.evaluate(() => (location.hash = '#/devices'));
  const stop = page.getByRole('button', { name: /^Stop node/ });
  await stop.first().waitFor();
  for (const button of await stop.all()) assert.ok(await within(button));
});

visit('a device shows how its previous worker ended', async ({ page, go }) => {
  await go('/#/devices');
  const reason = page.getByText('A task ran too long', { exact: false });
  await page.getByText('Restarted').click();
  await reason.waitFor();
  assert.equal(await reason.count(), 1);
});

visit('a device shows which features passed their test', async ({ page, go }) => {
  await go('/#/devices');
  await page.getByRole('row').filter({ hasText: 'NVIDIA H200' }).getByText('crane-7 · gpu · Hopper · opencl:0:0').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'bf16 on tensor cores' });
  await row.getByText('Details').click();
  await row.getByText('fp32, half loads, reductions, bf16 on tensor cores').waitFor();
  await row.getByText('The device has no cl_khr_fp16.').waitFor();
  await row.getByText('in parallel with computation, through a second queue').waitFor();
  assert.equal(await page.getByText('Details').count(), 3, 'none of the device that failed its test');
});

visit('a scheduled job shows its start, a queued one why it waits', sixty, async ({ page, server, go }) => {
  const job = server.jobs.find(({ state }) => state === 'queued');
  const times = { run_at: '2100-01-02T03:04:05.000Z', deadline: '2100-01-03T00:00:00.000Z', timeout_seconds: 90 };
  server.update(job.id, { state: 'scheduled', ...times });
  await go(`/#/jobs/${job.id}`);
  await page.getByText(/scheduled for .*2100/).waitFor();
  await page.getByText('from its start').waitFor();
  server.wait = { reason: 'own_jobs', detail: 'It waits behind 12 tasks.', until: null, tasks_ahead: 12, device_class: 'cpu', missing_models: [], share: null, earliest_start_at: null, latest_start_at: null };
  server.update(job.id, { state: 'queued' });
  await page.getByText('It waits behind 12 tasks.').waitFor();
  server.wait = { ...server.wait, share: busyQueue().shares[0], earliest_start_at: null, latest_start_at: null };
  await page.getByRole('heading', { name: 'Why it is waiting' }).waitFor();
  assert.equal(await page.getByText('It waits behind 12 tasks.').count(), 1);
  server.finish(job.id);
  await page.getByText('It waits behind 12 tasks.').waitFor({ state: 'detached' });
});

visit('a failed job runs again, as itself', sixty, async ({ page, server, go }) => {
  const failed = server.jobs.find(({ state }) => state === 'failed');
  await go(`/#/jobs/${failed.id}`);
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByRole('button', { name: 'Cancel job' }).waitFor();
  await page.getByText('Last task error').waitFor();
  assert.ok(server.calls.some(({ name }) => name === `POST /v1/jobs/${failed.id}/redrive`));
});

const priorities = [[0, 'Normal'], [-5, 'Low (−5)'], [10, 'High (+10)']];
const prioritised = { arrange: (server) => (server.jobs = manyJobs(3).map((job, i) => ({ ...job, priority: priorities[i][0] }))) };
visit('a priority is named relative to the default', prioritised, async ({ page, server, go }) => {
  for (const job of server.jobs) {
    await go(`/#/jobs/${job.id}`);
    await page.getByRole('heading', { level: 1, name: job.name }).waitFor();
    if (job.state === 'succeeded') await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText(priorities.find(([priority]) => priority === job.priority)[1], { exact: true }).waitFor();
  }
});

visit('a failed refresh keeps the list and marks it out of date', sixty, async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByText('Port authority notices').first().waitFor();
  server.faults.set('GET /v1/jobs', 503);
  await page.getByText('Out of date').waitFor();
  await page.getByText('Port authority notices').first().waitFor();
  server.faults.clear();
  await page.getByText('Out of date').waitFor({ state: 'detached' });
});

visit('a failed load can be tried again', async ({ page, server, go }) => {
  server.faults.set('GET /v1/tokens', 503);
  await go('/#/settings/tokens'); // which does not look again by itself
  await page.getByText('req_1f2e3d4c5b6a7988').waitFor();
  server.faults.clear();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('nightly script').first().waitFor();
});

visit('a missing page offers no retry', async ({ page, go }) => {
  await go('/#/jobs/job_nowhere');
  await page.getByText('The job was not found').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
});

visit('results are searched, filtered, sorted and paged', sixty, async ({ page, go }) => {
  await go(reportAddress);
  const table = page.getByRole('table', { name: 'Results' });
  const first = table.getByRole('row').nth(1);
  await first.getByText('Ferry operator').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await first.getByRole('cell', { name: '51', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Score' }).click();
  await table.locator('th[aria-sort=descending]').filter({ hasText: 'Score' }).waitFor();
  await page.getByRole('radio', { name: 'Negative' }).check();
  await table.getByText('positive', { exact: true }).first().waitFor({ state: 'detached' });
  await page.getByPlaceholder('Search texts').fill('TUG CREW');
  await first.getByText('The tug crew').waitFor();
  await page.getByPlaceholder('Search texts').fill('no such text at all');
  await page.getByText('No text matches').waitFor();
});

visit('markup in texts is shown as text', sixty, async ({ page, go }) => {
  await go(reportAddress);
  await page.getByText('<b>twice</b>').first().waitFor();
});

visit('a CSV file: columns are guessed, chosen and previewed', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('radio', { name: 'File' }).check();
  await page.locator('input[type=file]').setInputFiles({
    name: 'notices.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('key;headline;note\nn1;"Calm; clear";x\nn2;Storm warning;y\n'),
  });
  await page.getByText('CSV with 2 records').waitFor();
  await page.getByText('Calm; clear', { exact: true }).waitFor();
  await page.getByLabel('Text column').selectOption('note');
  await page.getByLabel('Text column').selectOption('headline');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 2 texts').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/jobs').body.args.items, [
    { custom_id: 'n1', text: 'Calm; clear' },
    { custom_id: 'n2', text: 'Storm warning' },
  ]);
});

visit('a dropped JSONL file that is broken names its line', async ({ page, go }) => {
  await go('/#/new/sentiment');
  await page.getByLabel('Texts', { exact: true }).waitFor();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"text":"good"}\n{"text":'], 'texts.jsonl'));
    return data;
  });
  await page.locator('.zone').dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByText('Line 2 is not JSON.').waitFor();
});

visit('too many texts are refused before they are sent', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.evaluate(() => navigator.clipboard.writeText('a line\n'.repeat(10_001)));
  await page.getByLabel('Texts', { exact: true }).focus();
  await page.keyboard.press('Control+V');
  await page.getByText('a request may have at most 10,000').waitFor();
  await page.getByRole('button', { name: 'Submit job' }).click();
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/jobs'));
});

visit('a token is shown once, and revoked', async ({ page, server, go }) => {
  await go('/#/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('press office');
  const rights = page.getByRole('group', { name: 'Permissions' }).getByRole('checkbox');
  for (const box of await rights.all()) await box.uncheck();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('Choose what the token may do.').waitFor();
  await rights.first().check();
  await page.getByRole('button', { name: 'Create token' }).click();
  assert.match(await page.getByLabel('Token', { exact: true }).inputValue(), /^plm_api_/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await heard(page, 'Copied');
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^plm_api_/);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes('plm_api_7Yx2Vb9'));
  await page.getByRole('button', { name: 'Rename press office' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename token' });
  await renaming.getByLabel('Name').fill(' ');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await renaming.getByText('Enter a name.').waitFor();
  await renaming.getByLabel('Name').fill('night desk');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Revoke night desk' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('row', { name: 'night desk' }).waitFor({ state: 'detached' });
  assert.equal(server.tokens.length, 2);
});

visit('a session elsewhere is ended', async ({ page, server, go }) => {
  await go('/#/settings/sessions');
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
  await rows.nth(2).waitFor();
  await rows.filter({ hasText: 'this session' }).getByText('Firefox on Linux').waitFor();
  await page.getByRole('button', { name: 'Sign out grace, Unknown client' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await heard(page, 'Session ended');
  await rows.nth(2).waitFor({ state: 'detached' });
  assert.deepEqual(server.sessions.map(({ id }) => id), ['sess_1']);
});

visit('the queue shows how busy the devices were in the last day, after what runs now', { arrange: (server) => (server.used = true) }, async ({ page, go }) => {
  await go('/#/queue');
  const past = page.getByRole('heading', { name: 'Last 24 hours' });
  await past.waitFor();
  assert.deepEqual((await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()).slice(0, 2), ['In the queue', 'Last 24 hours']);
  await page.getByText('Show as a table').click();
  assert.equal(await page.getByRole('row').filter({ hasText: /\d\d:00/ }).count(), 24);
});

visit('usage is shown in hours and minutes', { arrange: (server) => (server.used = true) }, async ({ page, go }) => {
  await go('/#/usage');
  // 40, 84.25 and 128.5 device-seconds
  const rows = page.getByRole('table', { name: 'Usage by kind' }).getByRole('row');
  await rows.nth(3).waitFor();
  const times = (await rows.allInnerTexts()).slice(1).map((text) => /(\d+\smin )?\d+\ss/.exec(text)?.[0]);
  assert.deepEqual(times, ['40\u00a0s', '1\u00a0min 24\u00a0s', '2\u00a0min 9\u00a0s']);
  await page.getByRole('main').getByText('4 min 13 s').waitFor();
});

visit('a webhook is added, tested and removed', async ({ page, server, go }) => {
  await go('/#/settings/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('press office');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('Enter a URL.').waitFor();
  await page.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/press');
  await page.getByRole('radio', { name: 'Slack' }).check({ force: true });
  await page.getByRole('textbox', { name: 'Only jobs with labels' }).fill('desk=energy');
  const refusal = { status: 422, title: 'Invalid', errors: [{ pointer: '/url', detail: 'is not on the list' }, { pointer: '/events/0', detail: 'is unknown' }] };
  server.faults.set('POST /v1/webhooks', refusal);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('alert').getByText('/events/0: is unknown', { exact: true }).waitFor(); // no field shows it
  await page.getByText('is not on the list', { exact: true }).waitFor();
  server.faults.clear();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  assert.match(await page.getByLabel('Secret', { exact: true }).inputValue(), /^whsec_/);
  assert.deepEqual([server.webhooks.at(-1).format, server.webhooks.at(-1).labels], ['slack', { desk: 'energy' }]);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Deliveries to press office' }).click();
  const deliveries = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  await deliveries.nth(3).waitFor();
  assert.equal(await deliveries.count(), 4);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await deliveries.nth(4).waitFor();
  await deliveries.nth(1).getByText('Test', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit press office' }).click();
  const changing = page.getByRole('dialog', { name: 'Edit webhook' });
  assert.equal(await changing.getByRole('textbox', { name: 'URL' }).inputValue(), 'https://hooks.example.com/press');
  assert.equal(await changing.getByRole('textbox', { name: 'Only jobs with labels' }).inputValue(), 'desk=energy');
  await changing.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.com/desk');
  await changing.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('table', { name: 'Webhooks' }).getByText('https://hooks.example.com/desk').waitFor();
  await changing.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'New webhook' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), '');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Remove press office' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Deliveries to press office' }).waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Deliveries' }).waitFor({ state: 'detached' });
  assert.equal(server.webhooks.length, 2);
});

visit('a member is added, promoted and removed', async ({ page, server, go }) => {
  await go('/#/settings/team');
  await page.getByRole('button', { name: 'Add a member' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('joan');
  await page.getByRole('button', { name: 'Add and create a sign-in link' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Link' }).inputValue(), `${server.url}/#/sign-in/plm_signin_fresh`);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByLabel('Role of joan').selectOption('owner');
  await heard(page, 'joan is now an owner');
  await page.getByRole('button', { name: 'Undo' }).click();
  await heard(page, 'Undone');
  assert.equal(server.members.find(({ user }) => user.name === 'joan').role, 'member');
  await page.getByRole('button', { name: 'Remove joan' }).click();
  await page.getByRole('button', { name: 'Remove from the team' }).click();
  await page.getByRole('row', { name: 'joan' }).waitFor({ state: 'detached' });
});

visit('colours are chosen and kept', { scheme: 'light' }, async ({ page, go }) => {
  await go('/#/settings');
  await page.getByRole('radio', { name: 'Dark' }).check();
  const isDark = async () => (await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)) === 'rgb(9, 19, 26)';
  await until(isDark, 'the dark colours');
  await page.reload();
  await until(isDark, 'the dark colours after a reload');
});

visit('a device frees its memory, and reports how much', {}, async ({ page, server, go }) => {
  await go('/#/devices');
  const row = page.getByRole('row').filter({ hasText: 'Host work' });
  await row.getByRole('button', { name: /^Free memory/ }).click();
  await row.getByText('Frees its cached memory after the running tasks.').waitFor();
  assert.equal(await row.getByRole('button', { name: /^Free memory/ }).getAttribute('aria-disabled'), 'true');
  const done = { finished_at: new Date().toISOString(), kept_bytes: 3 * 2 ** 20, freed_bytes: -4096 };
  server.devices = server.devices.map((device) => (device.device === 'host' ? { ...device, cleanup: { ...device.cleanup, state: 'done', ...done } } : device));
  await row.getByText('Freed 3 MiB according to the memory ledger, nothing according to the system').waitFor();
  await page.getByText('The self-test kernel gave a wrong sum.').waitFor();
  const ofCrane = (what) => page.getByRole('button', { name: new RegExp(`^${what} .*NVIDIA H200 on crane-7`) }).count();
  assert.deepEqual([await ofCrane('Free memory'), await ofCrane('Stop')], [1, 2], 'one of the two has failed');
});
