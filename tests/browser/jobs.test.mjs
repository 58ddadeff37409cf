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

visit('filters live in the address, and the server does what it can of them', sixty, async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByRole('radio', { name: 'Failed' }).check();
  await page.waitForURL(/state=failed/);
  await link(page, 'Letters to the editor').first().waitFor();
  await link(page, 'Morning headlines').first().waitFor({ state: 'detached' });
  await page.getByLabel('Kind').selectOption('Sentiment');
  await page.getByPlaceholder('Name, id or label').fill('desk=energy');
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
visit('jobs are found by name, id and label, by person and by time', { arrange: ofTwo }, async ({ page, server, go }) => {
  await go('/#/jobs');
  const search = page.getByPlaceholder('Name, id or label');
  const count = (words) => page.getByRole('status').getByText(words, { exact: true }).waitFor();
  await count('40 jobs');
  await search.fill('HEADLINES morning');
  await count('5 of 40 jobs');
  await search.fill(server.jobs[11].id.toUpperCase());
  await count('1 of 40 jobs');
  await search.fill('desk=en');
  await count('14 of 40 jobs');
  await search.fill('');
  await page.getByRole('combobox', { name: 'Submitted by' }).selectOption('grace');
  await count('3 of 40 jobs');
  await page.getByRole('combobox', { name: 'Submitted by' }).selectOption('Everybody');
  // One job every 37 minutes, the first a minute ago.
  await page.getByRole('combobox', { name: 'Submitted', exact: true }).selectOption('Last hour');
  await count('2 of 40 jobs');
  await page.waitForURL(/since=1h/);
});

visit('a time that is asked for ends the search, words look on in older pages', many(200), async ({ page, server, go }) => {
  await go('/#/jobs?since=1h');
  await page.getByText('2 of 50 jobs', { exact: true }).waitFor();
  assert.ok(listed(server).every(({ query }) => !query.has('cursor')), 'nothing older is read');
  await go(`/#/jobs?q=${server.jobs[180].id}`);
  await page.getByText('1 of 200 jobs', { exact: true }).waitFor();
  await link(page, server.jobs[180].name).waitFor();
});

const unnamed = (server) => {
  server.add(makeJob('job_s', { progress: { items_total: 2000 } }));
  server.add(trainingJob({ id: 'job_t', name: null }));
  server.add(makeJob('job_p', { kind: 'profile', args: { mode: 'engine' } }));
};
visit('a job without a name is called by what it is', { arrange: unnamed }, async ({ page, go }) => {
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
  assert.deepEqual(await row.locator('.number').allTextContents(), ['1 min 15 s', '1 min 30 s']);
  const { height } = await row.boundingBox();
  assert.equal(height, 40);
});

visit('the list follows what happens, on the pages that are seen too', many(120), async ({ page, server, go }) => {
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

visit('a scheduled job does not have the list looked at every second', { arrange: (server) => server.add(makeJob('job_later', { state: 'scheduled', run_at: '2100-01-02T03:04:05.000Z' })) }, async ({ page, server, go }) => {
  await page.clock.install();
  await go('/#/jobs');
  await table(page).getByText('Scheduled').waitFor();
  const before = listed(server).length;
  await page.clock.runFor(4_500);
  assert.equal(listed(server).length, before);
  await page.clock.runFor(1_000);
  await until(() => listed(server).length > before, 'the next look');
});

visit('of a hundred thousand jobs only those on the screen are drawn', many(100_000), async ({ page, server, go }) => {
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
  await rows(page).nth(1).getByText('Morning headlines').waitFor();
  await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), `#/jobs/${server.jobs[0].id}`);
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
  await question.getByText('1 running, 1 queued. 1 of them is another member’s.').waitFor();
  await question.getByRole('button', { name: 'Keep' }).click();
  assert.ok(!server.calls.some(({ name }) => name.endsWith('/cancellation')));
  await bar.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  server.faults.set(`POST /v1/jobs/${queued.id}/cancellation`, { status: 409, title: 'Conflict', detail: 'The job has ended.' });
  await question.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  await heard(page, '1 job cancelled; 1 job refused: The job has ended.');
  await page.evaluate(() => scrollTo(0, 0));
  await table(page).locator('[role=row]', { has: page.locator(`a[href="#/jobs/${running.id}"]`) }).getByText('Cancelling').waitFor();
  await bar.waitFor({ state: 'detached' });
  assert.equal(server.job(done.id).state, 'succeeded');
});

visit('all that match run again after a question that counts them, those that are not loaded too', many(2_000), async ({ page, server, go }) => {
  const failed = server.jobs.filter(({ state }) => state === 'failed');
  server.unredrivable.add(failed[0].id);
  await go('/#/jobs?state=failed');
  await page.getByLabel('Select all jobs of the list').check();
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
  assert.deepEqual(body.job_ids, failed.map(({ id }) => id));
});

visit('who may not submit has nothing to choose', { arrange: (server) => ((server.jobs = manyJobs(5)), (server.scopes = ['jobs:read'])) }, async ({ page, go }) => {
  await go('/#/jobs');
  await rows(page).nth(5).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
});

visit('a job turns into its report when it ends, with all else in a drawer', { arrange: (server) => server.add(makeJob('job_r', { name: 'Long one', state: 'running', started_at: new Date().toISOString(), progress: { items_total: 40 } })) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_r');
  await page.getByText('About this job').waitFor();
  await until(() => server.followers('job_r') === 1, 'the event stream');
  server.finish('job_r');
  await page.getByText('Mean score').waitFor();
  assert.equal(await page.getByText('About this job').count(), 0);
  await page.getByRole('button', { name: 'Details' }).click();
  const drawer = page.getByRole('dialog', { name: 'Details' });
  await drawer.getByText('About this job').waitFor();
  await drawer.getByRole('listitem').filter({ hasText: 'Started' }).first().waitFor();
  assert.deepEqual(JSON.parse(await drawer.getByRole('group', { name: 'the inputs' }).textContent()), { model: 'vader' });
  assert.equal(JSON.parse(await drawer.getByRole('group', { name: 'the job as JSON' }).textContent()).id, 'job_r');
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
});

visit('a job is cloned with changes, and what is refused is told', { arrange: (server) => server.add(trainingJob({ labels: { desk: 'ore' } })) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_training0000');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Clone with changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clone with changes' });
  const text = dialog.getByLabel('Specification');
  const spec = JSON.parse(await text.inputValue());
  assert.deepEqual([spec.name, spec.labels, spec.args.model.preset], ['Early curriculum, again', { desk: 'ore' }, 'naics-4ch']);
  await text.fill('{"kind":');
  await dialog.getByRole('button', { name: 'Submit job' }).click();
  await dialog.getByText(/This is not JSON/).waitFor();
  await text.fill(JSON.stringify({ ...spec, name: 'Half', args: { ...spec.args, gpus: ['h200'] } }));
  server.faults.set('POST /v1/jobs', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/args/gpus/0', detail: 'is unknown' }] });
  await dialog.getByRole('button', { name: 'Submit job' }).click();
  await dialog.getByText('/args/gpus/0: is unknown').waitFor();
  server.faults.clear();
  await dialog.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { level: 1, name: 'Half' }).waitFor();
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/jobs').body.args.gpus, ['h200']);
});

visit('a long report lists what is on it, and leads there', { arrange: (server) => server.add(trainingJob()) }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  const list = page.getByRole('navigation', { name: 'On this page' });
  await list.getByRole('link', { name: 'Layers' }).click();
  const layers = page.getByRole('heading', { name: 'Layers' });
  await until(async () => (await layers.boundingBox()).y < 200, 'the layers at the top');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Layers');
  await list.locator('[aria-current]').getByText('Layers').waitFor();
});
