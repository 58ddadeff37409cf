// The training advisor's pages: the form that estimates while it is filled in, and the report.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { estimate, measurement, tooSmall, trainingJob, trainingReport } from './fake/training.mjs';
import { heard, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const form = '/#/new/training-config';
const report = '/#/jobs/job_training0000';
const arrange = (server) => server.add(trainingJob());
const estimates = (server) => server.calls.filter(({ name }) => name === 'POST /v1/estimates');
const lastArgs = (server) => estimates(server).at(-1)?.body.args;
const upToDate = (page) => page.getByRole('region', { name: 'Estimate' }).getByText('up to date').waitFor();

visit('the estimate follows the form, and submitting sends the same arguments', async ({ page, server, go }) => {
  await go(form);
  await upToDate(page);
  await until(() => lastArgs(server)?.gpus?.[0] === 'rtx_4090', 'the default GPU');
  await page.getByLabel('Sequence length').fill('256');
  await until(() => lastArgs(server).training.sequence_length === 256, 'an estimate of the new length');
  await page.getByRole('checkbox', { name: /H200/ }).check();
  await until(() => lastArgs(server).gpus.length === 2, 'an estimate for both GPUs');
  await upToDate(page);
  const estimated = page.getByRole('region', { name: 'Estimate' });
  await estimated.getByText('NVIDIA H200').waitFor();
  assert.equal(lastArgs(server).what_ifs, false);

  await page.getByRole('textbox', { name: 'Name' }).fill('Two GPUs');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { name: 'Two GPUs' }).waitFor();
  const { body } = server.calls.find(({ name }) => name === 'POST /v1/jobs');
  const { what_ifs, ...asked } = lastArgs(server);
  assert.equal(body.kind, 'training-config');
  assert.deepEqual(body.args, asked);
});

visit('the answer stays at the foot of the window during input, and starts from the previous one', async ({ page, go }) => {
  await go(form);
  await upToDate(page);
  const foot = page.locator('form p', { hasText: 'Batch 16 fits on RTX 4090' }).first();
  const seen = async () => {
    const { y, height } = await foot.boundingBox();
    return y > 0 && y + height <= 900;
  };
  assert.ok(await seen(), 'before any scrolling');
  await page.getByRole('combobox', { name: 'Preset' }).selectOption('bert-large');
  await page.getByRole('checkbox', { name: /H200/ }).check();
  await page.getByText('Also fits on 1 other GPU.').waitFor();
  await page.reload();
  await upToDate(page);
  assert.equal(await page.getByRole('combobox', { name: 'Preset' }).inputValue(), 'bert-large');
});

visit('a GPU is found by its name, and what is chosen stays in sight', async ({ page, go }) => {
  await go(form);
  await upToDate(page);
  const boxes = page.getByRole('group', { name: 'GPUs' }).getByRole('checkbox');
  assert.ok((await boxes.count()) > 3);
  await page.getByRole('searchbox', { name: 'Find a GPU' }).fill('h200');
  await until(async () => (await boxes.count()) === 3, 'the largest of the pool, the chosen one and the one that is found');
  await page.getByRole('checkbox', { name: /RTX 4090/, checked: true }).waitFor();
});

visit('fast typing sends one request', { ofItsOwn: true }, async ({ page, server, go }) => {
  await page.clock.install();
  await go(form);
  await until(() => lastArgs(server)?.gpus?.[0] === 'rtx_4090', 'the default GPU');
  await upToDate(page);
  const before = estimates(server).length;
  // Typed while no time passes, however slow the machine is.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await page.getByLabel('Sequence length').press('End');
  await page.keyboard.type('0000');
  await page.clock.resume();
  await until(() => lastArgs(server).training.sequence_length === 1280000, 'the last length');
  await upToDate(page);
  assert.equal(estimates(server).length - before, 1, 'only the last length is asked about');
});

