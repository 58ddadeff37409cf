/** What was said about two attempts, and about a third that runs until the job ends; on two pages unless filtered. */
export function logs(fake, { call, response, json }, job) {
  const line = (task, attempt, number, level, source, text) => ({
    id: `${task}.${attempt}.${number}`, attempt_id: `${task}.${attempt}`, task, merge: false, attempt, at: '2026-03-02T12:00:00.000Z', level, source, text,
  });
  const all = [
    line(0, 1, 0, 'info', 'queue', 'Attempt 1 started on node-a, device opencl:0:0 (gpu).'),
    line(0, 1, 1, 'warning', 'worker', '2 of 10 texts failed: empty_text (2).'),
    line(0, 1, 1000, 'warning', 'queue', 'Done in 0.350 s: 8 items succeeded, 2 failed.'),
    line(1, 1, 1000, 'error', 'queue', 'Lost, and returned to the queue: The worker stopped responding.'),
    line(1, 1, 1001, 'error', 'supervisor', 'The worker process ended: killed by SIGKILL'),
    ...(job.finished_at !== null ? [line(1, 2, 0, 'info', 'queue', 'Attempt 2 started on node-a, device opencl:0:1 (gpu).')] : []),
  ];
  const { level, task, cursor } = Object.fromEntries(call.query);
  const rank = ['info', 'warning', 'error'];
  const found = all.filter((one) => rank.indexOf(one.level) >= rank.indexOf(level ?? 'info') && (task === undefined || one.task === Number(task)));
  const [items, next_cursor] = level || task ? [found, null] : cursor ? [found.slice(3), null] : [found.slice(0, 3), 'more'];
  json(response, 200, { items, next_cursor });
}
