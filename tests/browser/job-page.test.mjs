// The page of a job: its report, its details, its clone, and what it is compared with.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeJob } from './fake/data.mjs';
import { memoryComparison, trainingJob, trainingReport } from './fake/training.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

const table = (page) => page.getByRole('table', { name: 'Jobs' });

visit('a job turns into its report when it ends, with details in a drawer', { arrange: (server) => server.add(makeJob('job_r', { name: 'Long one', state: 'running', started_at: new Date().toISOString(), progress: { items_total: 40 } })) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_r');
  await page.getByText('About this job').waitFor();
  await until(() => server.followers('job_r') === 1, 'the event stream');
  server.finish('job_r');
  await page.getByText('Mean score').waitFor();
  assert.equal(await page.getByText('About this job').count(), 0);
  await page.getByRole('button', { name: 'Details' }).click();
  const drawer = page.getByRole('dialog', { name: 'Details' });
  await drawer.getByText('About this job').waitFor();
  await drawer.getByText('5 attempts on 2 devices: 2 failed.').waitFor();
  const tried = drawer.getByRole('table', { name: 'Attempts' }).getByRole('row').filter({ hasText: 'Worker lost' });
  await tried.getByText('The worker stopped responding.').waitFor();
  assert.deepEqual((await tried.getByRole('cell').allTextContents()).slice(0, 4), ['1', '1', 'Worker lostThe worker stopped responding.', 'node-a / opencl:0:1']);
  const asked = () => server.calls.filter(({ name }) => name === 'GET /v1/jobs/job_r/tasks').map(({ query }) => query.get('state') ?? query.get('cursor'));
  assert.deepEqual(asked(), [], 'tasks are read when somebody opens them');
  await drawer.getByText('The parts that run on devices').click();
  const tasks = drawer.getByRole('table', { name: 'Tasks' }).getByRole('row');
  await tasks.filter({ hasText: '11–20' }).waitFor();
  assert.deepEqual((await tasks.nth(2).getByRole('cell').allTextContents()).slice(0, 5), ['1', '11–20', 'done', '2', 'node-a / opencl:0:1']);
  await drawer.getByRole('button', { name: 'Show more tasks' }).click();
  await tasks.filter({ hasText: 'Out of memory.' }).waitFor();
  assert.equal(await tasks.count(), 5);
  await drawer.getByLabel('State').selectOption('failed');
  await until(async () => (await tasks.count()) === 2, 'the failed task alone');
  assert.deepEqual(asked(), [null, 'more', 'failed']);
  await drawer.getByRole('listitem').filter({ hasText: 'Started' }).first().waitFor();
  assert.deepEqual(JSON.parse(await drawer.getByRole('group', { name: 'the inputs' }).textContent()), { model: 'vader' });
  assert.equal(JSON.parse(await drawer.getByRole('group', { name: 'the job as JSON' }).textContent()).id, 'job_r');
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
});

