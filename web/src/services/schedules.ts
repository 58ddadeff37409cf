import type { components } from '../api/schema';
import { api, dataOf, ifMatch } from './client';
import { everything } from './pages';

export type Schedule = components['schemas']['Schedule'];
export type ScheduleSpec = components['schemas']['ScheduleSpec'];
export type ScheduleTime = components['schemas']['ScheduleTime'];
export type ScheduleRun = components['schemas']['ScheduleRun'];

const one = (id: string) => ({ path: { schedule_id: id } });

export const listSchedules = (signal?: AbortSignal): Promise<Schedule[]> => everything((query) => api.GET('/v1/schedules', { params: { query }, signal }));
export const readSchedule = (id: string, signal?: AbortSignal): Promise<Schedule> => dataOf(api.GET('/v1/schedules/{schedule_id}', { params: one(id), signal }));

/** Without the limit that a form keeps while a policy is chosen that has none. */
export function withoutIdle({ misfire_limit, ...spec }: ScheduleSpec): ScheduleSpec {
  return spec.misfire === 'all' ? { ...spec, misfire_limit } : spec;
}

export const createSchedule = (spec: ScheduleSpec): Promise<Schedule> => dataOf(api.POST('/v1/schedules', { body: spec }));

/** Refused when somebody else has changed it since `version`. */
export const replaceSchedule = (id: string, version: string, spec: ScheduleSpec): Promise<Schedule> =>
  dataOf(api.PUT('/v1/schedules/{schedule_id}', { params: { ...one(id), header: ifMatch(version) }, body: spec }));

export const pauseSchedule = async (id: string) => void (await api.POST('/v1/schedules/{schedule_id}/pause', { params: one(id) }));
export const resumeSchedule = async (id: string) => void (await api.POST('/v1/schedules/{schedule_id}/resume', { params: one(id) }));
export const deleteSchedule = async (id: string) => void (await api.DELETE('/v1/schedules/{schedule_id}', { params: one(id) }));

/** Submits its job now and returns the job's ID. The same key creates one job, however often it is sent. */
export const runSchedule = async (id: string, key: string): Promise<string> =>
  (await dataOf(api.POST('/v1/schedules/{schedule_id}/runs', { params: { ...one(id), header: { 'Idempotency-Key': key } } }))).job_id;

/** The latest, newest first. */
export const listRuns = async (id: string, signal?: AbortSignal): Promise<ScheduleRun[]> =>
  (await dataOf(api.GET('/v1/schedules/{schedule_id}/runs', { params: { ...one(id), query: { limit: 50 } }, signal }))).items;
export const previewSchedule = async (cron: string, zone: string, signal?: AbortSignal): Promise<ScheduleTime[]> =>
  (await dataOf(api.POST('/v1/schedule-previews', { body: { cron, time_zone: zone }, signal }))).items;
