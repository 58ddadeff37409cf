// The home page: an answer without a form, one's own work, the pool.
import assert from 'node:assert/strict';
import { busyQueue, makeJob, manyJobs } from './fake/data.mjs';
import { tooSmall } from './fake/training.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const estimates = (server) => server.calls.filter(({ name }) => name === 'POST /v1/estimates');
const lastArgs = (server) => estimates(server).at(-1)?.body.args;

visit('a model and a GPU are answered above the fold without submitting, and remembered', async ({ page, server, go }) => {
  await go('/');
  const answer = page.getByText('Batch 16 fits on RTX 4090, in 17.2 GiB of 23.5 GiB.');
  await answer.waitFor();
  const { y, height } = await answer.boundingBox();
  assert.ok(y + height < 450, `the answer ends at ${y + height} px`);
  await page.getByRole('img', { name: /^NVIDIA RTX 4090: .*load line/ }).waitFor();
  await page.getByRole('combobox', { name: 'Model' }).selectOption('bert-large');
  await page.getByRole('textbox', { name: 'Tokens' }).fill('256');
  await page.getByRole('combobox', { name: 'GPU' }).selectOption({ label: 'NVIDIA H200, 139.8 GiB' });
  await page.getByText(/fits on H200/).waitFor();
  const { model, training, gpus } = lastArgs(server);
  assert.deepEqual([model.preset, training.sequence_length, gpus], ['bert-large', 256, ['h200']]);
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/jobs'));
  await page.reload();
  await page.getByText(/fits on H200/).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Model' }).inputValue(), 'bert-large');
  // What was asked before is listed with its answer, and asked again with one click.
  const before = page.getByRole('region', { name: 'Recent estimates' });
  const kept = (model) => until(() => page.evaluate((name) => localStorage.getItem('plimsoll.fit.asked')?.includes(name), model), `the question about ${model}`);
  await kept('bert-large');
  const tokens = await page.getByRole('textbox', { name: 'Tokens' }).inputValue();
  await page.getByRole('combobox', { name: 'Model' }).selectOption('bert-base');
  await before.getByRole('button', { name: new RegExp(`^bert-large, ${tokens} tokens, H200: batch`) }).click();
  await until(() => lastArgs(server).model.preset === 'bert-large', 'the earlier question');
  assert.deepEqual([lastArgs(server).training.sequence_length, lastArgs(server).gpus], [Number(tokens), ['h200']]);
});

visit('the answer becomes a report with one click', async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByText('Batch 16 fits').waitFor();
  await page.getByRole('button', { name: 'Save as a report' }).click();
  await page.waitForURL(/#\/jobs\/job_/);
  const { kind, args } = server.calls.find(({ name }) => name === 'POST /v1/jobs').body;
  assert.deepEqual([kind, args.model], ['training-config', { preset: 'bert-base' }]);
  await page.getByRole('heading', { level: 1, name: /^bert-base, 128 tokens/ }).waitFor();
});

