import type { components } from '../api/schema';
import { api } from './client';

export type Job = components['schemas']['Job'];
export type JobState = components['schemas']['JobState'];
export type JobPage = components['schemas']['JobPage'];
export type JobSpec = components['schemas']['JobSpec'];
export type JobEvent = components['schemas']['Event'];
export type JobWaitReason = components['schemas']['JobWaitReason'];
export type Report = components['schemas']['Report'];

export interface JobFilter {
  kind?: string;
  state?: JobState;
  /** `key=value`, or `key` with any value. */
  label?: string;
}

const states: readonly string[] = [
  'scheduled',
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
] satisfies JobState[];

/** A state as it may stand in an address; nonsense is none. */
export const asState = (text: string | null): JobState | undefined =>
  text !== null && states.includes(text) ? (text as JobState) : undefined;

export const finished = (state: JobState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled';

/** A job's own words for itself, where it has none: its id. */
export const titleOf = (job: Job): string => job.name ?? job.id;

export async function listJobs(filter: JobFilter, cursor?: string, signal?: AbortSignal): Promise<JobPage> {
  const { data } = await api.GET('/v1/jobs', { params: { query: { ...filter, cursor, limit: 50 } }, signal });
  return data!;
}

export async function readJob(id: string, signal?: AbortSignal): Promise<Job> {
  const { data } = await api.GET('/v1/jobs/{job_id}', { params: { path: { job_id: id } }, signal });
  return data!;
}

export async function readWait(id: string): Promise<JobWaitReason> {
  const { data } = await api.GET('/v1/jobs/{job_id}/wait-reason', { params: { path: { job_id: id } } });
  return data!;
}

/** What has happened to a job: at most the first 200 events. */
export async function listEvents(id: string, signal?: AbortSignal): Promise<JobEvent[]> {
  const params = { path: { job_id: id }, query: { limit: 200 } };
  const { data } = await api.GET('/v1/jobs/{job_id}/events', { params, headers: { Accept: 'application/json' }, signal });
  // The types know both forms of the answer, but not which one Accept asks for.
  return (data as components['schemas']['EventPage']).items;
}

/** The same key with the same spec makes one job, however often it is sent. */
export async function submitJob(spec: JobSpec, key: string): Promise<Job> {
  const { data } = await api.POST('/v1/jobs', { params: { header: { 'Idempotency-Key': key } }, body: spec });
  return data!;
}

export async function cancelJob(id: string): Promise<Job> {
  const { data } = await api.POST('/v1/jobs/{job_id}/cancellation', { params: { path: { job_id: id } } });
  return data!;
}

/** Whether a job has ended with something left that a redrive would run. */
export const redrivable = (job: Job): boolean =>
  job.state === 'failed' || job.state === 'cancelled' || (job.state === 'succeeded' && job.tasks_failed > 0);

export async function redriveJob(id: string): Promise<Job> {
  const { data } = await api.POST('/v1/jobs/{job_id}/redrive', { params: { path: { job_id: id } } });
  return data!;
}

/** Redrives all failed jobs of this kind and label; answers how many were, and how many were refused. */
export async function redriveFailed(filter: Pick<JobFilter, 'kind' | 'label'>): Promise<{ redriven: number; refused: number }> {
  const total = { redriven: 0, refused: 0 };
  let cursor: string | undefined;
  do {
    const { data } = await api.POST('/v1/redrives', { body: { filter: { ...filter, state: 'failed', cursor } } });
    total.redriven += data!.redriven;
    total.refused += data!.refused.length;
    cursor = data!.next_cursor ?? undefined;
  } while (cursor);
  return total;
}

export async function deleteJob(id: string): Promise<void> {
  await api.DELETE('/v1/jobs/{job_id}', { params: { path: { job_id: id } } });
}

export async function readReport(id: string, signal?: AbortSignal): Promise<Report> {
  const { data } = await api.GET('/v1/jobs/{job_id}/report', { params: { path: { job_id: id } }, signal });
  return data!;
}

export type ResultFormat = 'json' | 'jsonl' | 'csv';

export const resultsAddress = (job: Job, format: ResultFormat): string =>
  format === 'json' ? job.links.results : `${job.links.results}.${format}`;

/** For the browser's own downloads: it goes on with a broken one only when that is not compressed. */
export const downloadAddress = (job: Job, format: ResultFormat): string =>
  `${resultsAddress(job, format)}?compress=false`;

/** A key that nobody else makes up. Works without https, where crypto.randomUUID is missing. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
