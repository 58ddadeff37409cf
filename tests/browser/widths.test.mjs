// What a window's width leaves room for, from a phone to 4K.
import assert from 'node:assert/strict';
import { makeJob, manyJobs } from './fake/data.mjs';
import { trainingJob, trainingReport } from './fake/training.mjs';
import { wavesJob, wavesReport } from './fake/waves.mjs';
import { overflow, until } from './support/browser.mjs';
import { longNamed } from './support/arrangements.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

const name = 'Statements of all companies'; // 27 letters

const named = (server) => (server.jobs = [makeJob('job_named', { name, state: 'succeeded' })]);

visit('at 1280 px, the list of jobs shows a name of 27 letters', { width: 1280, arrange: named }, async ({ page, go }) => {
  await go('/#/jobs');
  const link = page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name });
  await link.waitFor();
  const [needed, shown] = await link.evaluate((element) => [element.scrollWidth, element.clientWidth]);
  assert.ok(needed <= shown, `${needed} px of ${shown}`);
});

for (const [width, words] of [[375, /^[\d,]+$/], [1280, /^invalid at [\d,]+$/]]) {
  visit(`at ${width} px, the words of a price level stand behind the drawing`, { width, arrange: (server) => server.add(wavesJob()) }, async ({ page, go }) => {
    await go('/#/jobs/job_waves0000000');
    const chart = page.getByRole('slider', { name: /^Bar of the chart/ }).first();
    const level = chart.locator('text.limit');
    await level.waitFor();
    assert.match(await level.textContent(), words);
    const [text, frame, ...lines] = await Promise.all([level, chart, chart.locator('polyline').first(), chart.locator('path.close')].map((one) => one.boundingBox()));
    for (const line of lines) assert.ok(text.x >= line.x + line.width, 'behind the prices and the count');
    assert.ok(text.x + text.width <= frame.x + frame.width, 'within the chart');
  });
}

visit('on 4K, a page takes 60 % of the window', { width: 3840, height: 2160, arrange: named }, async ({ page, go }) => {
  await go('/#/jobs');
  const { width } = await page.getByRole('table', { name: 'Jobs' }).boundingBox();
  assert.ok(width > 0.55 * 3840, `${width} px`);
});

visit('at 400 % the bar is two lines high, and leaves the window to the page', { width: 320, height: 225, arrange: (server) => (server.jobs = manyJobs(60)) }, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByRole('link', { name: 'Morning headlines' }).first().waitFor();
  const bar = page.getByRole('banner');
  const { height } = await bar.boundingBox();
  assert.ok(height < 110, `the bar is ${height} px high`);
  await page.evaluate(() => scrollTo(0, 400));
  assert.ok((await bar.boundingBox()).y < -height, 'the bar scrolls with the page');
});

/** With a number of the guides as long as the real server writes some. */
function longGuide(server) {
  const job = server.add(trainingJob());
  const report = structuredClone(trainingReport(job));
  for (const gpu of report.summary.gpus) for (const { rows } of gpu.guides) Object.assign(rows[0], { guide: 12_345.67, ours: 12_345.67, unit: 'samples in each second' });
  server.reports.set(job.id, report);
}

visit('at 320 px, the values of the guides break into lines', { width: 320, arrange: longGuide }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  const values = page.getByRole('region', { name: 'Values from the guides' });
  await values.locator('summary').waitFor();
  assert.equal(await values.getByRole('table').count(), 0, 'whoever does not know the guides reads nothing of them');
  await values.locator('summary').click();
  await page.getByText('12,345.67 samples in each second').first().waitFor();
  assert.equal(await overflow(page), 0);
});

for (const width of [768, 1280]) {
  visit(`at ${width} px, the documentation's tables fit into their cards, and options do not break`, { width, signedOut: true }, async ({ page, go }) => {
    for (const [topic, last] of [['commands', 'plimsoll manual'], ['settings', 'Variables without effect'], ['measured', 'Waves']]) {
      await go(`/#/docs/${topic}`);
      await page.getByRole('heading', { name: last, exact: true }).waitFor();
      const wide = await page.getByRole('region', { name: /^table:/ }).evaluateAll((frames) =>
        frames.filter((frame) => frame.scrollWidth > frame.clientWidth).map((frame) => frame.getAttribute('aria-label')));
      assert.deepEqual(wide, []);
    }
    await go('/#/docs/commands');
    const option = page.getByRole('cell', { name: '--safety-margin', exact: true }).locator('code').first();
    await option.waitFor();
    assert.equal(await option.evaluate((code) => code.getClientRects().length), 1);
  });
}

