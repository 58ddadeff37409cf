// The list of jobs of the stand-in: filters, pages and counts.
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
      (!submitter || job.submitter.name === submitter) &&
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