visit('a job is cloned with changes, and refusals are shown', { arrange: (server) => server.add(trainingJob({ labels: { desk: 'ore' } })) }, async ({ page, server, go }) => {
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

visit('a long report has a table of contents', { arrange: (server) => server.add(trainingJob()) }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  const list = page.getByRole('navigation', { name: 'On this page' });
  await list.getByRole('link', { name: 'Layers' }).click();
  const layers = page.getByRole('heading', { name: 'Layers' });
  await until(async () => (await layers.boundingBox()).y < 200, 'the layers at the top');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Layers');
  await list.locator('[aria-current]').getByText('Layers').waitFor();
});

visit('jobs of a kind are compared: the figures that matter, inputs, and all else on demand', { arrange: (server) => {
  server.add(trainingJob({ id: 'job_a', name: 'First' }));
  const second = trainingJob({ id: 'job_b', name: 'Second' });
  server.add({ ...second, args: { ...second.args, gpus: ['h200'] } });
  const report = structuredClone(trainingReport(second));
  for (const card of report.summary.gpus) card.max_batch = 999;
  server.reports.set('job_b', report);
  for (const copy of [1, 2, 3, 4, 5, 6]) server.add(trainingJob({ id: `job_d${copy}`, name: `An-extraordinarily-long-name-that-nobody-shortened-${copy}` }));
  server.add(makeJob('job_c', { name: 'Texts', state: 'succeeded' }));
} }, async ({ page, go }) => {
  await go('/#/jobs');
  for (const name of ['First', 'Second']) await page.getByLabel(`Select ${name}`).check();
  await page.getByRole('link', { name: 'Compare 2' }).click();
  await page.waitForURL(/compare\?jobs=job_b,job_a/);
  const inputs = page.getByRole('table', { name: 'Inputs' }).getByRole('row');
  await inputs.filter({ hasText: 'gpus' }).getByText('h200', { exact: true }).waitFor();
  assert.equal(await inputs.count(), 2, 'the heading and the one difference');
  const figures = page.getByRole('table', { name: 'Figures' }).getByRole('row');
  await figures.filter({ hasText: 'Largest batch' }).getByText(/^[−+][\d.]+ %, (better|worse)$/).waitFor();
  assert.equal(await page.getByRole('img', { name: 'Reserved memory by batch size; the numbers are in the table below' }).locator('.line').count(), 2, 'a curve of each job');
  assert.equal(await page.getByRole('table', { name: 'Results' }).count(), 0, 'folded');
  await page.getByText('Show all values').click();
  const results = page.getByRole('table', { name: 'Results' }).getByRole('row');
  await results.filter({ hasText: '999' }).getByText(/^[−+]\d/).first().waitFor();
  await page.getByLabel('Show equal values').check();
  await inputs.filter({ hasText: 'model › preset' }).waitFor();
  await page.waitForURL(/all=1/);
  // Eight columns stand beside one another, whatever their texts.
  await go(`/#/compare?all=1&jobs=job_a,job_b,${[1, 2, 3, 4, 5, 6].map((copy) => `job_d${copy}`).join(',')}`);
  await inputs.filter({ hasText: 'model › preset' }).waitFor();
  // Headings are cut: the list above has the whole names.
  const over = (cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent.trim());
  for (const name of ['Inputs', 'Figures']) assert.deepEqual(await page.getByRole('table', { name }).locator('tbody :is(th, td)').evaluateAll(over), []);
  await go('/#/compare?jobs=job_a,job_c');
  await page.getByText('These jobs are of different kinds').waitFor();
  await go(`/#/compare?jobs=${Array.from({ length: 9 }, (_, index) => `job_${index}`).join(',')}`);
  await page.getByRole('link', { name: 'Compare the first 8' }).waitFor();
});

visit('a report is saved as a page that needs no server', { arrange: (server) => server.add(trainingJob()) }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  await page.getByRole('heading', { name: 'Layers' }).waitFor();
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'HTML' }).click();
  const download = await started;
  assert.equal(download.suggestedFilename(), 'job_training0000.html');
  const context = await page.context().browser().newContext({ javaScriptEnabled: false, offline: true });
  const copy = await context.newPage();
  const asked = [];
  copy.on('request', (request) => asked.push(request.url()));
  // Browsers take the kind of a file from its name.
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-page-'));
  await download.saveAs(join(folder, download.suggestedFilename()));
  await copy.goto(`file://${join(folder, download.suggestedFilename())}`);
  await copy.getByRole('heading', { level: 1, name: 'Early curriculum' }).waitFor();
  await copy.getByRole('heading', { name: 'Layers' }).waitFor();
  assert.ok((await copy.locator('img, svg').count()) > 3, 'pictures');
  assert.equal(await copy.getByRole('button').count(), 0);
  assert.equal(await copy.evaluate(() => getComputedStyle(document.body).margin), '0px', 'the style came along');
  assert.deepEqual(asked.filter((url) => !/^(file|data):/.test(url)), []);
  await context.close();
  await rm(folder, { recursive: true });
});

const arrangementOf = (wanted) => views.find(({ name }) => name === wanted);

