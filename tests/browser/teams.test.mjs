// On the real server: three ways from the sign-in to a goal, whose steps are counted; the kinds that real.test.mjs leaves
// out, from the form to the report; two users in two teams; and a job of many lines, with PLIMSOLL_LONG_TESTS=1 a million.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessibilityFaults, heard, launch, openPage, until } from './support/browser.mjs';
import { startReal } from './support/real-server.mjs';
import { longestTask, watchTasks } from './support/task-times.mjs';

let browser;
let server;
let page;
before(async () => {
  server = await startReal();
  browser = await launch();
  page = await openPage(browser);
  await page.goto(server.signInLink);
  await page.getByRole('heading', { name: 'Start here' }).waitFor();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const ask = (path, of = page) => of.evaluate(async (address) => (await fetch(address)).json(), path);
const open = (address, of = page) => of.goto(`${server.url}/#${address}`);
async function submit(name, of = page) {
  await of.getByRole('textbox', { name: 'Name' }).fill(name);
  await of.getByRole('button', { name: 'Submit job' }).click();
  await of.waitForURL(/#\/jobs\/job_/);
  return of.url().split('/').at(-1);
}

/** A way from the sign-in to a goal: each click, field or file is a step. */
const walk = (goal, most, take) =>
  test(`${goal}, in ${most} steps`, async () => {
    await open('/home');
    let steps = 0;
    await take(async (action) => {
      steps += 1;
      await action();
    });
    assert.equal(steps, most);
  });
const ownData = (kind) => page.getByRole('link', { name: `Use your own data for ${kind}` }).click();
/** Drops files, by their names, onto a form. */
async function drop(files) {
  const dataTransfer = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(all)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.locator('form textarea').first().dispatchEvent('drop', { dataTransfer });
}

walk('a nightly report on new data', 6, async (step) => {
  await step(() => ownData('Sentiment'));
  await step(() => drop({ 'news.csv': 'headline,day\nShares soar,1\n' }));
  await step(() => page.getByRole('radio', { name: 'On a schedule' }).check());
  await step(() => page.getByLabel('Schedule name').fill('nightly'));
  await step(() => page.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *'));
  await page.getByText('CSV with 1 record').waitFor();
  await step(() => page.getByRole('button', { name: 'Save schedule' }).click());
  await page.getByRole('heading', { name: 'nightly', level: 1 }).waitFor();
});

walk('the live waves of a folder of files', 3, async (step) => {
  const closes = (turn) => Array.from({ length: 80 }, (_, day) => `2025-0${1 + Math.floor(day / 28)}-${String(1 + (day % 28)).padStart(2, '0')},${(100 + 10 * Math.sin(day / turn) + day / 5).toFixed(2)}`).join('\n');
  await step(() => ownData('Waves'));
  await step(() => drop({ 'AAA.csv': `Date,Close\n${closes(4)}\n`, 'BBB.csv': `Date,Close\n${closes(7)}\n` }));
  await page.getByText('2 files').waitFor();
  await step(() => page.getByRole('button', { name: 'Submit job' }).click());
  const symbols = page.getByRole('table', { name: 'Symbols' });
  for (const symbol of ['AAA', 'BBB']) await symbols.getByText(symbol, { exact: true }).first().waitFor();
  await page.getByRole('heading', { name: /^(Live|Nothing is live) at the last bar$/ }).first().waitFor();
});

walk('settings for 4 GPUs from a config.json', 3, async (step) => {
  const config = { model_type: 'llama', hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 32, num_key_value_heads: 8, intermediate_size: 8192, vocab_size: 128256, max_position_embeddings: 8192 };
  const file = { name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(config)) };
  await step(() => page.locator('input[type=file]').setInputFiles(file));
  await step(() => page.getByRole('textbox', { name: 'GPUs' }).fill('4'));
  await page.getByText(/ on 4 × .*, sharded by FSDP, in/).waitFor();
  await step(() => page.getByRole('button', { name: 'Save as a report' }).click());
  const settings = page.getByRole('region', { name: 'Settings' });
  for (const library of ['Transformers', 'Lightning', 'DeepSpeed', 'PyTorch']) {
    await settings.getByRole('radio', { name: library }).check();
    await settings.locator('pre', { hasText: /fsdp|fully_shard|"stage": 3/ }).waitFor();
  }
});

test('a run of the nightly report reads the newest upload', async () => {
  await open('/datasets');
  await page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();
  await page.locator('input[type=file]').setInputFiles({ name: 'news.csv', mimeType: 'text/csv', buffer: Buffer.from('headline,day\nBad news,2\nWorse news,2\n') });
  await until(async () => (await ask('/v1/datasets')).items.filter(({ state }) => state === 'ready').length === 2, 'the second upload');
  await open('/schedules');
  await page.getByRole('link', { name: /nightly/ }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('table', { name: 'Last runs' }).getByRole('link').click();
  await page.getByText('Mean score').waitFor();
  assert.equal((await ask(`/v1/jobs/${page.url().split('/').at(-1)}/report`)).items.ok, 2);
});

test('wave counts: the sample, and a report that says what the API says', async () => {
  await open('/new/waves');
  await page.getByRole('button', { name: 'Fill in sample closes' }).click();
  await page.getByText('7,441 lines').waitFor();
  await page.getByLabel('Chance series', { exact: true }).fill('0');
  const id = await submit('Closes');
  const ranking = page.getByRole('region', { name: 'Symbols', exact: true });
  await ranking.waitFor();
  const { items } = await ask(`/v1/jobs/${id}/results`);
  assert.ok(items.length > 1);
  for (const { symbol } of items) await ranking.getByText(symbol, { exact: true }).first().waitFor();
  await page.getByText('The search is complete: no cap was reached.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('wave counts: a search that met a cap names it', async () => {
  await open('/new/waves');
  await page.getByRole('button', { name: 'Fill in sample closes' }).click();
  await page.getByText('7,441 lines').waitFor();
  await page.getByLabel('Chance series', { exact: true }).fill('0');
  await page.getByText('More settings').click();
  await page.getByLabel('Other settings').fill('max_combinations: 50');
  const id = await submit('Capped');
  await page.getByText('Some counts may be missing').waitFor();
  const { summary } = await ask(`/v1/jobs/${id}/report`);
  assert.equal(summary.omissions.length, 1);
  await page.getByRole('region', { name: 'What was searched' }).getByText(summary.omissions[0]).waitFor();
  assert.equal(await page.getByText('The search is complete').count(), 0);
});

test('a speed profile: what is measured is what the page shows', async () => {
  await open('/new/profile');
  await page.getByRole('radio', { name: 'Sentiment model' }).check();
  await page.getByLabel('Sentiment model', { exact: true }).and(page.locator('select')).selectOption('vader');
  await page.getByRole('textbox', { name: 'Batch sizes' }).fill('1, 8');
  const id = await submit('How fast');
  await page.getByRole('button', { name: 'Details' }).waitFor();
  const { summary } = await ask(`/v1/jobs/${id}/report`);
  await page.getByText(summary.device.name).first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('two users in two teams see nothing of one another', async () => {
  await open('/settings/teams');
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByRole('dialog', { name: 'New team' }).getByLabel('Name').fill('ferries');
  await page.getByRole('button', { name: 'Create team' }).click();
  await heard(page, 'Team ferries created; you own it');
  const members = page.getByRole('region', { name: 'ferries' });
  await members.getByRole('button', { name: 'Add a member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('grace');
  await dialog.getByRole('radio', { name: 'member' }).check();
  await dialog.getByRole('button', { name: 'Add and create a sign-in link' }).click();
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();

  const theirs = await openPage(browser);
  await theirs.goto(link);
  await theirs.getByRole('heading', { name: 'Start here' }).waitFor();
  await open('/new/sentiment', theirs);
  await theirs.getByRole('button', { name: 'Fill in five sample headlines' }).click();
  const id = await submit('Ferries only', theirs);
  await theirs.getByText('Mean score').waitFor();

  const mine = (await ask('/v1/jobs')).items;
  assert.ok(mine.every(({ name }) => name !== 'Ferries only'));
  await open('/jobs');
  await page.getByRole('link', { name: /Closes/ }).waitFor();
  assert.equal(await page.getByText('Ferries only').count(), 0);
  await open(`/jobs/${id}`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await open(`/jobs/${mine[0].id}`, theirs);
  await theirs.getByRole('heading', { name: 'Not found' }).waitFor();
  await open('/jobs', theirs);
  await theirs.getByRole('link', { name: /Ferries only/ }).waitFor();
  assert.equal(await theirs.getByText('Closes').count(), 0);
  await theirs.context().close();
});

test('a job of many lines is followed to its end, its report is exact, and the pages stay quick', async () => {
  const lines = process.env.PLIMSOLL_LONG_TESTS ? 1_000_000 : 20_000;
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-lines-'));
  try {
    const path = join(folder, 'many.csv');
    await writeFile(path, `text\n${Array.from({ length: lines }, (_, index) => `"${index % 4 ? 'A wonderful, calm' : 'A terrible'} day ${index}x"\n`).join('')}`);
    await open('/datasets');
    const tasks = await watchTasks(page);
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByRole('heading', { name: 'many.csv' }).waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'New sentiment job' }).click();
    await page.getByText(`CSV with ${lines.toLocaleString('en-GB')} records`).waitFor();
    const began = Date.now();
    const id = await submit('Many');
    await page.getByText('Mean score').waitFor();
    console.log(`# ${lines} lines: ${Date.now() - began} ms from the click to the report`);

    const rows = page.getByRole('table', { name: 'Results' }).getByRole('row');
    await rows.nth(50).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await rows.filter({ hasText: 'day 50x' }).waitFor();
    await page.getByRole('columnheader').getByRole('button', { name: 'Score' }).click();
    await page.locator('[aria-sort="descending"]').waitFor();
    await page.getByRole('radio', { name: 'Negative' }).check();
    await rows.nth(1).filter({ hasText: 'A terrible' }).waitFor();
    await page.getByRole('radio', { name: 'All', exact: true }).check();
    await page.getByLabel('Search texts and IDs').fill('day 9999x');
    await rows.filter({ hasText: 'day 9999x' }).waitFor();
    const measured = await tasks.end();
    console.log(`# ${lines} lines: ${measured.tasks} tasks, the longest ${measured.longest.toFixed(1)} ms`);
    assert.ok(measured.longest <= longestTask, `a task of ${measured.longest.toFixed(1)} ms`);

    const report = await ask(`/v1/jobs/${id}/report`);
    assert.deepEqual([report.items.ok, report.items.failed], [lines, 0]);
    assert.deepEqual(report.summary.labels, { positive: (lines * 3) / 4, neutral: 0, negative: lines / 4 });
    await page.getByText(lines.toLocaleString('en-GB'), { exact: true }).first().waitFor();
    assert.deepEqual(page.complaints, []);
  } finally {
    await rm(folder, { recursive: true });
  }
});
