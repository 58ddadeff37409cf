import type { components } from '../api/schema';
import { api, dataOf } from './client';

export type Attempt = components['schemas']['Attempt'];
export type AttemptPage = components['schemas']['AttemptPage'];
export type Task = components['schemas']['Task'];
export type TaskPage = components['schemas']['TaskPage'];
export type TaskState = Task['state'];

export const taskStates: readonly TaskState[] = ['waiting', 'running', 'done', 'failed', 'cancelled'];

export type LogLine = components['schemas']['LogLine'];
export type LogPage = components['schemas']['LogPage'];
export type LogLevel = LogLine['level'];
export interface LogFilter {
  level?: LogLevel;
  task?: number;
}

/** As many as the server puts on a page. */
const pageSize = 200;

export const listAttempts = (job: string, cursor?: string, signal?: AbortSignal): Promise<AttemptPage> =>
  dataOf(api.GET('/v1/jobs/{job_id}/attempts', { params: { path: { job_id: job }, query: { cursor, limit: pageSize } }, signal }));
export const listTasks = (job: string, state?: TaskState, cursor?: string, signal?: AbortSignal): Promise<TaskPage> =>
  dataOf(api.GET('/v1/jobs/{job_id}/tasks', { params: { path: { job_id: job }, query: { state, cursor, limit: pageSize } }, signal }));
export const listLogs = (job: string, { level, task }: LogFilter, cursor?: string, signal?: AbortSignal): Promise<LogPage> =>
  dataOf(api.GET('/v1/jobs/{job_id}/logs', { params: { path: { job_id: job }, query: { level, task, cursor, limit: pageSize } }, signal }));
