// A network of 200 ms and 1 Mbit/s: what comes first, and that nothing breaks or jumps while the rest is on its way.
import assert from 'node:assert/strict';
import { manyJobs } from './fake/data.mjs';
import { limit, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

const network = { offline: false, latency: 200, downloadThroughput: 125_000, uploadThroughput: 125_000 }; // ms, bytes/s
const soon = limit(4_000); // until the frame stands and says that it loads
const usable = limit(8_000); // until the first answer
const mostShift = 0.05;

async function slow(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new MutationObserver(() => (globalThis.waited ||= document.querySelector('.skeleton') !== null)).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });
  });
}
/** Milliseconds since the page was asked for. */
const since = (page) => page.evaluate(() => performance.now());
const shifted = (page) => page.evaluate(() => globalThis.shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0));

const pages = {
  'home-full': 'Batch 16 fits', 'jobs-full': 'Port authority notices', 'report-training': 'Recommended batch', 'report-waves': 'Symbols', 'new-training': 'Submit job',
  'queue-full': 'Stopped', 'devices-full': 'crane-7', 'usage-full': 'Over time', 'service-accounts-full': 'nightly build', 'docs': 'Job kinds',
};
for (const [name, answer] of Object.entries(pages)) {
  const view = views.find((one) => one.name === name);
  visit(`${name}: the frame soon, then the answer, and nothing jumps`, { ...view, ofItsOwn: true }, async ({ page, go }) => {
    await slow(page);
    const went = go(view.address);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    assert.ok((await since(page)) < soon, `the frame stands after ${await since(page)} ms`);
    await page.getByText(answer).first().waitFor();
    const answered = await since(page);
    assert.ok(answered < usable, `answered after ${answered} ms`);
    await went;
    assert.ok(await page.evaluate(() => globalThis.waited), 'the page said that it loads');
    await view.ready(page);
    assert.ok((await shifted(page)) < mostShift, `layout shift ${await shifted(page)}`);
  });
}

visit('an impatient user submits one job', { ofItsOwn: true }, async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('button', { name: 'Fill in five sample headlines' }).click();
  await slow(page);
  await page.getByRole('button', { name: 'Submit job' }).dblclick();
  await page.getByRole('button', { name: 'Submit job' }).click({ force: true, timeout: 100 }).catch(() => undefined);
  await page.waitForURL(/#\/jobs\/job_/);
  assert.equal(server.calls.filter(({ name }) => name === 'POST /v1/jobs').length, 1);
});

visit('the last question is answered, however late the earlier answers come', { ofItsOwn: true }, async ({ page, server, go }) => {
  await go('/#/home');
  await page.getByText('Batch 16 fits').waitFor();
  await slow(page);
  for (const length of ['64', '256', '300']) await page.getByRole('textbox', { name: 'Tokens' }).fill(length);
  await until(() => server.calls.findLast(({ name }) => name === 'POST /v1/estimates')?.body.args.training.sequence_length === 300, 'the last question');
  await page.locator('[aria-busy="false"]').getByText('Batch 16 fits').waitFor();
});

visit('another page is reached while the first one still loads', { ofItsOwn: true, arrange: (server) => (server.jobs = manyJobs(60)) }, async ({ page, go }) => {
  await slow(page);
  void go('/#/jobs').catch(() => undefined);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Devices' }).click();
  await page.getByText('crane-7').first().waitFor();
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  assert.equal(await page.getByText('Port authority notices').count(), 0);
});
