// Jobs that are submitted again and again: made, looked at, changed.
import assert from 'node:assert/strict';
import { makeJob } from './fake/data.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const bodyOf = (server, name) => server.calls.findLast((call) => call.name === name)?.body;

async function fillTexts(page) {
  await page.getByLabel('Texts', { exact: true }).fill('Shares soar.');
}

visit('a job becomes a schedule, with its next runs during input', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await fillTexts(page);
  await page.getByRole('radio', { name: 'On a schedule' }).check();
  await page.getByLabel('Schedule name').fill('Nightly');
  const when = page.getByRole('textbox', { name: 'Cron expression' });
  await when.fill('0 66 * * *');
  await page.getByText('is not between 0 and 23').waitFor();
  await when.fill('30 2 * * *');
  await page.getByText('is not between 0 and 23').waitFor({ state: 'detached' });
  const next = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem');
  await next.nth(4).waitFor();
  assert.match(await next.nth(2).textContent(), /03:00/);
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByRole('heading', { name: 'Nightly', level: 1 }).waitFor();
  const { name, cron, time_zone, misfire, overlap, job } = bodyOf(server, 'POST /v1/schedules');
  assert.deepEqual([name, cron, time_zone, misfire, overlap], ['Nightly', '30 2 * * *', 'Europe/Berlin', 'once', 'skip']);
  assert.equal(job.kind, 'sentiment');
  assert.equal(job.run_at, undefined);
});

visit('a file on a schedule becomes a dataset, of which each run takes the newest', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('radio', { name: 'On a schedule' }).check();
  await page.getByRole('radio', { name: 'File' }).check();
  await page.locator('input[type=file]').setInputFiles({ name: 'news.csv', mimeType: 'text/csv', buffer: Buffer.from('text\nShares soar.\n') });
  await page.getByText(/^CSV with \d/).waitFor();
  await page.getByLabel('Schedule name').fill('Nightly');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *');
  const data = page.getByRole('combobox', { name: 'Data', exact: true });
  const named = page.getByRole('group', { name: 'the command' });
  for (const [words, dataset] of [['This upload, every time', 'data_1new'], ['Only a new upload of this name', 'new:news.csv'], ['The newest upload of this name', 'newest:news.csv']]) {
    await data.selectOption({ label: words });
    await named.getByText(`"dataset": "${dataset}"`).waitFor();
  }
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByRole('heading', { name: 'Nightly', level: 1 }).waitFor();
  assert.equal(bodyOf(server, 'POST /v1/schedules').job.args.dataset, 'newest:news.csv');
});

visit('missing fields of a schedule are named beside it', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await fillTexts(page);
  await page.getByRole('radio', { name: 'On a schedule' }).check();
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByText('Enter a cron expression.').waitFor();
  assert.equal(bodyOf(server, 'POST /v1/schedules'), undefined);
});

visit('a job with a start, a deadline, a timeout and a unique key', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await fillTexts(page);
  await page.getByRole('radio', { name: 'Later' }).check();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Choose a start time.').waitFor();
  await page.getByLabel('Start').fill('2100-01-02T03:04');
  await page.getByText('Limits').click();
  await page.getByLabel('Deadline').fill('2100-01-03T00:00');
  await page.getByLabel('Timeout, minutes').fill('1.5');
  await page.getByLabel('Unique key').fill('nightly');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.waitForURL(/#\/jobs\/job_/);
  const { run_at, deadline, timeout_seconds, unique } = bodyOf(server, 'POST /v1/jobs');
  const local = (text) => new Date(text).toISOString();
  const there = await page.evaluate(() => [new Date('2100-01-02T03:04').toISOString(), new Date('2100-01-03T00:00').toISOString()]);
  assert.deepEqual([run_at, deadline].map(local), there);
  assert.equal(timeout_seconds, 90);
  assert.deepEqual(unique, { key: 'nightly', on_conflict: 'refuse' });
});

