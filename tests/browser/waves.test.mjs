// The pages of wave counts: the form, the report that turns to a symbol, charts to take along.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { rows, wavesJob, wavesReport } from './fake/waves.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const form = '/#/new/waves';
const report = '/#/jobs/job_waves0000000';
const arrange = (server) => server.add(wavesJob());
const submits = (server) => server.calls.filter(({ name }) => name === 'POST /v1/jobs');
const asked = (server) => server.calls.filter(({ name }) => name === 'GET /v1/jobs/job_waves0000000/results.jsonl');
const panelOf = (page, symbol) => page.getByRole('region', { name: symbol, exact: true });

visit('the sample is filled in and sent with the settings', async ({ page, server, go }) => {
  await go(form);
  await page.getByRole('button', { name: 'Fill in sample closes' }).click();
  await page.getByText('7,441 lines').waitFor();
  await page.getByLabel('Chance series', { exact: true }).fill('250');
  await page.getByLabel('Only these symbols').fill('DAX, SMI');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByText('More settings').click();
  await page.getByLabel('Other settings').fill('# as in a configuration file\nup_to: 15\nweights: {"time": 0.5}\n');
  await page.getByRole('textbox', { name: 'Name' }).fill('Indices');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { name: 'Indices' }).waitFor();
  const { prices, ...args } = submits(server)[0].body.args;
  assert.equal(prices.split('\n')[0], 'symbol,close');
  assert.deepEqual(args, {
    format: 'csv', preset: 'whole', mode: 'standard', top_n: 10, surrogates: 250, surrogate_method: 'shuffle', seed: 1,
    days: 500, up_to: 15, weights: { time: 0.5 }, symbols: ['DAX', 'SMI'], time_zone: 'Europe/Berlin',
  });
  // How to count is remembered; what to count is not.
  await go(form);
  const held = () => Promise.all(['Chance series', 'Time zone', 'Only these symbols', 'Prices'].map((label) => page.getByLabel(label, { exact: label !== 'Only these symbols' && label !== 'Time zone' }).inputValue()));
  assert.deepEqual(await held(), ['250', 'Europe/Berlin', '', '']);
});

