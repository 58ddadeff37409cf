// A long list of jobs on the real server, scrolled from end to end; prints how long its tasks held the processor.
// PLIMSOLL_LONG_TESTS=1 makes it a hundred thousand jobs, without a task over 50 ms.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, openPage, until } from './support/browser.mjs';
import { startReal } from './support/real-server.mjs';
import { longestTask, watchTasks } from './support/task-times.mjs';

const amount = process.env.PLIMSOLL_LONG_TESTS ? 100_000 : 2_000;
const inBundle = 2_000;

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

/** Jobs that wait for the next century, as somebody with this page's session submits them. */
async function submit(jobs) {
  const states = await page.evaluate(async (bundle) => {
    const { csrf_token } = await (await fetch('/v1/users/me')).json();
    const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf_token };
    const answer = await fetch('/v1/job-bundles', { method: 'POST', headers, body: JSON.stringify({ jobs: bundle }) });
    return answer.status;
  }, jobs);
  assert.equal(states, 202);
}

const rows = () => page.getByRole('table', { name: 'Jobs' }).getByRole('row');
const lastRow = async () => Number(await rows().last().getAttribute('aria-rowindex'));

test(`${amount} jobs scroll from end to end`, async () => {
  for (let from = 0; from < amount; from += inBundle) {
    await submit(
      Array.from({ length: Math.min(inBundle, amount - from) }, (_, index) => ({
        kind: 'sentiment',
        name: `Headlines ${from + index}`,
        labels: { desk: index % 2 ? 'ore' : 'energy' },
        run_at: '2100-01-02T03:04:05Z',
        args: { texts: ['calm'] },
      })),
    );
  }
  await page.goto(`${server.url}/#/jobs`);
  await page.getByRole('link', { name: `Headlines ${amount - 1}`, exact: true }).waitFor();

  const tasks = await watchTasks(page);
  await page.mouse.move(600, 500);
  // A wheel that never stops; how fast older jobs come is the machine's affair, but they must come.
  for (let reached = 0, steps = 1; reached <= amount; steps += 1) {
    const before = reached;
    await until(async () => {
      await page.mouse.wheel(0, 8_000);
      reached = await lastRow();
      return reached > before;
    }, `jobs behind the ${before}th`);
    if (steps % 40 === 0) await tasks.drain();
  }
  await tasks.drain();
  for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -amount / 2);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('link', { name: `Headlines ${amount - 1}`, exact: true }).waitFor();
  const measured = await tasks.end();
  const elements = await page.locator('*').count();
  console.log(`${amount} jobs: ${measured.tasks} tasks, the longest ${measured.longest.toFixed(1)} ms; ${elements} elements`);
  assert.ok(measured.longest <= longestTask, `a task of ${measured.longest.toFixed(1)} ms`);
  assert.ok(elements < 1_500, `${elements} elements`);
  assert.deepEqual(page.complaints, []);
});
