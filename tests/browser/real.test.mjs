// The pages on the real server: one person's first day.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { policy } from './fake/static.mjs';
import { accessibilityFaults, heard, launch, openPage, until } from './support/browser.mjs';
import { startReal } from './support/real-server.mjs';

const sample = fileURLToPath(new URL('../../deploy/samples/headlines.jsonl', import.meta.url));

let browser;
let server;
let page;
before(async () => {
  server = await startReal(); // where there is none, no browser is left waiting
  browser = await launch();
  page = await openPage(browser);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** What a program with this page's session gets. */
const ask = (path) => page.evaluate(async (address) => (await fetch(address)).json(), path);

test('the real server sends the policy that the other tests run under', async () => {
  const response = await fetch(server.url);
  assert.equal(response.headers.get('Content-Security-Policy'), policy);
});

test('a link of the command line signs in, once', async () => {
  await page.goto(server.signInLink);
  await page.getByRole('heading', { name: 'Start here' }).waitFor();
  const second = await openPage(browser);
  await second.goto(server.signInLink);
  await second.getByText('has already been used or has expired').waitFor();
  assert.deepEqual(second.complaints, []);
  await second.context().close();
});

test('a file is submitted, followed to its end, and its report says what the API says', async () => {
  await page.getByRole('link', { name: 'New job' }).first().click();
  await page.getByRole('link', { name: 'Sentiment' }).click();
  await page.getByRole('radio', { name: 'File' }).check();
  await page.locator('input[type=file]').setInputFiles(sample);
  await page.getByText(/JSONL with \d+ records/).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Sample headlines');
  await page.getByRole('textbox', { name: 'Labels' }).fill('desk=news');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Mean score').waitFor();

  const { items } = await ask('/v1/jobs');
  const report = await ask(`/v1/jobs/${items[0].id}/report`);
  const results = await ask(`/v1/jobs/${items[0].id}/results`);
  assert.equal(items.length, 1);
  assert.equal(report.items.ok, results.items.length);
  const mean = report.summary.compound.mean;
  await page.getByText(`${mean < 0 ? '−' : '+'}${Math.abs(mean).toFixed(2)}`, { exact: true }).first().waitFor();
  const table = page.getByRole('table', { name: 'Results' });
  await table.getByText(results.items[0].text).waitFor();
  assert.equal(await table.getByRole('row').count(), 1 + Math.min(50, results.items.length));
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('the downloads hold every row', async () => {
  for (const [name, header] of [['CSV', 1], ['JSONL', 0]]) {
    const started = page.waitForEvent('download');
    await page.getByRole('link', { name, exact: true }).click();
    const chunks = [];
    for await (const chunk of await (await started).createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
    const { items } = await ask('/v1/jobs');
    assert.equal(lines.length, items[0].progress.items_total + header, name);
  }
});

test('the jobs list finds it by its label', async () => {
  await page.goto(`${server.url}/#/jobs?label=desk%3Dnews&state=succeeded`);
  await page.getByRole('link', { name: /Sample headlines/ }).waitFor();
  await page.goto(`${server.url}/#/jobs?label=desk%3Dsports`);
  await page.getByText('No job matches').waitFor();
});

test('the devices are listed', async () => {
  await page.getByRole('link', { name: 'Devices' }).click();
  await page.getByRole('table', { name: 'Devices' }).getByText('tasks that need no OpenCL device').waitFor();
});

test('a large file survives a lost connection and a reload, and its job is exact', async () => {
  const lines = 60_000;
  const records = Array.from({ length: lines }, (_, index) => `h-${index},"${index % 2 ? 'A wonderful, calm' : 'A terrible'} day at sea",${index}\n`);
  const file = { name: 'days.csv', mimeType: 'text/csv', buffer: Buffer.from(`key,headline,place\n${records.join('')}only one field\n`) };
  const accept = (dialog) => dialog.accept();
  page.on('dialog', accept);

  await page.goto(`${server.url}/#/datasets`);
  await page.getByText('No datasets yet').waitFor();
  let parts = 0;
  await page.route(/\/content\?offset=/, (route) => (++parts <= 2 ? route.continue() : route.abort('connectionreset')));
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('The server does not respond').waitFor();
  await page.unroute(/\/content\?offset=/);
  await page.reload();
  await page.getByText('This upload is incomplete').waitFor();
  const [begun] = (await ask('/v1/datasets')).items;
  assert.ok(begun.bytes_received > 0 && begun.bytes_received < file.buffer.length, `${begun.bytes_received} bytes`);
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('Ready', { exact: true }).waitFor();
  const [whole] = (await ask('/v1/datasets')).items;
  assert.deepEqual([whole.id, whole.records, whole.records_failed], [begun.id, lines + 1, 1]);
  await page.getByRole('table', { name: 'Unreadable lines' }).getByText('1 field').waitFor();
  await page.getByRole('region', { name: 'Table of records' }).getByText('A wonderful, calm day at sea').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  await page.getByRole('link', { name: 'New sentiment job' }).click();
  await page.getByText('CSV with 60,001 records, 1 of them unreadable').waitFor();
  await page.getByLabel('ID column').selectOption('key');
  await page.getByRole('textbox', { name: 'Name' }).fill('Days');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Mean score').waitFor();
  const [job] = (await ask('/v1/jobs')).items;
  const results = await ask(`/v1/jobs/${job.id}/results`);
  const labels = results.items.map(({ custom_id, label }) => `${custom_id} ${label}`);
  assert.deepEqual(labels, [...records.map((_, index) => `h-${index} ${index % 2 ? 'positive' : 'negative'}`), 'null null']);

  await page.goto(`${server.url}/#/jobs/${job.id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
  await page.goto(`${server.url}/#/datasets/${whole.id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('No datasets yet').waitFor();
  page.off('dialog', accept);
});

test('the documentation shows the contract of the server that serves it', async () => {
  await page.goto(`${server.url}/#/docs/createJob`);
  await page.getByText(`curl -sS '${server.url}/v1/jobs'`).waitFor();
  const { paths } = await ask('/openapi.json');
  const operations = Object.values(paths).flatMap((item) => Object.values(item)).filter(({ operationId }) => operationId);
  const list = page.getByRole('navigation', { name: 'Documentation' });
  await list.locator('summary').first().waitFor();
  for (const group of await list.locator('details:not([open]) > summary').elementHandles()) await group.click();
  await list.getByRole('link', { name: 'WebhookDeliveryPage', exact: true }).waitFor(); // in the last group
  const links = list.getByRole('link');
  const places = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(operations.filter(({ operationId }) => !places.includes(`#/docs/${operationId}`)), []);
  assert.deepEqual(page.complaints, []);
});

test('a new token works, and stops working when it is revoked', async () => {
  await page.goto(`${server.url}/#/settings/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('browser test');
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByRole('textbox', { name: 'Token' }).inputValue();
  const status = async () => (await fetch(`${server.url}/v1/users/me`, { headers: { Authorization: `Bearer ${secret}` } })).status;
  assert.equal(await status(), 200);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Revoke browser test' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await heard(page, 'revoked');
  assert.equal(await status(), 401);
});

test('a new member signs in with their own link and sees the team’s jobs', async () => {
  await page.goto(`${server.url}/#/settings/team`);
  await page.getByRole('button', { name: 'Add a member' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('grace');
  await page.getByRole('radio', { name: 'viewer' }).check();
  await page.getByRole('button', { name: 'Add and create a sign-in link' }).click();
  const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  const theirs = await openPage(browser);
  await theirs.goto(link);
  await theirs.getByRole('region', { name: 'Your work' }).waitFor();
  await theirs.getByRole('link', { name: 'Jobs', exact: true }).click();
  await theirs.getByRole('link', { name: /Sample headlines/ }).waitFor();
  assert.equal(await theirs.getByRole('link', { name: 'New job' }).count(), 0, 'viewers submit nothing');
  assert.deepEqual(theirs.complaints, []);
  await theirs.context().close();
});

test('training advice: a live estimate, a job, and a report that says what the API says', async () => {
  await page.goto(`${server.url}/#/new/training-config`);
  const estimate = page.getByRole('region', { name: 'Estimate' });
  await estimate.getByText('Recommended batch', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Sequence length' }).fill('513');
  await page.getByText('exceeds the model\'s 512 positions').waitFor();
  await page.getByRole('textbox', { name: 'Sequence length' }).fill('128');
  await page.getByText('exceeds the model\'s 512 positions').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Advice');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { name: 'Memory by part' }).waitFor();

  const { items } = await ask('/v1/jobs?kind=training-config');
  const { summary } = await ask(`/v1/jobs/${items[0].id}/report`);
  const [card] = summary.gpus;
  await page.getByText(card.why).waitFor();
  const configuration = { name: 'train.yaml', mimeType: 'text/yaml', buffer: Buffer.from('num_train_epochs: 3\nper_device_train_batch_size: 3\nmax_seq_length: 77\n') };
  await page.getByRole('region', { name: 'Your configuration' }).locator('input[type=file]').setInputFiles(configuration);
  await page.getByText(`2 + per_device_train_batch_size: ${card.batch}`, { exact: true }).waitFor();
  await page.getByText('max_seq_length is 77; the estimate is for 128 tokens').waitFor();
  await page.getByRole('slider', { name: 'Batch', exact: true }).press('Home');
  await page.getByText('One sample takes').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.goto(`${server.url}/#/jobs/${items[0].id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  assert.deepEqual(page.complaints, []);
});

/** Runs in the page: a drawing as a file of its own, with the colours that it has there. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll('*')];
  for (const [place, element] of [svg, ...svg.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element);
    copies[place].removeAttribute('class');
    if (element.closest('clipPath')) continue;
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-linecap', 'opacity', 'font-size', 'font-weight']) {
      const value = style.getPropertyValue(name);
      if (value !== getComputedStyle(element.parentElement ?? svg).getPropertyValue(name)) copies[place].setAttribute(name, value);
    }
  }
  for (const [name, value] of Object.entries({ width: 384, height: 264, 'font-family': 'Inter, sans-serif' })) copy.setAttribute(name, value);
  return `${new XMLSerializer().serializeToString(copy).replace(/<!--.*?-->/g, '').replace('>', '><rect width="384" height="264" rx="12" fill="#fff"/>')}\n`;
}

/** Runs in the page: how far two pictures lie apart, as a mean over their pixels of 0 to 255. */
async function apart(pictures) {
  const [one, two] = await Promise.all(pictures.map(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (one.width !== two.width || Math.abs(one.height - two.height) > 4) return 255;
  const length = Math.min(one.data.length, two.data.length);
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += Math.abs(one.data[at] - two.data[at]);
  return sum / length;
}

test('the pictures of the README show what its command prints, as the pages show it', async () => {
  const root = new URL('../../', import.meta.url);
  const [, command] = /^plimsoll (estimate .*)$/m.exec(await readFile(new URL('README.md', root), 'utf8'));
  const program = `${process.env.PLIMSOLL_BIN ?? 'build/release/bin'}/plimsoll`;
  const summary = JSON.parse((await promisify(execFile)(program, [...command.split(' '), '--json'])).stdout);
  const panel = page.locator('main section').first();
  const answered = async (model) => {
    await page.goto(`${server.url}/#/home`);
    await page.evaluate((name) => {
      localStorage.setItem('plimsoll.fit.model', name);
      localStorage.removeItem('plimsoll.fit.asked');
    }, model);
    await page.reload();
    await panel.getByText(/^Batch \d+ fits on /).waitFor();
  };
  await answered('llama-3.2-1b');
  const pictures = { 'home.png': await panel.screenshot() };
  const answer = (route) => route.fulfill({ json: { kind: 'training-config', summary } });
  await page.route('**/v1/estimates', answer);
  await answered(summary.model.name);
  pictures['load-mark.svg'] = Buffer.from(await panel.getByRole('img', { name: /load line/ }).evaluate(standalone));
  await page.unroute('**/v1/estimates', answer);
  for (const [name, made] of Object.entries(pictures)) {
    const file = new URL(`deploy/samples/${name}`, root);
    if (process.env.PLIMSOLL_PICTURES) await writeFile(file, made);
    const kept = await readFile(file);
    const again = 'run this test with PLIMSOLL_PICTURES=1';
    if (name.endsWith('.svg')) assert.equal(kept.toString(), made.toString(), again);
    else assert.ok((await page.evaluate(apart, [kept, made].map((picture) => picture.toString('base64')))) < 3, again);
  }
});

test('deleting a job and signing out', async () => {
  await page.goto(`${server.url}/#/jobs`);
  await page.getByRole('link', { name: /Sample headlines/ }).click();
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('No jobs yet').waitFor();
  await page.getByLabel('Account').first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Sign-in link or API token').waitFor();
  assert.deepEqual(page.complaints, []);
});