visit('a schedule is run now, paused, resumed, changed and deleted', async ({ page, server, go }) => {
  await go('/#/schedules');
  await page.getByRole('link', { name: /Nightly headlines/ }).click();
  const rows = page.getByRole('table', { name: 'Last runs' }).getByRole('row');
  await rows.nth(7).waitFor();
  await page.getByRole('button', { name: 'Run now' }).click();
  await rows.nth(8).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Runs due during the pause').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('list', { name: 'Next runs' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit schedule' });
  await dialog.getByLabel('If runs were missed').selectOption('all');
  await dialog.getByLabel('At most').fill('3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Run all missed runs, latest first, 3 at most').waitFor();
  assert.equal(bodyOf(server, 'PUT /v1/schedules/sched_1').job.kind, 'sentiment');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
  await until(() => server.schedules.length === 1, 'the deletion');
});

visit('a job on a dataset becomes a schedule with the same dataset, and its spec can be changed', async ({ page, server, go }) => {
  server.jobs = [makeJob('job_on_dataset', { name: 'Letters', labels: { desk: 'energy' }, args: { model: 'vader', dataset: 'data_ready', source: { format: 'csv', text: 'body', custom_id: 'id' } } })];
  await go('/#/jobs/job_on_dataset');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create schedule' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a cron expression.').waitFor();
  await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *');
  const spec = dialog.getByLabel('Job', { exact: true });
  const text = await spec.inputValue();
  await spec.fill(`${text} ,`);
  await dialog.getByText('This is not JSON.').waitFor();
  await spec.fill(text.replace('"Letters"', '"Letters every night"'));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/#\/schedules\/sched_/);
  const { name, job } = bodyOf(server, 'POST /v1/schedules');
  assert.equal(name, 'Letters');
  assert.deepEqual(job, { kind: 'sentiment', args: { model: 'vader', dataset: 'data_ready', columns: { text: 'body', custom_id: 'id' } }, priority: 0, name: 'Letters every night', labels: { desk: 'energy' } });
});

for (const [kind, args, wanted] of [
  ['waves', { dataset: 'data_ready', columns: { close: 'Close' }, top_n: 3 }, { dataset: 'data_ready', columns: { close: 'Close' }, top_n: 3 }],
  ['profile', { mode: 'engine', device_class: 'cpu' }, { mode: 'engine', device_class: 'cpu' }],
  // The correction by what was measured is taken anew each time; one that was asked for stays.
  [
    'training-config',
    { model: { preset: 'bert-base' }, gpus: ['rtx-4090'], correction: { factor: 1.1, measurements: [{ id: 'meas_1' }] } },
    { model: { preset: 'bert-base' }, gpus: ['rtx-4090'] },
  ],
  [
    'training-config',
    { model: { preset: 'bert-base' }, gpus: ['rtx-4090'], correction: { factor: 1, measurements: [] } },
    { model: { preset: 'bert-base' }, gpus: ['rtx-4090'], correction: { factor: 1, measurements: [] } },
  ],
]) {
  visit(`a ${kind} job becomes a schedule of the same${'correction' in wanted ? ', correction and all' : ''}`, async ({ page, server, go }) => {
    server.jobs = [makeJob('job_of_kind', { kind, name: 'Nightly', args })];
    await go('/#/jobs/job_of_kind');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create schedule' });
    await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/#\/schedules\/sched_/);
    assert.deepEqual(bodyOf(server, 'POST /v1/schedules').job, { kind, args: wanted, priority: 0, name: 'Nightly' });
  });
}

visit('a job with inline items offers no schedule', async ({ page, server, go }) => {
  server.jobs = [makeJob('job_with_texts', { name: 'Headlines', state: 'running' })];
  await go('/#/jobs/job_with_texts');
  await page.getByRole('button', { name: 'Cancel job' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Create schedule' }).count(), 0);
});

visit('a concurrent change is refused', async ({ page, server, go }) => {
  await go('/#/schedules/sched_1');
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit schedule' });
  await dialog.getByLabel('Schedule name').fill('Mine');
  server.schedules = server.schedules.map((one) => ({ ...one, version: '7', name: 'Theirs' }));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('It has been changed or deleted since you opened it. Open it again to see the current version.').waitFor();
});
