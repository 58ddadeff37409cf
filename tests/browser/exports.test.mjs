// Every chart leaves the page as CSV, SVG and PNG, also those that the page draws with boxes and words.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { manyJobs } from './fake/data.mjs';
import { overflow } from './support/browser.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

const done = manyJobs(3)[2].id;
const { arrange: compared, address: comparedAt } = views.find(({ name }) => name === 'report-sentiment-compared');
const { arrange: waves, address: wavesAt } = views.find(({ name }) => name === 'report-waves');
const full = (server) => (server.jobs = manyJobs(60));

const charts = [
  { name: 'the heat map of patterns', arrange: waves, address: wavesAt, title: 'Symbols by patterns', file: 'symbols-by-patterns', words: ['rare by chance'], colours: 6 },
  { name: 'the meters of a score', arrange: waves, address: wavesAt, title: 'Parts of the score', file: 'parts-of-the-score', words: ['Margins'], colours: 2 },
  { name: 'the agreement of models', arrange: compared, address: comparedAt, title: 'Agreement', file: 'agreement', words: ['low', 'high'], colours: 4 },
  { name: 'the distribution of labels', arrange: full, address: `/#/jobs/${done}`, title: 'Distribution', file: 'distribution', words: ['Negative', 'Neutral', 'Positive'], colours: 3 },
];

for (const { name, arrange, address, title, file, words, colours } of charts) {
  visit(`${name} is exported as CSV, SVG and PNG`, { arrange }, async ({ page, go }) => {
    await go(address);
    const part = page.locator('section').filter({ has: page.locator(':scope > h3, :scope > header h2', { hasText: new RegExp(`^${title}$`) }) });
    const figure = part.locator('figure').first();
    await figure.getByText('Show as a table').click();
    const content = {};
    for (const format of ['CSV', 'SVG', 'PNG']) {
      const saved = page.waitForEvent('download');
      await figure.getByRole('button', { name: format }).click();
      const download = await saved;
      assert.equal(download.suggestedFilename(), `${file}.${format.toLowerCase()}`);
      content[format] = await readFile(await download.path());
    }
    const svg = content.SVG.toString();
    const shown = [...svg.matchAll(/<text[^>]*>([^<]+)</g)].map(([, text]) => text.trim().replaceAll('\u00a0', ' '));
    for (const word of words) assert.ok(shown.some((text) => text.includes(word)), `“${word}” in ${shown.join(' | ')}`);
    const fills = new Set([...svg.matchAll(/<rect[^>]* fill="(rgb\([^"]*\))"/g)].map(([, fill]) => fill));
    assert.ok(fills.size >= colours, `${fills.size} colours`);
    assert.match(svg, /<rect width="100%" height="100%" fill="rgb\(/, 'the ground of the page');
    assert.doesNotMatch(svg, /color-mix|oklab|var\(/, 'colours that other programs cannot read');
    // Every number of the table stands in the drawing.
    const [, ...rows] = content.CSV.toString().trim().split('\r\n');
    for (const value of rows.map((row) => row.split(',').at(-1).replaceAll('"', ''))) assert.ok(shown.some((text) => text.includes(value)), value);
    assert.equal(content.PNG.readUInt32BE(16), 2 * Number(/ width="(\d+)"/.exec(svg)[1]), 'two pixels for each of the page');
  });
}

visit('a heat map that is scrolled is exported whole, and stays where it is', { ...views.find(({ name }) => name === 'report-waves-many'), width: 375 }, async ({ page, go }) => {
  await go(wavesAt);
  const part = page.locator('section').filter({ has: page.locator(':scope > header h2', { hasText: /^Symbols by patterns$/ }) });
  const frame = part.locator('.frame');
  await frame.evaluate((element) => element.scrollTo(40, 300));
  await part.getByText('Show as a table').click();
  const saved = page.waitForEvent('download');
  await part.getByRole('button', { name: 'SVG' }).click();
  const svg = await readFile(await (await saved).path(), 'utf8');
  const first = await part.getByRole('rowheader').first().textContent();
  const last = await part.getByRole('grid').getByRole('rowheader').last().textContent();
  const placeOf = (name) => Number(new RegExp(`<text x="[\\d.]+" y="([\\d.]+)"[^>]*>${name}<`).exec(svg)[1]);
  assert.ok(placeOf(last) - placeOf(first) > 512, 'more than the window of the chart');
  assert.deepEqual(await frame.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]), [40, 300]);
});

visit('the tables of charts are no wider than a phone', { arrange: waves, width: 320 }, async ({ page, go }) => {
  await go(wavesAt);
  await page.getByRole('heading', { name: 'Parts of the score' }).waitFor();
  const part = page.locator('section').filter({ has: page.locator(':scope > header h2', { hasText: /^Symbols by patterns$/ }) });
  await part.getByText('Show as a table').click();
  await part.getByRole('group', { name: /^Symbol, impulse up/ }).waitFor();
  assert.equal(await overflow(page), 0);
});
