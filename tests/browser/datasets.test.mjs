// Datasets: a file comes in by parts, survives whatever happens to the line and the page, and becomes a job.
import assert from 'node:assert/strict';
import { everyDataset } from './fake/datasets.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const content = 'PUT /v1/datasets/data_1new/content';
const filled = { arrange: (server) => (server.datasets = everyDataset()) };
// More than any first part.
const lines = 120_000;
const letters = { name: 'letters.csv', mimeType: 'text/csv', buffer: Buffer.from(`id,text\n${'1,Calm seas\n'.repeat(lines)}`) };

const choose = (page, file = letters) => page.locator('input[type=file]').setInputFiles(file);
const parts = (server) => server.calls.filter(({ name, bytes }) => name === content && bytes.length > 0);

/** A promise for a fault, and what ends it. */
function gate() {
  let open;
  const closed = new Promise((resolve) => (open = resolve));
  return { closed, open };
}

/** What the accepted parts come to, put together where they were sent for. */
function received(server) {
  const whole = Buffer.alloc(letters.buffer.length);
  for (const { bytes, query } of parts(server)) bytes.copy(whole, Number(query.get('offset')));
  return whole;
}

visit('a file is uploaded in parts, and its records are shown', async ({ page, server, go }) => {
  await go('/#/datasets');
  await choose(page);
  await page.getByText('Ready', { exact: true }).waitFor();
  assert.ok(parts(server).length > 1, 'in more than one part');
  assert.deepEqual(received(server), letters.buffer);
  await page.getByRole('region', { name: 'Table of records' }).getByRole('table').getByText('Ferry operator').first().waitFor();
  await page.getByText('120,000', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('rowheader', { name: '11', exact: true }).waitFor();
});

visit('a dropped file is also uploaded', async ({ page, server, go }) => {
  await go('/#/datasets');
  await page.getByText('No datasets yet').waitFor();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"text":"good"}\n'], 'texts.jsonl'));
    return data;
  });
  await page.locator('.zone').dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByRole('heading', { name: 'texts.jsonl' }).waitFor();
  await page.getByText('Ready', { exact: true }).waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/datasets').body, { name: 'texts.jsonl', format: 'jsonl', bytes: 16 });
});

visit('a pause stops the upload, other pages do not', async ({ page, server, go }) => {
  const line = gate();
  server.faults.set(content, line.closed);
  await go('/#/datasets');
  await choose(page);
  await until(() => parts(server).length === 1, 'the first part');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  server.faults.clear();
  line.open();
  await until(() => server.datasets[0].bytes_received > 0, 'what was on its way when the pause came');
  await page.getByRole('link', { name: 'Datasets', exact: true }).first().click();
  await page.getByRole('table', { name: 'Datasets' }).getByText('Paused').waitFor();
  assert.equal(parts(server).length, 1);
  await page.getByRole('link', { name: /letters/ }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Ready', { exact: true }).waitFor();
  assert.deepEqual(received(server), letters.buffer);
});

visit('an upload waits for a server that does not respond', { ofItsOwn: true }, async ({ page, server, go }) => {
  server.faults.set(content, 503);
  await page.clock.install();
  await go('/#/datasets');
  await page.getByText('No datasets yet').waitFor();
  // No time passes, so that it does not try again by itself before the button is pressed.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await choose(page);
  await page.getByText('Service unavailable').waitFor();
  server.faults.clear();
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.clock.resume();
  await page.getByText('Ready', { exact: true }).waitFor();
  assert.deepEqual(server.datasets[0].bytes_received, letters.buffer.length);
});

visit('after a reload the same file continues, and another one is refused', { ofItsOwn: true }, async ({ page, server, go }) => {
  page.on('dialog', (dialog) => dialog.accept());
  await go('/#/datasets');
  // The first part arrives, the second one hangs.
  const line = gate();
  server.onCall = ({ name }) => name === content && parts(server).length === 2 && server.faults.set(content, line.closed);
  await choose(page);
  await until(() => parts(server).length === 2, 'the second part');
  await page.reload();
  await page.getByText('This upload is incomplete').waitFor();
  server.onCall = undefined;
  server.faults.clear();
  const stands = server.datasets[0].bytes_received;
  assert.ok(stands > 0 && stands < letters.buffer.length);
  await choose(page, { ...letters, buffer: Buffer.from('id,text\n1,other\n') });
  await page.getByText('the upload started with one of').waitFor();
  await choose(page);
  await page.getByText('Ready', { exact: true }).waitFor();
  assert.equal(Number(parts(server)[2].query.get('offset')), stands, 'from where the server stood');
  line.open();
});

visit('an unreadable file shows the reason', async ({ page, server, go }) => {
  await go('/#/datasets');
  server.faults.set(content, 422);
  server.onCall = ({ name }) => name === content && Object.assign(server.datasets[0], { state: 'failed', error: 'The file has no header line.' });
  await choose(page);
  await page.getByText('The file has no header line').waitFor();
});

visit('unreadable lines are listed and downloaded', filled, async ({ page, go }) => {
  await go('/#/datasets/data_flawed');
  const rows = page.getByRole('table', { name: 'Unreadable lines' }).getByRole('row');
  await rows.nth(20).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.nth(40).waitFor();
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV of the unreadable lines' }).click();
  const chunks = [];
  for await (const chunk of await (await started).createReadStream()) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString().trimEnd().split('\n').length, 1 + 43);
});

