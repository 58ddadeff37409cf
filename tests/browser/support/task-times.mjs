// How long the tasks of a page's main thread held the processor, whatever else the machine was doing meanwhile.

/** Milliseconds of the processor that no task of a page may exceed. A busy machine makes a task that moves between
    processors longer than it is: only the full form of a test, which has a machine to itself, holds this limit. */
export const longestTask = process.env.PLIMSOLL_LONG_TESTS ? 50 : Infinity;

const category = 'disabled-by-default-devtools.timeline';

/** Watches a page's tasks until `end`. Chromium keeps so much and no more: whoever watches for long calls `drain` now and
    then; tasks while it does are not counted. */
export async function watchTasks(page) {
  const session = await page.context().newCDPSession(page);
  const threads = new Set(); // main threads of pages, by process and thread
  const times = []; // [process and thread, milliseconds of processor time]
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, ph, pid, tid, tdur, args } of value) {
      if (ph === 'M' && name === 'thread_name' && args.name === 'CrRendererMain') threads.add(`${pid} ${tid}`);
      if (name === 'RunTask' && tdur !== undefined) times.push([`${pid} ${tid}`, tdur / 1000]);
    }
  });
  const start = () => session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: [category] } });
  async function stop() {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    const { dataLossOccurred } = await complete;
    if (dataLossOccurred) throw new Error('the trace is not complete');
  }
  await start();
  return {
    async drain() {
      await stop();
      await start();
    },
    /** How many tasks ran and how long the longest one took, in milliseconds of processor time. */
    async end() {
      await stop();
      await session.detach();
      const own = times.filter(([thread]) => threads.has(thread)).map(([, time]) => time);
      if (own.length === 0) throw new Error('no task of the page was traced');
      return { tasks: own.length, longest: own.reduce((most, time) => Math.max(most, time), 0) };
    },
  };
}
