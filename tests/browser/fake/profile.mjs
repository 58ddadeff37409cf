// A profile job's answers: recorded once from the real server, and turned as a test needs them.
import { makeJob } from './data.mjs';
import { recorded } from './recorded.mjs';

const summary = recorded.profileSummary;

export const profileJob = (fields = {}) =>
  makeJob('job_profile000000', {
    kind: 'profile',
    name: 'Is the new driver faster?',
    state: 'succeeded',
    args: { mode: summary.mode },
    started_at: new Date().toISOString(),
    finished_at: new Date().toISOString(),
    progress: { items_total: 10, items_done: 10, items_failed: 0, eta_seconds: null },
    ...fields,
  });

export const profileReport = (job, fields = {}) => ({
  job_id: job.id,
  kind: job.kind,
  created_at: job.finished_at,
  items: { total: 10, ok: 10, failed: 0 },
  summary: { ...structuredClone(summary), ...fields },
});

/** The host has no device: the model alone was measured. */
export const noDevice = {
  engine: null,
  errors: [{ index: 0, part: 'engine/peak', error_code: 'not_found', error: 'This worker has no OpenCL device.' }],
};

/** Nothing is fast enough. */
export function noBatch() {
  const curve = structuredClone(summary.engine.batches);
  const none = { recommended_batch: null, recommended_items_per_second: null, best_batch: null, best_items_per_second: null };
  const reason = 'No batch is within the limits: batches of 1 take 0.47 ms at the 95th percentile, and the limit is 0.1 ms.';
  return { results: [], engine: { ...structuredClone(summary.engine), batches: { ...curve, ...none, reason, measured: 1, points: curve.points.slice(0, 1) } } };
}

/** Which reports are compared: here those of a name of device. */
const comparisonKeyOf = (report) => `${report.summary.mode} on ${report.summary.device.name} (${report.summary.device.type}, ${report.summary.device.compute_units} units), batches up to 4096`;

const baselineOf = (fake, job) => fake.baselines.find(({ baseline }) => baseline.comparison_key === comparisonKeyOf(fake.reports.get(job.id)));

export function readBaseline(fake, { response, json }, job) {
  const found = baselineOf(fake, job);
  const gone = found && !fake.job(found.baseline.job_id);
  json(response, 200, {
    comparison_key: comparisonKeyOf(fake.reports.get(job.id)),
    baseline: found ? { ...found.baseline, job_id: gone ? null : found.baseline.job_id } : null,
    summary: found?.summary ?? null,
  });
}

/** A report as it stands when the team has pinned it. */
export const pinnedReport = (job, report) => ({
  baseline: { id: `base_of_${job.id}`, kind: job.kind, comparison_key: comparisonKeyOf(report), job_id: job.id, pinned_by: 'ada', pinned_at: new Date().toISOString() },
  summary: report.summary,
});

export function pinReport(fake, { response, json }, job) {
  const before = baselineOf(fake, job);
  const pinned = pinnedReport(job, fake.reports.get(job.id));
  fake.baselines = [...fake.baselines.filter((one) => one !== before), pinned];
  json(response, 200, pinned.baseline);
}

export function unpin(fake, { response, parameters, json }) {
  fake.baselines = fake.baselines.filter(({ baseline }) => baseline.id !== parameters[0]);
  json(response, 204);
}