visit('errors are shown beside their fields until corrected', async ({ page, server, go }) => {
  await go(form);
  await upToDate(page);
  const detail = 'The sequence length 1024 exceeds the model\'s 512 positions.';
  server.faults.set('POST /v1/estimates', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/args/training/sequence_length', detail }] });
  const length = page.getByLabel('Sequence length');
  await length.fill('1024');
  await page.getByText(detail).waitFor();
  assert.equal(await length.getAttribute('aria-invalid'), 'true');
  server.faults.delete('POST /v1/estimates');
  await length.fill('128');
  await page.getByText(detail).waitFor({ state: 'detached' });
  assert.equal(await length.getAttribute('aria-invalid'), null);
});

visit('a config.json is read in the browser and sent as it is', async ({ page, server, go }) => {
  await go(form);
  await page.getByRole('radio', { name: 'config.json' }).check();
  const text = page.getByRole('textbox', { name: 'config.json' });
  await text.fill('{"model_type": ');
  await page.getByText('This is not JSON').waitFor();
  await page.getByRole('button', { name: 'Submit job' }).click();
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/jobs'), 'nothing may be sent that cannot be read');
  await text.fill('{"model_type": "bert", "hidden_size": 64}');
  await until(() => lastArgs(server)?.model.config?.hidden_size === 64, 'an estimate of the config');
  await page.getByText('This is not JSON').waitFor({ state: 'detached' });
});

visit('a refusal focuses the first invalid field, and opens its section', async ({ page, server, go }) => {
  await go(form);
  await upToDate(page);
  const inFocus = (name) => page.getByRole('textbox', { name }).and(page.locator(':focus')).waitFor();
  server.faults.set('POST /v1/jobs', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/args/safety_margin', detail: 'must be at most 1' }] });
  await page.getByRole('button', { name: 'Submit job' }).click();
  await inFocus(/^Safety margin/);
  await page.getByRole('radio', { name: 'config.json' }).check();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await inFocus('config.json');
});

visit('a guide’s preset brings its settings', async ({ page, server, go }) => {
  await go(form);
  await page.getByRole('combobox', { name: 'Preset' }).selectOption('naics-4ch');
  await until(() => lastArgs(server)?.stages?.length === 2, 'an estimate with both stages');
  const { training } = lastArgs(server);
  assert.deepEqual([training.sequence_length, training.negatives, training.lora.rank, training.checkpointing], [512, 24, 8, true]);
});

visit('a device in the pool is measured by the job, never by the estimate', async ({ page, server, go }) => {
  await go(form);
  await upToDate(page);
  await page.getByRole('checkbox', { name: /^Also benchmark a device in the pool/ }).check();
  await page.getByRole('textbox', { name: 'Name' }).fill('Measured');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { name: 'Measured' }).waitFor();
  const { body } = server.calls.find(({ name }) => name === 'POST /v1/jobs');
  assert.equal(body.args.probe, true);
  assert.ok(estimates(server).every((call) => !('probe' in call.body.args)), 'an estimate measures nothing');
});

visit('measurements of a device are shown next to the model', { arrange }, async ({ page, go }) => {
  await go(report);
  const panel = page.getByRole('region', { name: 'A device in the pool' });
  await panel.getByText('opencl:pocl:0').waitFor();
  await panel.getByRole('row', { name: /^3,072 × 384/ }).waitFor();
  const rests = page.getByRole('region', { name: 'Basis of this report' });
  await rests.getByText('modelled', { exact: true }).first().waitFor();
  await rests.getByText('measured', { exact: true }).first().waitFor();
});

/** Turns the report to the first card that was asked about. */
async function chooseFirst(page) {
  const cards = page.getByRole('table', { name: 'GPUs' });
  await cards.getByRole('button', { name: 'NVIDIA RTX 4090' }).click();
  await cards.getByRole('button', { name: 'NVIDIA RTX 4090', pressed: true }).waitFor();
}

visit('the report opens on the fastest GPU that fits and shows the chosen one', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await page.getByText(/^Batch \d+ fits on H200/).waitFor();
  const names = page.getByRole('table', { name: 'GPUs' }).getByRole('button', { name: /^NVIDIA/ });
  assert.deepEqual(await names.allTextContents(), ['NVIDIA H200', 'NVIDIA RTX 4090']);
  await chooseFirst(page);
  await page.getByRole('img', { name: /^NVIDIA RTX 4090: .* of 23\.5 GiB used/ }).waitFor();
  await page.getByText(/^Batch 16 fits on RTX 4090/).waitFor();
  // A fast card that is too small is no answer.
  const made = trainingReport(server.jobs[0]);
  made.summary.gpus[1].fits = 'no';
  server.reports.set(made.job_id, made);
  await page.reload();
  await page.getByText(/^Batch 16 fits on RTX 4090/).waitFor();
});

