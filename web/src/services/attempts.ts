import type { components } from '../api/schema';
import { api } from './client';

export type Attempt = components['schemas']['Attempt'];
export type AttemptPage = components['schemas']['AttemptPage'];

/** As many as the server puts on a page. */
const pageSize = 200;

export async function listAttempts(job: string, cursor?: string, signal?: AbortSignal): Promise<AttemptPage> {
  const params = { path: { job_id: job }, query: { cursor, limit: pageSize } };
  const { data } = await api.GET('/v1/jobs/{job_id}/attempts', { params, signal });
  return data!;
}
