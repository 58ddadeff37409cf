// The table of a job's results: what it searches, and what it says of it.
import assert from 'node:assert/strict';
import { makeJob, makeReport, makeResults, manyJobs } from './fake/data.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const { id } = manyJobs(3)[2];
const address = `/#/jobs/${id}`;
const amount = 12_000; // the page reads 10,000

/** A job of more texts than the page reads; the last of them alone names a walrus. */
function large(server) {
  server.jobs = manyJobs(60);
  const job = server.jobs.find((one) => one.id === id);
  job.progress = { ...job.progress, items_total: amount, items_done: amount };
  const rows = makeResults(amount);
  rows.at(-1).text = 'A Walrus came aboard.';
  rows.at(-2).text = 'Größe zählt.';
  server.results.set(id, rows);
}
const searches = (server) => server.calls.filter(({ name, query }) => name === `GET /v1/jobs/${id}/results.jsonl` && query.has('contains'));

visit('a search looks into all texts of a large job', { arrange: large }, async ({ page, server, go }) => {
  await go(address);
  const panel = page.getByRole('region', { name: 'Results' });
  await panel.getByText('The first 10,000 of 12,000 texts. A search or a label filter covers all of them and shows up to 10,000 matches').waitFor();
  const said = panel.getByRole('search').getByRole('status');
  await said.filter({ hasText: '10,000 texts' }).waitFor();
  await panel.getByPlaceholder('Search texts').fill('walrus');
  await said.filter({ hasText: /^1 of all 12,000 texts$/ }).waitFor();
  await panel.getByText('A Walrus came aboard.').waitFor();
  assert.deepEqual(searches(server).map(({ query }) => query.get('contains')), ['walrus']);

  await panel.getByPlaceholder('Search texts').fill('');
  await said.filter({ hasText: /^10,000 texts$/ }).waitFor();
});

visit('a label selects among all texts of a large job, alone and in a search', { arrange: large }, async ({ page, server, go }) => {
  const negative = server.results.get(id).filter((row) => row.label === 'negative');
  const panel = page.getByRole('region', { name: 'Results' });
  const said = panel.getByRole('search').getByRole('status');
  await go(address);
  await panel.getByRole('radio', { name: 'Negative' }).check();
  await said.filter({ hasText: `${negative.length.toLocaleString('en-GB')} of all 12,000 texts` }).waitFor();
  await panel.getByRole('radio', { name: 'Failed' }).check();
  await said.filter({ hasText: 'of all 12,000 texts' }).filter({ hasText: /^\d/ }).waitFor();
  await panel.getByRole('radio', { name: 'Negative' }).check();
  await panel.getByPlaceholder('Search texts').fill(negative[0].text.slice(0, 12));
  await until(() => server.calls.some(({ query }) => query.get('label') === 'negative' && query.has('contains')), 'the search of a label');
  await said.filter({ hasText: 'of all 12,000 texts' }).waitFor();
});

visit('a search that is typed on is asked once, and says that it searches', { arrange: large, ofItsOwn: true }, async ({ page, server, go }) => {
  await go(address);
  const panel = page.getByRole('region', { name: 'Results' });
  const said = panel.getByRole('search').getByRole('status');
  await said.filter({ hasText: '10,000 texts' }).waitFor();
  let release;
  server.faults.set(`GET /v1/jobs/${id}/results.jsonl`, new Promise((resolve) => (release = resolve)));
  await page.clock.install();
  await page.clock.pauseAt(new Date(Date.now() + 1000));
  await panel.getByPlaceholder('Search texts').pressSequentially('walrus');
  await said.filter({ hasText: 'Searching 12,000 texts…' }).waitFor();
  assert.equal(searches(server).length, 0);
  await page.clock.runFor(300);
  await until(() => searches(server).length > 0, 'the search');
  release();
  await said.filter({ hasText: /^1 of all 12,000 texts$/ }).waitFor();
  assert.equal(searches(server).length, 1);
});

visit('what is not found says which letters must be typed as they are', { arrange: large }, async ({ page, go }) => {
  await go(address);
  const panel = page.getByRole('region', { name: 'Results' });
  await panel.getByPlaceholder('Search texts').fill('seeschlange');
  await panel.getByText('No text matches').waitFor();
  assert.equal(await panel.getByText('Only the letters A to Z match').count(), 0);
  await panel.getByPlaceholder('Search texts').fill('ÄSTHETIK');
  await panel.getByText('Only the letters A to Z match').waitFor();
});

const byModel = (server) => {
  const job = server.add(makeJob('job_m', { state: 'succeeded', progress: { items_total: 60, items_done: 60 } }));
  server.results.set('job_m', makeResults(60));
  server.reports.set('job_m', makeReport(job, server.results.get('job_m'), 'finbert'));
};
visit('a model’s scores of 0 are drawn as neutral, which they are', { arrange: byModel }, async ({ page, go }) => {
  await go('/#/jobs/job_m');
  const drawing = page.getByRole('img', { name: /^Texts by score/ });
  await drawing.waitFor();
  const bars = await drawing.locator('rect.bar').evaluateAll((all) => all.map(({ classList }) => ['negative', 'neutral', 'positive'].find((name) => classList.contains(name))));
  const half = bars.length / 2;
  assert.deepEqual(bars, [...Array(half).fill('negative'), 'neutral', ...Array(half - 1).fill('positive')]);
});