visit('equal layers are one row', { arrange }, async ({ page, go }) => {
  await go(report);
  const layers = page.getByRole('table', { name: 'Layers' });
  await layers.getByText('0 to 4, each of 5 layers').waitFor();
});

visit('two GPUs are compared for the same run', { arrange }, async ({ page, go }) => {
  await go(report);
  const panel = page.getByRole('region', { name: 'Moving to another GPU' });
  await panel.getByRole('row', { name: 'largest batch 18 115' }).waitFor();
  await panel.getByText('+ per_device_train_batch_size: 112').waitFor();
  await panel.getByText('Set GPU_PROFILE=h200').waitFor();
  assert.deepEqual(await panel.locator('code').allInnerTexts(), ['GPU_PROFILE=h200', 'plimsoll apply report.json conf/*.yaml --gpu h200']);
});

visit('lengths are read as a histogram', async ({ page, server, go }) => {
  await go(form);
  await upToDate(page);
  await page.getByText('More training and data settings').click();
  await page.getByRole('textbox', { name: /^Lengths/ }).fill('64:900, 256:100');
  await until(() => lastArgs(server)?.training.length_histogram?.length === 2, 'an estimate of the histogram');
  assert.deepEqual(lastArgs(server).training.length_histogram[1], { tokens: 256, samples: 100 });
});

const arrangeMeasured = (server) => {
  const job = server.add(trainingJob());
  server.measurements = [measurement(job)];
};
visit('a measured run is shown next to its prediction, and can be deleted', { arrange: arrangeMeasured }, async ({ page, server, go }) => {
  await go(report);
  const panel = page.getByRole('region', { name: 'Predicted and measured' });
  await panel.getByText('+2.0 %').waitFor();
  await panel.getByRole('columnheader', { name: 'Largest batch' }).waitFor(); // a table, not cards
  assert.equal(await panel.getByRole('combobox', { name: 'Sort by' }).isVisible(), false);
  await panel.getByRole('button', { name: /^Delete/ }).click();
  await panel.getByText('No run has reported back yet').waitFor();
  assert.equal(server.measurements.length, 0);
  await panel.getByText('transformers_callback(job="job_training0000")').waitFor();
});