visit('a model of one\'s own and several GPUs are answered in the same place', async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByText('Batch 16 fits').waitFor();
  const give = (text) => page.locator('input[type=file]').setInputFiles({ name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await give('[1]');
  await page.getByText('config.json: A config.json must be an object').waitFor();
  await give('{"model_type": "llama", "hidden_size": 64}');
  await until(() => lastArgs(server).model.config?.hidden_size === 64, 'the file');
  assert.deepEqual([lastArgs(server).model.preset, lastArgs(server).training], [undefined, {}], 'the length is that of the model');
  assert.equal(await page.getByRole('combobox', { name: 'Model' }).locator('option:checked').textContent(), 'config.json');
  await page.getByRole('textbox', { name: 'GPUs' }).fill('4');
  await until(() => lastArgs(server).cluster?.cards === 4, 'four GPUs');
  assert.equal(lastArgs(server).cluster.sharding, 'fsdp');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('bert-large');
  await until(() => lastArgs(server).model.preset === 'bert-large', 'a preset again');
});

visit('a model that does not fit says so in the same place, and what makes it fit is one click away', async ({ page, server, go }) => {
  const usual = server.estimate;
  server.estimate = (spec) => (spec.args.training?.checkpointing ? usual(spec) : { kind: spec.kind, summary: tooSmall() });
  await go('/#/home');
  await page.getByText(/^Not even one sample fits on RTX 4090: it needs/).waitFor();
  await page.getByRole('button', { name: 'gradient checkpointing + 8-bit Adam' }).click();
  await page.getByText('Batch 16 fits').waitFor();
  assert.deepEqual(lastArgs(server).training, { sequence_length: 128, checkpointing: true, optimizer: 'adam_8bit' });
  await page.getByRole('button', { name: 'Without', exact: true }).click();
  await page.getByText(/^Not even one sample fits/).waitFor();
});

visit('a length beyond the model is refused beside its field', async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByText('Batch 16 fits').waitFor();
  const detail = 'The sequence length 4096 exceeds the model\'s 512 positions.';
  server.faults.set('POST /v1/estimates', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/args/training/sequence_length', detail }] });
  await page.getByRole('textbox', { name: 'Tokens' }).fill('4096');
  await page.getByText(detail).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Tokens' }).getAttribute('aria-invalid'), 'true');
});

visit('a bad length before the first answer says what to do, and an answer follows', async ({ page, server, go }) => {
  const errors = [{ pointer: '/args/training/sequence_length', detail: 'must be at least 1' }];
  server.faults.set('POST /v1/estimates', { status: 422, title: 'Unprocessable content', errors });
  await go('/#/home');
  await page.getByText('Correct the number of tokens to see what fits.').waitFor();
  assert.equal(await page.getByText('Estimating').count(), 0);
  server.faults.delete('POST /v1/estimates');
  await page.getByRole('textbox', { name: 'Tokens' }).fill('64');
  await page.getByText('Batch 16 fits').waitFor();
});

visit('a newcomer runs a sample of each kind with one click', async ({ page, server, go }) => {
  for (const [title, kind] of [['Training memory', 'training-config'], ['Sentiment', 'sentiment'], ['Waves', 'waves'], ['Speed profile', 'profile']]) {
    server.jobs = [];
    await go('/#/home');
    await page.getByRole('button', { name: `Run a sample of ${title}` }).click();
    await page.waitForURL(/#\/jobs\/job_/);
    const { body } = server.calls.findLast(({ name }) => name === 'POST /v1/jobs');
    assert.equal(body.kind, kind);
    assert.match(body.name, /^Sample: /);
  }
});

const busy = (server) => {
  server.jobs = manyJobs(8).map((job, place) => (place === 3 ? { ...job, submitter: { id: 'usr_2', name: 'grace' } } : job));
  server.queue = busyQueue();
};
visit('one\'s own work is seen at a glance, and why it waits', { arrange: busy }, async ({ page, server, go }) => {
  await go('/#/home');
  const work = page.getByRole('region', { name: 'Your work' });
  await work.getByText('It is next in line: every device of class cpu is busy').waitFor();
  await work.getByRole('progressbar', { name: 'Progress of Morning headlines' }).waitFor();
  await work.getByText('The device class of this job has had no worker').waitFor();
  assert.equal(await work.getByText('Crew survey, open answers').count(), 0, 'of somebody else');
  server.finish(server.jobs[0].id);
  await work.getByRole('progressbar').waitFor({ state: 'detached' });
  await work.getByRole('link', { name: 'All your jobs' }).click();
  await page.waitForURL(/#\/jobs\?by=ada/);
});

const sixty = (server) => {
  const of = (state, number, fields) => Array.from({ length: number }, (_, at) => makeJob(`job_${state}_${at}`, { state, name: `${state} ${at}`, ...fields }));
  const at = new Date().toISOString();
  const progress = { items_done: 3, items_total: 10 };
  server.jobs = [...of('queued', 60), ...of('running', 2, { started_at: at, progress }), ...of('succeeded', 7, { finished_at: at }), ...of('failed', 1, { finished_at: at })];
};
visit('what runs and what has ended are seen behind many jobs that wait', { arrange: sixty }, async ({ page, go }) => {
  await go('/#/home');
  const work = page.getByRole('region', { name: 'Your work' });
  for (const title of ['Running 2', 'Waiting 60', 'Finished']) await work.getByRole('heading', { name: title, exact: true }).waitFor();
  assert.equal(await work.getByRole('progressbar').count(), 2);
  assert.equal(await work.getByRole('link', { name: '55 more' }).getAttribute('href'), '#/jobs?by=ada&state=queued');
  assert.equal(await work.getByText(/^(succeeded|failed) \d$/).count(), 5);
});

const scheduled = (server) => {
  const run_at = '2100-01-02T03:04:05.000Z';
  server.jobs = [...Array.from({ length: 9 }, (_, at) => makeJob(`job_s${at}`, { state: 'scheduled', name: `Later ${at}`, run_at })), makeJob('job_q', { state: 'queued', name: 'Now' })];
};
visit('a job that waits for a device comes before those that wait for their time', { arrange: scheduled }, async ({ page, server, go }) => {
  await go('/#/home');
  const work = page.getByRole('region', { name: 'Your work' });
  const titles = () => work.getByRole('listitem').getByRole('link').allTextContents();
  await work.getByRole('link', { name: '5 more' }).waitFor();
  assert.deepEqual((await titles()).slice(0, 2), ['Now', 'Later 0']);
  server.jobs = server.jobs.slice(0, 9);
  await page.waitForFunction(() => document.querySelector('a[href$="state=scheduled"]')?.textContent === '4 more');
});

visit('the pool shows its health', { arrange: busy }, async ({ page, server, go }) => {
  await go('/#/home');
  const pool = page.getByRole('region', { name: 'The pool' });
  await pool.getByText('2 of 4 devices').waitFor();
  await pool.getByText('Draining: every device on crane-2. A fan is replaced.').waitFor();
  await pool.getByText('5 warnings').waitFor();
  server.queue = { ...busyQueue(), holds: [] };
  server.devices = server.devices.slice(0, 2);
  await pool.getByText('2 of 2 devices').waitFor();
  await pool.getByText('Healthy').waitFor();
  server.devices = [];
  await pool.getByText('No device').waitFor();
});

visit('samples are hidden once there is a job', { arrange: (server) => server.add(makeJob('job_x', { name: 'Mine' })) }, async ({ page, go }) => {
  await go('/#/home');
  await page.getByRole('region', { name: 'Your work' }).getByText('Mine').waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Start here' }).count(), 0);
});

visit('the work of others hides nothing of the user\'s own', async ({ page, server, go }) => {
  const others = Array.from({ length: server.pageSize + 20 }, (_, place) => makeJob(`job_other${place}`, { name: 'Somebody else\'s', submitter: { id: 'usr_2', name: 'grace' } }));
  server.jobs = [...others, makeJob('job_own', { name: 'My own', state: 'running', started_at: new Date().toISOString() })];
  await go('/#/home');
  const work = page.getByRole('region', { name: 'Your work' });
  await work.getByRole('link', { name: 'My own' }).waitFor();
  assert.equal(await work.getByText('Somebody else\'s').count(), 0);
});
