// Jobs of the stand-in: the list with its filters, pages and counts, and the log of each.
const textOf = (job) => [job.name, job.kind, JSON.stringify(job.labels), JSON.stringify(job.args)].join('\n').toLowerCase();

/** What the server makes of the words of a filter, in a query or a body. */
export function matchingJobs(fake, { kind, state, label, submitter, from, to, device_class, device, text }) {
  const [name, value] = (label ?? '').split('=');
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return fake.jobs.filter(
    (job) =>
      (!kind || job.kind === kind) &&
      (!state || job.state === state) &&
      (!label || (name in job.labels && (value === undefined || job.labels[name] === value))) &&
      (!submitter || [job.submitter.name, job.submitter.id].includes(submitter)) &&
      (!from || job.created_at >= from) &&
      (!to || job.created_at < to) &&
      (!device_class || job.device_class === device_class) &&
      (!device || job.ran_on === device) &&
      words.every((word) => job.id === word || textOf(job).includes(word)),
  );
}

export function listJobs(fake, { call, response, json }) {
  const query = Object.fromEntries(call.query);
  const matching = matchingJobs(fake, query);
  const from = Number(query.cursor ?? 0);
  const next = from + fake.pageSize;
  json(response, 200, { items: matching.slice(from, next), next_cursor: next < matching.length ? String(next) : null });
}

export function countJobs(fake, { call, response, json }) {
  const jobs = { scheduled: 0, queued: 0, running: 0, cancelling: 0, succeeded: 0, failed: 0, cancelled: 0 };
  for (const { state } of matchingJobs(fake, Object.fromEntries(call.query))) jobs[state] += 1;
  json(response, 200, { jobs, complete: true });
}

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
