import type { components } from '../api/schema';
import { api, ifMatch } from './client';
import { everything } from './pages';

export type Schedule = components['schemas']['Schedule'];
export type ScheduleSpec = components['schemas']['ScheduleSpec'];
export type ScheduleTime = components['schemas']['ScheduleTime'];
export type ScheduleRun = components['schemas']['ScheduleRun'];

const one = (id: string) => ({ path: { schedule_id: id } });

export async function listSchedules(signal?: AbortSignal): Promise<Schedule[]> {
  return everything((query) => api.GET('/v1/schedules', { params: { query }, signal }));
}

export async function readSchedule(id: string, signal?: AbortSignal): Promise<Schedule> {
  const { data } = await api.GET('/v1/schedules/{schedule_id}', { params: one(id), signal });
  return data!;
}

/** Without the limit that a form keeps while a policy is chosen that has none. */
export function withoutIdle({ misfire_limit, ...spec }: ScheduleSpec): ScheduleSpec {
  return spec.misfire === 'all' ? { ...spec, misfire_limit } : spec;
}

export async function createSchedule(spec: ScheduleSpec): Promise<Schedule> {
  const { data } = await api.POST('/v1/schedules', { body: spec });
  return data!;
}

/** Refused when somebody else has changed it since `version`. */
export async function replaceSchedule(id: string, version: string, spec: ScheduleSpec): Promise<Schedule> {
  const params = { ...one(id), header: ifMatch(version) };
  const { data } = await api.PUT('/v1/schedules/{schedule_id}', { params, body: spec });
  return data!;
}

export async function pauseSchedule(id: string): Promise<void> {
  await api.POST('/v1/schedules/{schedule_id}/pause', { params: one(id) });
}

export async function resumeSchedule(id: string): Promise<void> {
  await api.POST('/v1/schedules/{schedule_id}/resume', { params: one(id) });
}

export async function deleteSchedule(id: string): Promise<void> {
  await api.DELETE('/v1/schedules/{schedule_id}', { params: one(id) });
}

/** Submits its job now and returns the job's ID. The same key creates one job, however often it is sent. */
export async function runSchedule(id: string, key: string): Promise<string> {
  const params = { ...one(id), header: { 'Idempotency-Key': key } };
  const { data } = await api.POST('/v1/schedules/{schedule_id}/runs', { params });
  return data!.job_id;
}

/** The latest, newest first. */
export async function listRuns(id: string, signal?: AbortSignal): Promise<ScheduleRun[]> {
  const { data } = await api.GET('/v1/schedules/{schedule_id}/runs', { params: { ...one(id), query: { limit: 50 } }, signal });
  return data!.items;
}

export async function previewSchedule(cron: string, zone: string, signal?: AbortSignal): Promise<ScheduleTime[]> {
  const { data } = await api.POST('/v1/schedule-previews', { body: { cron, time_zone: zone }, signal });
  return data!.items;
}