visit('on a phone, no code is behind its copy button', { width: 375, signedOut: true }, async ({ page, go }) => {
  await go('/#/docs/quick-start');
  const button = page.getByRole('button', { name: /^Copy / }).first();
  await button.waitFor();
  const code = await page.locator('pre').first().boundingBox();
  assert.ok(code.x + code.width <= (await button.boundingBox()).x);
});

for (const [name, address, back] of [['job', '/#/jobs/job_nowhere', 'Jobs'], ['dataset', '/#/datasets/data_nowhere', 'Datasets']]) {
  visit(`on a phone, a ${name} that does not exist says so below its title`, { width: 375 }, async ({ page, go }) => {
    await go(address);
    const problem = page.getByRole('heading', { name: 'Not found' });
    await problem.waitFor();
    await page.getByRole('main').getByRole('link', { name: back }).waitFor();
    const title = await page.getByRole('heading', { level: 1 }).boundingBox();
    const gap = (await problem.boundingBox()).y - title.y - title.height;
    assert.ok(gap < 140, `${gap} px: room for what will not come`); // of its actions alone: 100 px
  });
}

const inWindow = ({ x, width }, window) => x >= 0 && x + width <= window;

visit('at 320 px, the account menu is within the window', { width: 320 }, async ({ page, server, go }) => {
  server.myTeams.push({ team: { ...server.team, id: 'team_trading', name: 'trading of grain, ore and everything else that floats' }, role: 'member' });
  await go('/#/jobs');
  await page.getByLabel(/^Account:/).click();
  await page.getByRole('button', { name: /trading/ }).waitFor();
  for (const name of [/trading/, 'Sign out']) {
    assert.ok(inWindow(await page.getByRole('button', { name }).boundingBox(), 320), String(name));
  }
});

visit('on a phone, everything of an attempt is in sight, and the chosen state of the jobs list, too', { width: 375, arrange: (server) => (server.jobs = manyJobs(60)) }, async ({ page, server, go }) => {
  const { id } = server.jobs.find(({ state }) => state === 'running');
  await go(`/#/jobs/${id}`);
  const cells = page.getByRole('table', { name: 'Attempts' }).getByRole('row').nth(1).getByRole('cell');
  await cells.first().waitFor();
  for (const cell of await cells.all()) assert.ok(inWindow(await cell.boundingBox(), 375), await cell.textContent());
  await go('/#/jobs?state=failed');
  await page.getByRole('radio', { name: /^Failed \d/ }).waitFor();
  await until(async () => inWindow(await page.getByText(/^Failed\s\d/).first().boundingBox(), 375), 'the chosen state');
});

const reported = views.find(({ name }) => name === 'report-full');
visit('headline numbers stand on one line, whatever their labels', { width: 1280, arrange: reported.arrange }, async ({ page, go }) => {
  await go(reported.address);
  const valueOf = async (label) => (await page.locator('.stat', { hasText: label }).locator('.value').boundingBox()).y;
  await page.getByText('Standard deviation').evaluate((label) => (label.textContent = 'Standard deviation of every score'));
  const label = async (text) => (await page.getByText(text, { exact: true }).boundingBox()).height;
  assert.ok((await label('Standard deviation of every score')) > (await label('Lowest')), 'one label has two lines');
  assert.equal(await valueOf('Standard deviation'), await valueOf('Lowest'));
});

const longNames = (server) => {
  const made = wavesReport(server.add(wavesJob()));
  made.summary.ranking[0].symbol = 'AN-EXTRAORDINARILY-LONG-SYMBOL-THAT-NOBODY-SHORTENED.DE';
  server.reports.set(made.job_id, made);
};
for (const width of [1024, 1440]) {
  visit(`at ${width} px a table stays a table, whatever its longest cell`, { width, arrange: longNames }, async ({ page, go }) => {
    await go('/#/jobs/job_waves0000000');
    const table = page.getByRole('table', { name: 'Symbols' });
    await table.getByRole('button', { name: /^AN-EXTRA/ }).waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.equal(await table.evaluate((element) => getComputedStyle(element).display), 'table');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });
}

for (const name of ['jobs-full', 'job-queued', 'schedules-full', 'datasets-full', 'devices-full', 'queue-member', 'tokens-full', 'people', 'teams', 'webhooks-full', 'models']) {
  const view = longNamed(views.find((one) => one.name === name));
  visit(`on a phone, ${name} breaks names of 80 letters`, { ...view, width: 375 }, async ({ page, go }) => {
    await go(view.address);
    await view.ready(page);
    await until(async () => (await overflow(page)) === 0, 'a page that does not scroll sideways');
  });
}