visit('a configuration is compared by the server, for the batch that is shown', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await chooseFirst(page);
  const panel = page.getByRole('region', { name: 'Your configuration' });
  const text = 'data_loader:\n  batch_size: 4\n';
  const give = () => panel.locator('input[type=file]').setInputFiles({ name: 'config.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
  await give();
  await panel.getByText('config.yaml, Lightning trainer and data: 2 settings would change.').waitFor();
  for (const line of ['2 - data_loader.batch_size: 4', '2 + data_loader.batch_size: 16', '3 + trainer.precision: 16-mixed']) await panel.getByText(line, { exact: true }).waitFor();
  assert.deepEqual(await panel.getByRole('listitem').allTextContents(), [
    'trainer.accumulate_grad_batches should be 16; not changed: it is an interpolation',
    'max_seq_length is 4096; the estimate is for 512 tokens',
  ]);
  const asked = () => server.calls.filter(({ name }) => name === 'POST /v1/configuration-comparisons').map(({ body }) => body);
  const [{ args, ...file }] = asked();
  assert.deepEqual([file, args.gpus, args.training.batch], [{ name: 'config.yaml', text }, ['rtx_4090'], undefined]);

  await page.getByRole('slider', { name: 'Batch', exact: true }).press('Home');
  await until(() => asked().at(-1).args.training.batch === 1, 'the batch that is shown');
  server.faults.set('POST /v1/configuration-comparisons', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/text', detail: 'This is neither YAML nor JSON.' }] });
  await give();
  await panel.getByText('config.yaml: This is neither YAML nor JSON.').waitFor();
});

visit('a team describes a GPU of its own and removes it', async ({ page, server, go }) => {
  await go('/#/settings/gpu-profiles');
  await page.getByRole('button', { name: 'Add a GPU profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a GPU profile' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This is required.').first().waitFor();
  const fill = async (given) => {
    for (const [label, value] of Object.entries(given)) await dialog.getByRole('textbox', { name: new RegExp(`^${label}`) }).fill(value);
    await dialog.getByRole('button', { name: 'Save' }).click();
  };
  const given = { ID: 'lab_card', Name: 'Lab card', 'Memory, GiB': '46.1', 'Bandwidth, GB/s': '864', 'fp32, TFLOP/s': '91.6' };
  await fill(given);
  const table = page.getByRole('table', { name: 'GPU profiles' });
  await table.getByText('Lab card').first().waitFor();
  const { body } = server.calls.find(({ name }) => name === 'PUT /v1/gpu-profiles/lab_card');
  assert.deepEqual(body, { name: 'Lab card', memory_gib: 46.1, bandwidth_gb_s: 864, fp32_tflops: 91.6 });

  await page.getByRole('button', { name: 'Add a GPU profile' }).click();
  await fill({ ...given, Name: 'Another card' });
  await dialog.getByText('A resource with this ID already exists.').waitFor();
  await fill({ ID: 't4' });
  await table.getByText('Another card').first().waitFor();
  const replaced = server.calls.find(({ name }) => name === 'PUT /v1/gpu-profiles/t4');
  assert.equal(replaced.headers['if-match'], '"0"', 'a built-in profile is replaced knowingly');
  assert.equal(server.cards.find(({ id }) => id === 'lab_card').name, 'Lab card');

  await table.getByRole('button', { name: 'Remove Lab card' }).click();
  await page.getByRole('dialog', { name: 'Remove this GPU profile?' }).getByRole('button', { name: 'Remove' }).click();
  await table.getByRole('button', { name: 'Remove Lab card' }).waitFor({ state: 'detached' });
  assert.deepEqual(server.cards.map(({ id }) => id), ['t4']);
});

visit('a card shows what the GPU profile guide sets for it', async ({ page, go }) => {
  await go('/#/settings/gpu-profiles');
  const row = (name) => page.getByRole('table', { name: 'GPU profiles' }).getByRole('row').filter({ hasText: name });
  await row('NVIDIA RTX 4090').getByText('Guide: batch 512 daily, 768 hourly; 2 workers; 6 and 12 GB a model.').waitFor();
  assert.equal(await row('NVIDIA T4').getByText('Guide:').count(), 0, 'the guide has no such card');
});

visit('the parts of the memory sum to the total', { arrange }, async ({ page, go }) => {
  await go(report);
  const panel = page.getByRole('region', { name: 'Memory by part' });
  await panel.waitFor();
  const bytes = await panel.locator('dd span').allTextContents();
  const sum = bytes.reduce((total, text) => total + Number(text.replace(/\D/g, '')), 0);
  const said = await panel.getByText(/^Sum/).locator('strong').textContent();
  assert.equal(sum, Number(said.replace(/\D/g, '')));
});

visit('moving the batch requests that batch and updates the page', { arrange }, async ({ page, server, go }) => {
  const job = server.jobs.find(({ kind }) => kind === 'training-config');
  job.args = { ...job.args, goal: 'fill', custom_gpus: [{ id: 'lab_card', memory_gib: 24 }] };
  await go(report);
  await chooseFirst(page);
  const slider = page.getByRole('slider', { name: 'Batch', exact: true });
  await slider.focus();
  await page.keyboard.press('End');
  await page.getByText('Requested batch').waitFor();
  const { training, gpus, what_ifs, goal, custom_gpus } = lastArgs(server);
  assert.deepEqual(gpus, ['rtx_4090']);
  assert.equal(what_ifs, false);
  // The server refuses a goal beside a batch, and described cards that are not asked for.
  assert.equal(goal, undefined);
  assert.deepEqual(custom_gpus, []);
  await page.getByText(`A batch of ${training.batch}, as asked.`).waitFor();
  await slider.press('ArrowLeft');
  await until(() => lastArgs(server).training.batch === training.batch - 1, 'a key moves by one batch');
  await page.getByRole('button', { name: 'Back to the recommended batch' }).click();
  await page.getByText('Recommended batch', { exact: true }).waitFor();
});

/** The peak of all three modelled steps comes after the two that are drawn. */
const arrangeLatePeak = (server) => {
  const report = trainingReport(server.add(trainingJob()));
  for (const card of report.summary.gpus) card.memory.moment = { step: 3, phase: 'backward', layer: 2 };
  server.reports.set(report.job_id, report);
};
visit('a peak outside the chart is not marked', { arrange: arrangeLatePeak }, async ({ page, go }) => {
  await go(report);
  const panel = page.getByRole('region', { name: 'Memory over the first two training steps' });
  await panel.getByText(/comes after these steps, in step 3, backward, layer 2/).waitFor();
  await panel.getByText(/^highest here/).waitFor();
  assert.equal(await panel.getByText(/^peak/).count(), 0);
});

visit('pointing at a moment shows what is allocated there, and at a batch what it takes, in both charts', { arrange }, async ({ page, go }) => {
  await go(report);
  const timeline = page.getByRole('region', { name: 'Memory over the first two training steps' });
  await timeline.scrollIntoViewIfNeeded();
  await timeline.locator('.reach').hover({ position: { x: 300, y: 60 } });
  await timeline.getByText(/(allocates|frees) .+ of .+ allocated: weights, gradients, optimizer .+\sGiB, activations kept for the backward pass .+\sGiB, temporary tensors .+\sGiB\./).waitFor();
  const curves = page.getByRole('region', { name: 'Batch size' });
  await curves.locator('.reach').first().hover({ position: { x: 200, y: 60 } });
  const told = curves.locator('figcaption strong');
  await until(async () => (await told.count()) === 2, 'both charts');
  const [memory, speed] = await told.allTextContents();
  assert.equal(memory, speed);
  assert.match(memory, /^Batch \d+$/);
  await page.mouse.move(5, 5);
  await told.first().waitFor({ state: 'detached' });
});

visit('settings are copied and kept as a file', { arrange }, async ({ page, go }) => {
  await go(report);
  await chooseFirst(page);
  const { summary } = estimate({ kind: 'training-config', args: { gpus: ['rtx_4090'] } });
  const panel = page.getByRole('region', { name: 'Settings' });
  await panel.getByRole('radio', { name: 'Lightning' }).check();
  await panel.getByRole('button', { name: 'Copy' }).click();
  await heard(page, 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), summary.gpus[0].snippets.lightning);
  const download = page.waitForEvent('download');
  await panel.getByRole('link', { name: 'config.yaml' }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'config.yaml');
  assert.equal(await readFile(await file.path(), 'utf8'), summary.gpus[0].snippets.lightning);
});

const arrangeTooSmall = (server) => {
  const job = server.add(trainingJob());
  server.reports.set(job.id, trainingReport(job, tooSmall()));
};
visit('a GPU that is too small says why', { arrange: arrangeTooSmall }, async ({ page, go }) => {
  await go(report);
  await page.getByText('One sample needs 32.9 GiB').waitFor();
  await page.getByText('Does not fit', { exact: true }).first().waitFor();
  await page.getByText('Smallest batch', { exact: true }).waitFor();
  // There is no batch whose settings could be pasted.
  await page.getByRole('region', { name: 'Memory by part' }).waitFor();
  for (const name of ['Batch size', 'Settings']) assert.equal(await page.getByRole('region', { name, exact: true }).count(), 0, name);
});

visit('a chart is exported as CSV, SVG and PNG', { arrange: (server) => server.add(trainingJob()) }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  const panel = page.getByRole('region', { name: /Memory over/ }).first();
  await panel.getByText('Show as a table').click();
  const content = {};
  for (const format of ['CSV', 'SVG', 'PNG']) {
    const started = page.waitForEvent('download');
    await panel.getByRole('button', { name: format }).click();
    const download = await started;
    assert.match(download.suggestedFilename(), new RegExp(`^memory-over.*\\.${format.toLowerCase()}$`));
    content[format] = await readFile(await download.path());
  }
  assert.match(content.CSV.toString(), /^Step and phase,Peak allocated,"Weights, gradients, optimizer",Activations kept for the backward pass,Temporary tensors\r\n"1, setup",0.22 GiB,/);
  assert.match(content.SVG.toString(), /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.equal(content.PNG.subarray(1, 4).toString(), 'PNG');
});