const onFourGpus = (server) => {
  const made = trainingReport(server.add(trainingJob()));
  for (const card of made.summary.gpus) {
    const part = Math.round(card.memory.device_used_bytes / 5);
    card.shard = { cards: 4, tensor_parallel: 1, context_parallel: 1, expert_parallel: 1, pipeline_parallel: 1, pipeline_rank: null, sharding: 'fsdp', offload: 'none', weights_bytes: part, gradients_bytes: part, optimizer_bytes: part, buffers_bytes: part, other_bytes: part, total_bytes: 5 * part };
  }
  server.reports.set(made.job_id, made);
};
visit('a run on several GPUs says on how many, and how it is sharded', { arrange: onFourGpus }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  await page.getByText(/fits on 4 × .*, sharded by FSDP, in .* on each\./).first().waitFor();
});

visit('the queue comes before the shares', arrangementOf('queue-full'), async ({ page, go }) => {
  await go('/#/queue');
  await page.getByText('Tasks running').waitFor();
  const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
  assert.equal(titles[0], 'In the queue');
  assert.ok(titles.indexOf('Teams') > 0, titles.join());
  await page.getByRole('link', { name: 'Waiting jobs' }).click();
  await page.waitForURL(/state=queued/);
});

visit('a profile leads with the recommended batch, then loading', arrangementOf('report-profile'), async ({ page, go }) => {
  const { address, ready } = arrangementOf('report-profile');
  await go(address);
  await ready(page);
  await page.getByText('First load').first().waitFor();
  const [batch, load] = await Promise.all(['Recommended batch', 'First load'].map(async (text) => (await page.getByText(text).first().boundingBox()).y));
  assert.ok(batch < load, `${batch} before ${load}`);
});

visit('a recorded run is laid over the prediction', { arrange: (server) => server.add(trainingJob()) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_training0000');
  const panel = page.getByRole('region', { name: 'A recorded run' });
  const give = (...bytes) => panel.locator('input[type=file]').setInputFiles({ name: 'snapshot.pickle', mimeType: '', buffer: Buffer.from(bytes) });
  const call = 'POST /v1/jobs/job_training0000/memory-comparisons';
  const asked = () => server.calls.filter(({ name }) => name === call);
  await give(0x50, 0x4b);
  await panel.getByText('snapshot.pickle: The file is no pickle.').waitFor();
  await panel.getByLabel('Batch size of the recorded run').fill('0');
  await give(0x80, 4, 0x2e);
  await panel.getByText('Enter a whole number from 1 on.').waitFor();
  assert.equal(asked().length, 0, 'nothing is sent');

  let answer;
  server.faults.set(call, new Promise((resolve) => (answer = resolve)));
  await panel.getByLabel('Batch size of the recorded run').fill('24');
  await give(0x80, 4, 0x2e);
  await panel.getByRole('progressbar', { name: 'Upload of snapshot.pickle' }).waitFor();
  await panel.getByText('3 B sent; the server reads them').waitFor();
  server.faults.delete(call);
  answer();
  await panel.getByText('snapshot.pickle: 1,234,567 events read, beside the estimate for a batch of 24.').waitFor();
  assert.deepEqual([[...asked()[0].bytes], asked()[0].query.toString()], [[0x80, 4, 0x2e], 'batch=24&gpu=h200']);
  await panel.getByText('After 36 equal allocations they part. Recorded: 1.4 GiB in the forward pass, forward (modeling_naics.py:218). Predicted: none of such a size.').waitFor();
  const kept = panel.getByRole('row', { name: 'Kept for backward' }).first();
  assert.deepEqual(await kept.getByRole('cell').allTextContents(), ['5.40\u00a0GiB', '4.00\u00a0GiB', '−25.9\u00a0%']);
  await panel.getByRole('slider', { name: 'Memory of a recorded step' }).press('End');
  await panel.getByText('After 117 allocations').waitFor();

  server.memoryComparison = { ...memoryComparison(), compared: false, parting: null };
  await give(0x80, 4, 0x2e);
  await panel.getByText('The recording has no stacks of a forward pass').waitFor();
  server.faults.set(call, { status: 413, title: 'Content too large', detail: 'A memory snapshot may have at most 2048 MiB here.' });
  await give(0x80, 4, 0x2e);
  await panel.getByText('at most 2048 MiB').waitFor();
});