visit('errors are shown beside their fields', async ({ page, server, go }) => {
  await go(form);
  await page.getByLabel('Prices', { exact: true }).fill('close\n1\n');
  const detail = 'must be at most 100000';
  server.faults.set('POST /v1/jobs', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/args/surrogates', detail }] });
  const surrogates = page.getByLabel('Chance series', { exact: true });
  await surrogates.fill('1000000');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText(detail).waitFor();
  assert.equal(await surrogates.getAttribute('aria-invalid'), 'true');
  await page.getByText('More settings').click();
  await page.getByLabel('Other settings').fill('nonsense');
  await page.getByText('Line 1 must have the form').waitFor();
  await page.getByRole('button', { name: 'Submit job' }).click();
  assert.equal(submits(server).length, 1, 'nothing may be sent that cannot be read');
});

/** Only the first symbol of the ranking has a count that still holds. */
const oneLive = (server) => {
  const made = wavesReport(server.add(wavesJob()));
  made.summary.ranking.forEach((row, place) => (row.best.invalidated = place > 0));
  server.reports.set(made.job_id, made);
};
visit('invalidated counts say so, below those that are still valid', { arrange: oneLive }, async ({ page, server, go }) => {
  await go(report);
  const symbol = [...server.reports.values()][0].summary.ranking[0].symbol;
  const rows = page.getByRole('table', { name: 'Symbols' }).getByRole('row');
  await rows.nth(1).getByRole('button', { name: symbol, pressed: true }).waitFor();
  await rows.nth(2).getByText('crossed').waitFor();
  await panelOf(page, symbol).waitFor();
});

visit('the report shows the chosen symbol, by keyboard too', { arrange }, async ({ page, server, go }) => {
  await go(report);
  const grid = page.getByRole('grid', { name: 'Symbols by patterns' });
  await grid.waitFor();
  const first = await grid.getByRole('rowheader').allTextContents();
  await panelOf(page, first[0]).getByRole('heading', { name: 'Significance of the score' }).waitFor();
  await grid.locator('[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await panelOf(page, first[1]).getByRole('heading', { name: 'Significance of the score' }).waitFor();
  const index = rows.find(({ symbol }) => symbol === first[1]).index;
  await until(() => asked(server).at(-1).query.get('offset') === String(index), 'the row of the second symbol');
  assert.equal(asked(server).at(-1).query.get('limit'), '1');
});

visit('a chart is read bar by bar and exported as SVG and PNG', { arrange }, async ({ page, go }) => {
  await go(report);
  const chart = page.getByRole('slider', { name: /^Bar of the chart/ });
  await chart.focus();
  await page.keyboard.press('Home');
  const first = await chart.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowRight');
  await until(async () => (await chart.getAttribute('aria-valuetext')) !== first, 'the next bar');
  for (const [name, beginning] of [['SVG', '<svg'], ['PNG', '\x89PNG']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    const content = await readFile(await download.path(), 'latin1');
    assert.ok(content.startsWith(beginning), `${name} begins with ${content.slice(0, 20)}`);
    if (name === 'SVG') assert.match(content, /<polyline[^>]* stroke="rgb/, 'the count keeps its colour outside the page');
  }
});

visit('the report leads with what is live at the last bar, and folds what is over', { arrange }, async ({ page, go }) => {
  await go(report);
  await page.getByText('of 4 symbols, 1 failed').waitFor();
  const first = page.getByRole('table', { name: 'Symbols' }).getByRole('row').nth(1);
  const { symbol, report: found } = rows.find(({ symbol: name }) => name === 'FTSE');
  await first.getByText(`${found.live[0].pattern}${found.live[0].outlook.expects}`).waitFor();
  const panel = panelOf(page, symbol);
  await panel.getByRole('heading', { name: 'Live at the last bar' }).waitFor();
  await panel.getByText('last 5,455').first().waitFor();
  assert.equal(await panel.getByText(/^(Invalidated|Over):/).count(), 0, 'what is over says nothing yet');
  await panel.getByText(/^What is over: \d+ counts?$/).click();
  await panel.getByText(/^(Invalidated|Over):/).first().waitFor();
});

/** The same counts, none of them live. */
const noneLive = (server) => {
  const job = server.add(wavesJob());
  const over = (counts) => counts.map((count) => ({ ...count, outlook: { ...count.outlook, live: false } }));
  server.results.set(job.id, rows.map((row) => ({
    ...row, live: null, report: row.report && { ...row.report, live: [], counts: over(row.report.counts), in_progress: over(row.report.in_progress) },
  })));
  const made = wavesReport(job);
  for (const ranked of made.summary.ranking) ranked.live = null;
  server.reports.set(job.id, made);
};
visit('nothing live is an answer', { arrange: noneLive }, async ({ page, go }) => {
  await go(report);
  await page.getByRole('heading', { name: 'Nothing is live at the last bar' }).waitFor();
  await page.getByRole('table', { name: 'Symbols' }).getByRole('row').nth(1).getByText('nothing').waitFor();
  await page.getByText(/^What is over: \d+ counts$/).click();
  await page.getByText(/^(Invalidated|Over):/).first().waitFor();
});

visit('rarities are shown with scores, and explained', { arrange }, async ({ page, go }) => {
  await go(report);
  await page.getByText(/^Rarity [\d.]+: .*random walk/).waitFor();
  await page.getByText(/^What is over/).click();
  await page.getByText(/Highest rarities in 200 chance series/).waitFor();
  await page.getByRole('table', { name: 'Symbols' }).getByText(/^rarity [\d.]+/).first().waitFor();
});

visit('counts in progress show the expected move', { arrange }, async ({ page, go }) => {
  await go(report);
  const counts = page.getByRole('combobox', { name: 'Live count' });
  await counts.selectOption({ label: (await counts.getByRole('option').allTextContents()).find((text) => text.includes(' in progress,')) });
  await page.getByText('Counts in progress are not compared with chance series').waitFor();
  await page.getByText('is in progress.').first().waitFor();
});

const checks = (server) => server.calls.filter(({ name }) => name === 'POST /v1/waves-checks');
const lastEnds = (server) => checks(server).at(-1)?.body.ends;

visit('a count of the report is changed and every rule checked again', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await page.getByText('Check a count of your own').click();
  await page.getByRole('button', { name: 'Start from the count above' }).click();
  await page.getByText(/satisfies every rule|Every rule is satisfied so far/).waitFor();
  const { job_id, index, pattern, ends } = checks(server).at(-1).body;
  const best = rows.find((row) => row.index === index).report.live[0];
  assert.deepEqual({ job_id, pattern, ends }, { job_id: 'job_waves0000000', pattern: best.rule_name, ends: best.pivots });
  const second = page.getByLabel(/^End of (1|A)\b/);
  await second.fill(String(best.pivots[1] + 1));
  await second.press('Enter');
  await page.getByText(/breaks 1 rule/).waitFor();
  await page.getByRole('row', { name: /Wave B ends above the start of A/ }).getByText('broken').waitFor();
  assert.deepEqual(lastEnds(server), [best.pivots[0], best.pivots[1] + 1, ...best.pivots.slice(2)]);
  await page.getByRole('button', { name: 'Undo the last end' }).click();
  await until(() => lastEnds(server)?.length === best.pivots.length - 1, 'a count under way');
});

visit('ends are chosen on the chart, by keyboard and by pointer', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await page.getByText('Check a count of your own').click();
  await page.getByRole('combobox', { name: 'Pattern', exact: true }).selectOption('zigzag');
  await page.getByText('Next: the start, a low.').waitFor();
  await page.getByRole('group', { name: 'Bars to draw on' }).getByRole('radio', { name: 'Whole series' }).check();
  const chart = page.getByRole('slider', { name: /for drawing a count$/ });
  await chart.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText('Next: the end of wave A, a high.').waitFor();
  assert.equal(checks(server).length, 0, 'one end is no count yet');
  const box = await chart.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByText('Next: the end of wave B, a low.').waitFor();
  await until(() => lastEnds(server)?.length === 2, 'a first wave');
  const [from, to] = lastEnds(server);
  assert.ok(from < 10 && to > 50, `${from} to ${to}`);
});

visit('the error of an end is shown beside it', { arrange }, async ({ page, server, go }) => {
  const detail = 'There is no bar "soon".';
  server.faults.set('POST /v1/waves-checks', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/ends/1', detail }] });
  await go(report);
  await page.getByText('Check a count of your own').click();
  await page.getByRole('button', { name: 'Start from the count above' }).click();
  await page.getByText(detail).waitFor();
  assert.equal(await page.getByLabel(/^End of (1|A)\b/).getAttribute('aria-invalid'), 'true');
});

const replays = (server) => server.calls.filter(({ name }) => name === 'POST /v1/waves-replays');

visit('bars are replayed one by one, each with its changes', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText(/^Bar 20 of 20/).waitFor();
  const [{ body }] = replays(server);
  assert.deepEqual([body.job_id, body.last], ['job_waves0000000', 20]);
  await page.getByText('This bar did not change the ranking.').waitFor();
  const table = page.getByRole('region', { name: 'All bars of the replay' });
  await table.getByRole('row').nth(14).getByRole('button').click();
  await page.getByText(/^Bar 14 of 20/).waitFor();
  const changed = page.getByRole('group', { name: 'What this bar changed' });
  for (const word of ['Invalidated, 1', 'Left the ranking, 1', 'Entered the ranking, 1']) await changed.getByRole('heading', { name: word }).waitFor();
  await page.getByRole('button', { name: 'Previous bar' }).click();
  await page.getByText(/^Bar 13 of 20/).waitFor();
  await page.getByRole('combobox', { name: 'How many' }).selectOption('50');
  await page.getByText(/^Bar 50 of 50/).waitFor();
});

visit('new bars are replayed after the series', { arrange }, async ({ page, server, go }) => {
  await go(report);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByRole('radio', { name: 'Pasted bars' }).check();
  const field = page.getByLabel('New bars', { exact: true });
  await field.fill('close\n5473.7\n5480.1\n5481\n');
  await page.getByRole('button', { name: 'Replay these bars' }).click();
  await page.getByText(/^Bar 3 of 3/).waitFor();
  const { prices, format, last } = replays(server).at(-1).body;
  assert.deepEqual([prices, format, last], ['close\n5473.7\n5480.1\n5481\n', 'csv', undefined]);
  server.faults.set('POST /v1/waves-replays', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/prices', detail: 'A price is zero.' }] });
  await field.fill('close\n0\n');
  await page.getByRole('button', { name: 'Replay these bars' }).click();
  await page.getByText('A price is zero.').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
});

visit('settings that cannot be replayed are reported', { arrange }, async ({ page, server, go }) => {
  const detail = 'Series must be searched as a whole.';
  server.faults.set('POST /v1/waves-replays', { status: 422, title: 'Unprocessable content', errors: [{ pointer: '/windows', detail }] });
  await go(report);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText(`This series cannot be replayed. ${detail}`).waitFor();
});

/** The report whose search met this cap; none: that saw everything. */
const capped = (...omissions) => (server) => {
  const job = server.add(wavesJob());
  server.reports.set(job.id, wavesReport(job, { complete: omissions.length === 0, omissions }));
};
const searched = (page) => page.getByRole('region', { name: 'What was searched' });
const missing = 'Some counts may be missing';

visit('a complete search says so', { arrange: capped() }, async ({ page, go }) => {
  await go(report);
  await searched(page).getByText('The search is complete: no cap was reached.').waitFor();
  assert.equal(await page.getByText(missing).count(), 0);
});

visit('a search that met a cap says which, at the top, too', { arrange: capped('8 windows were cut by max_combinations.') }, async ({ page, go }) => {
  await go(report);
  await searched(page).getByText('8 windows were cut by max_combinations.').waitFor();
  await page.getByText(missing).waitFor();
  assert.equal(await page.getByText('The search is complete').count(), 0);
});