visit('columns of a wide file can be selected', filled, async ({ page, go }) => {
  await go('/#/datasets/data_flawed');
  const table = page.getByRole('region', { name: 'Table of records' }).getByRole('table');
  await table.getByRole('columnheader', { name: 'author' }).waitFor();
  await page.getByText('6 of 8 columns shown').click();
  await page.getByRole('checkbox', { name: 'author' }).uncheck();
  await page.getByRole('checkbox', { name: 'revision' }).check();
  await table.getByRole('columnheader', { name: 'revision' }).waitFor();
  assert.equal(await table.getByRole('columnheader', { name: 'author' }).count(), 0);
});

visit('a dataset is deleted after confirmation', filled, async ({ page, server, go }) => {
  await go('/#/datasets/data_ready');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Datasets' }).waitFor();
  await page.getByRole('table', { name: 'Datasets' }).getByRole('row').nth(3).waitFor();
  assert.ok(!server.datasets.some(({ id }) => id === 'data_ready'));
});

visit('a job on a dataset uses its text column', filled, async ({ page, server, go }) => {
  await go('/#/datasets/data_ready');
  await page.getByRole('link', { name: 'New sentiment job' }).click();
  await page.getByText('CSV with 1,000,000 records').waitFor();
  await page.getByText('Ferry operator beats forecasts').waitFor();
  assert.equal(await page.getByLabel('Text column').locator('option:checked').innerText(), 'headline');
  await page.getByLabel('ID column').selectOption('key');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 1,000,000 texts').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/jobs').body.args, {
    model: 'vader',
    dataset: 'data_ready',
    columns: { text: 'headline', custom_id: 'key' },
  });
});

for (const [kind, slow] of [['sentiment', 'GET /v1/datasets/data_ready/records'], ['sentiment', 'GET /v1/datasets'], ['waves', 'GET /v1/datasets']]) {
  visit(`a ${kind} form that was opened with a dataset waits for it: ${slow}`, filled, async ({ page, server, go }) => {
    let release;
    server.faults.set(slow, new Promise((resolve) => (release = resolve)));
    await go(`/#/new/${kind}?dataset=data_ready`);
    const submit = page.getByRole('button', { name: 'Submit job' });
    await until(() => server.calls.some(({ name }) => name === slow), 'the question');
    assert.equal(await submit.isDisabled(), true);
    release();
    await until(() => submit.isEnabled(), 'the dataset');
    await submit.click();
    await page.waitForURL(/#\/jobs\/job_/);
  });
}

visit('a form whose dataset is gone can be submitted with another', filled, async ({ page, server, go }) => {
  await go('/#/new/sentiment?dataset=data_nowhere');
  await page.getByText('The dataset was not found').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Submit job' }).isEnabled(), true);
});

visit('a file too large for a request is uploaded from the form', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('radio', { name: 'File' }).check();
  await choose(page);
  await page.getByText('CSV with 120,000 records').waitFor();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 120,000 texts').waitFor();
  assert.equal(server.calls.find(({ name }) => name === 'POST /v1/jobs').body.args.dataset, 'data_1new');
});
