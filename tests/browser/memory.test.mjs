// An hour of live events in minutes: a page that is left open on the second screen takes no more memory than at its start.
// PLIMSOLL_LONG_TESTS=1 makes it the whole hour; otherwise it is a minute of it.
import assert from 'node:assert/strict';
import { busyQueue, makeJob, manyJobs } from './fake/data.mjs';
import { visit } from './support/setting.mjs';

const minutes = process.env.PLIMSOLL_LONG_TESTS ? 60 : 1;
const perSecond = 4; // the most snapshots of a job that the server sends
const mostBytes = 1024 * 1024; // growth of the heap after its garbage is collected
const mostNodes = 200; // growth of the document

/** What the page holds once its garbage is collected. */
async function held(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const value = (name) => metrics.find((one) => one.name === name).value;
  return { bytes: value('JSHeapUsedSize'), nodes: value('Nodes'), listeners: value('JSEventListeners') };
}

function compare(name, before, after) {
  console.log(`# ${name}: ${minutes} minutes, ${(before.bytes / 2 ** 20).toFixed(2)} -> ${(after.bytes / 2 ** 20).toFixed(2)} MiB, ${before.nodes} -> ${after.nodes} nodes, ${before.listeners} -> ${after.listeners} listeners`);
  assert.ok(after.bytes - before.bytes < mostBytes, `the heap grew by ${after.bytes - before.bytes} bytes`);
  assert.ok(after.nodes - before.nodes < mostNodes, `the document grew by ${after.nodes - before.nodes} nodes`);
}

const total = 1_000_000;
const running = (server) => {
  server.jobs = manyJobs(60);
  server.queue = busyQueue();
  server.add(makeJob('job_r', { name: 'Long one', state: 'running', started_at: new Date().toISOString(), progress: { items_total: total, items_done: 0 } }));
};

visit('the page of a running job', { arrange: running, ofItsOwn: true }, async ({ page, server, go }) => {
  let sent = 0;
  /** Sends so many snapshots, each seen before the next ones come. The page's clock goes with them: it measures the speed
      over the last seconds, and keeps what it has heard for as long. */
  async function send(amount) {
    for (const end = sent + amount; sent < end; ) {
      sent += 1;
      server.update('job_r', { progress: { items_done: sent, eta_seconds: total - sent } });
      if (sent % 20 !== 0) continue;
      await page.getByText(`${sent.toLocaleString('en-GB')} of`).first().waitFor();
      await page.clock.runFor((20 / perSecond) * 1_000);
    }
  }
  await page.clock.install();
  await go('/#/jobs/job_r');
  await page.getByText('0 of').first().waitFor();
  while (server.followers('job_r') === 0) await new Promise(setImmediate);
  await send(400); // the speed's window is full, the code is compiled
  const before = await held(page);
  await send(minutes * 60 * perSecond);
  compare('job', before, await held(page));
});

// Pages that ask again and again: their clock runs ahead, each answer differs from the one before.
const polled = { home: ['/#/home', 'Long one'], jobs: ['/#/jobs', 'Long one'], queue: ['/#/queue', 'Stopped'], devices: ['/#/devices', 'crane-7'] };
for (const [name, [address, words]] of Object.entries(polled)) {
  visit(`the page "${name}"`, { arrange: running, ofItsOwn: true }, async ({ page, server, go }) => {
    let asked = 0;
    server.onCall = () => {
      asked += 1;
      Object.assign(server.job('job_r').progress, { items_done: asked });
    };
    await page.clock.install();
    await go(address);
    await page.getByText(words).first().waitFor();
    /** Lets the time run; each second's calls are answered before the next one. */
    async function run(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        await page.clock.runFor(1_000);
        await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 50 })));
      }
    }
    await run(60);
    const before = await held(page);
    const first = asked;
    await run(minutes * 60);
    assert.ok(asked - first > minutes * 5, `the page asked only ${asked - first} times`);
    compare(name, before, await held(page));
  });
}
