// Other columns of a file: chosen in the form, told in the report.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { grouped } from './fake/sentiment-reports.mjs';
import { visit } from './support/setting.mjs';

const file = (text) => ({ name: 'reviews.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

visit('a file’s columns for group, time, source and kept values are chosen', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('radio', { name: 'File' }).check({ force: true });
  await page.locator('input[type=file]').first().setInputFiles(file('text,region,time,source,customer\nfine,EU,2026-03-02T10:00:00Z,wire,Ann\nbad,,2026-03-02T11:00:00Z,,Bo\n'));
  await page.getByText('CSV with 2 records').waitFor();
  const chosen = (label) => page.getByLabel(label).locator('option:checked').innerText();
  assert.equal(await chosen('Time column'), 'time');
  assert.equal(await chosen('Source column'), 'source');
  await page.getByLabel('Group by').selectOption('region');
  await page.getByRole('group', { name: 'Columns to keep in the results' }).getByLabel('customer').check();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 2 texts').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/jobs').body.args.items, [
    { source: 'wire', time: '2026-03-02T10:00:00Z', group: 'EU', kept: { customer: 'Ann' }, text: 'fine' },
    { time: '2026-03-02T11:00:00Z', kept: { customer: 'Bo' }, text: 'bad' },
  ]);
});

visit('the report shows scores by group and over time', { arrange: grouped }, async ({ page, go }) => {
  await go('/#/jobs/job_g');
  const table = page.getByRole('table', { name: 'Texts by group' });
  assert.match(await table.getByRole('row', { name: /EU/ }).textContent(), /512.*59 %.*24 %.*17 %.*\+0\.416/);
  assert.match(await table.getByRole('row', { name: /none/ }).textContent(), /147/);
  await page.getByText('Biggest changes on the last day, against all texts before: US +0.540, EU −0.310').waitFor();
  await page.getByText('more than 100 different values').waitFor();
  await page.getByText('12 texts without a readable time').waitFor();
  const over = page.getByRole('img', { name: /Texts by day in UTC/ });
  assert.equal(await over.locator('.bar').count(), 60, 'days without a text are shown, too');
  const line = await over.locator('.line').getAttribute('d');
  const texts = await over.locator('.bar').evaluateAll((bars) => bars.filter((bar) => Number(bar.getAttribute('height')) > 0).length);
  assert.equal(line.split(/[ML]/).length - 1, texts, 'the mean of each day with texts');
  await page.getByText('customer: C-0 · channel: web').waitFor();

  const panel = page.getByRole('region', { name: 'Over time' });
  await panel.getByText('Show as a table').click();
  const started = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'SVG' }).click();
  const download = await started;
  assert.equal(download.suggestedFilename(), 'over-time.svg');
  const drawing = await readFile(await download.path(), 'utf8');
  assert.ok(drawing.split('<rect').length > 60, 'a bar for each day');
  assert.match(drawing, /fill="(light-dark|rgb|color)\(/);
});
