import type { components, operations } from '../api/schema';
import { api, dataOf } from './client';
import { pageSize } from './pages';

export type Job = components['schemas']['Job'];
export type JobState = components['schemas']['JobState'];
export type JobPage = components['schemas']['JobPage'];
export type JobSpec = components['schemas']['JobSpec'];
export type JobEvent = components['schemas']['Event'];
export type JobWaitReason = components['schemas']['JobWaitReason'];
export type Report = components['schemas']['Report'];

export type JobCounts = components['schemas']['JobCounts'];

/** The words of `GET /v1/jobs`. */
export interface JobFilter {
  kind?: string;
  state?: JobState;
  /** `key=value`, or `key` with any value. */
  label?: string;
  submitter?: string;
  /** When they were submitted: from then on, and before. */
  from?: string;
  to?: string;
  device_class?: JobDeviceClass;
  /** `node/device`: it ran one of the job's tasks. */
  device?: string;
  text?: string;
}
export type JobDeviceClass = NonNullable<NonNullable<operations['listJobs']['parameters']['query']>['device_class']>;

export const jobStates: readonly JobState[] = ['scheduled', 'queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'];

/** A state from an address; none if invalid. */
export const asState = (text: string | null): JobState | undefined =>
  jobStates.find((state) => state === text);

export const finished = (state: JobState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled';

/** Whether a job will change soon; one that is scheduled waits for a time that is known. */
export const moves = (state: JobState): boolean => state === 'queued' || state === 'running' || state === 'cancelling';

export async function listJobs(filter: JobFilter, cursor?: string, signal?: AbortSignal, limit = pageSize): Promise<JobPage> {
  const { data } = await api.GET('/v1/jobs', { params: { query: { ...filter, cursor, limit } }, signal });
  return data!;
}

/** How many jobs of each state the filter finds, whatever state it names. */
export const countJobs = ({ state: _, ...filter }: JobFilter, signal?: AbortSignal): Promise<JobCounts> => dataOf(api.GET('/v1/job-counts', { params: { query: filter }, signal }));
export const readJob = (id: string, signal?: AbortSignal): Promise<Job> => dataOf(api.GET('/v1/jobs/{job_id}', { params: { path: { job_id: id } }, signal }));
export const readWait = (id: string): Promise<JobWaitReason> => dataOf(api.GET('/v1/jobs/{job_id}/wait-reason', { params: { path: { job_id: id } } }));

/** What has happened to a job: at most the first 200 events. */
export async function listEvents(id: string, signal?: AbortSignal): Promise<JobEvent[]> {
  const params = { path: { job_id: id }, query: { limit: 200 } };
  const { data } = await api.GET('/v1/jobs/{job_id}/events', { params, headers: { Accept: 'application/json' }, signal });
  // The types know both forms of the answer, but not which one Accept asks for.
  return (data as components['schemas']['EventPage']).items;
}

/** The same key with the same spec creates one job, however often it is sent. */
export const submitJob = (spec: JobSpec, key: string): Promise<Job> => dataOf(api.POST('/v1/jobs', { params: { header: { 'Idempotency-Key': key } }, body: spec }));
export const cancelJob = (id: string): Promise<Job> => dataOf(api.POST('/v1/jobs/{job_id}/cancellation', { params: { path: { job_id: id } } }));

/** Whether a job has a report although it failed: it names the error of every item. */
export const everyItemFailed = ({ state, progress, tasks_failed }: Pick<Job, 'state' | 'progress' | 'tasks_failed'>): boolean =>
  state === 'failed' && tasks_failed === 0 && progress.items_failed > 0 && progress.items_failed >= progress.items_total;

/** Whether a job has ended with something left that a redrive would run. */
export const redrivable = (job: Pick<Job, 'state' | 'progress' | 'tasks_failed'>): boolean =>
  (job.state === 'failed' && !everyItemFailed(job)) || job.state === 'cancelled' || (job.state === 'succeeded' && job.tasks_failed > 0);

export const redriveJob = (id: string): Promise<Job> => dataOf(api.POST('/v1/jobs/{job_id}/redrive', { params: { path: { job_id: id } } }));
export const deleteJob = async (id: string) => void (await api.DELETE('/v1/jobs/{job_id}', { params: { path: { job_id: id } } }));
export const readReport = (id: string, signal?: AbortSignal): Promise<Report> => dataOf(api.GET('/v1/jobs/{job_id}/report', { params: { path: { job_id: id } }, signal }));

export type ResultFormat = 'json' | 'jsonl' | 'csv';

export const resultsAddress = (job: Job, format: ResultFormat): string =>
  format === 'json' ? job.links.results : `${job.links.results}.${format}`;

/** For the browser's own downloads, which can only resume uncompressed ones. */
export const downloadAddress = (job: Job, format: ResultFormat): string =>
  `${resultsAddress(job, format)}?compress=false`;

/** A unique key. Works without https, where crypto.randomUUID is missing. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
