// How long the tasks of a page's main thread held the processor, whatever else the machine was doing meanwhile.

const category = 'disabled-by-default-devtools.timeline';

/** Runs `work` and answers how many tasks ran and how long the longest one took, in milliseconds of processor time. */
export async function taskTimes(page, work) {
  const session = await page.context().newCDPSession(page);
  const threads = new Map(); // main threads of pages, by process and thread
  const times = []; // [process and thread, milliseconds]
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, ph, pid, tid, tdur, args } of value) {
      if (ph === 'M' && name === 'thread_name' && args.name === 'CrRendererMain') threads.set(`${pid} ${tid}`, true);
      if (name === 'RunTask' && tdur !== undefined) times.push([`${pid} ${tid}`, tdur / 1000]);
    }
  });
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: [category], recordMode: 'recordAsMuchAsPossible' } });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  const { dataLossOccurred } = await complete;
  if (dataLossOccurred) throw new Error('the trace is not complete');
  await session.detach();
  const own = times.filter(([thread]) => threads.has(thread)).map(([, time]) => time);
  if (own.length === 0) throw new Error('no task of the page was traced');
  return { tasks: own.length, longest: Math.max(...own) };
}
