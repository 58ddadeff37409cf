// The round trip of README.md with the typescript-fetch client that OpenAPI Generator makes.
import { Configuration, JobsApi, ResponseError, type JobResults, type Problem, type Report } from './index.js';

const { PLIMSOLL_SERVER, PLIMSOLL_TOKEN, TRAINING_JOB, WAVES_JOB, PROFILE_JOB } = process.env as Record<string, string>;
const jobs = new JobsApi(new Configuration({ basePath: PLIMSOLL_SERVER, accessToken: PLIMSOLL_TOKEN }));

let job = await jobs.createJob({ jobSpec: { kind: 'sentiment', args: { texts: ['good', 'bad'], model: 'vader' } } });
while (!['succeeded', 'failed', 'cancelled'].includes(job.state)) job = await jobs.getJob({ jobId: job.id, wait: 60 });
console.log('state', job.state);

async function reportOf<Kind extends Report['kind']>(jobId: string, kind: Kind): Promise<Extract<Report, { kind: Kind }>> {
  const report = await jobs.getJobReport({ jobId });
  if (report.kind !== kind) throw new Error(report.kind);
  return report as Extract<Report, { kind: Kind }>;
}
async function resultsOf<Kind extends JobResults['kind']>(jobId: string, kind: Kind, offset = 0): Promise<Extract<JobResults, { kind: Kind }>> {
  const results = await jobs.getJobResults({ jobId, offset });
  if (results.kind !== kind) throw new Error(results.kind);
  return results as Extract<JobResults, { kind: Kind }>;
}

const scores = await reportOf(job.id, 'sentiment');
console.log('report', scores.kind, scores.items.total, scores.summary.model);
for (const row of (await resultsOf(job.id, 'sentiment')).items) console.log('row', row.label);

const advice = await reportOf(TRAINING_JOB, 'training-config');
console.log('report', advice.kind, advice.items.total, advice.summary.gpus[0].gpu.id);
console.log('row', (await resultsOf(TRAINING_JOB, 'training-config')).items[0].gpu);

const counts = await reportOf(WAVES_JOB, 'waves');
console.log('report', counts.kind, counts.items.total, counts.summary.bars);
console.log('row', (await resultsOf(WAVES_JOB, 'waves')).items[0].report?.bars);

const speeds = await reportOf(PROFILE_JOB, 'profile');
console.log('report', speeds.kind, speeds.items.total, speeds.summary.mode);
console.log('engine', speeds.summary.engine === null);
console.log('row', (await resultsOf(PROFILE_JOB, 'profile')).items[0].part);

console.log('empty', (await resultsOf(job.id, 'sentiment', 99)).items.length);
console.log('empty', (await resultsOf(TRAINING_JOB, 'training-config', 99)).items.length);
console.log('empty', (await resultsOf(WAVES_JOB, 'waves', 99)).items.length);
console.log('empty', (await resultsOf(PROFILE_JOB, 'profile', 99)).items.length);

console.log('csv', (await (await jobs.getJobResultsCsv({ jobId: job.id })).text()).split(',')[0]);
console.log('picture', (await (await jobs.getJobPictureSvg({ jobId: WAVES_JOB, index: 0 })).text()).slice(0, 4));

async function refused(call: Promise<unknown>) {
  const error = await call.then(() => undefined, (failure: unknown) => failure);
  if (!(error instanceof ResponseError)) throw new Error(`not refused: ${error}`);
  const problem = (await error.response.json()) as Problem;
  console.log('refused', problem.status, problem.type);
}
await refused(jobs.createJob({ jobSpec: { kind: 'sentiment', args: {} } }));
await refused(jobs.getJob({ jobId: 'job_0000000000000' }));
