import type { components } from '../../api/schema';
import { api, dataOf } from '../../services/client';

export type Baseline = components['schemas']['Baseline'];
export type JobBaseline = components['schemas']['JobBaseline'];

/** All of the team's, by what they are compared with. */
export const listBaselines = async (signal?: AbortSignal): Promise<Baseline[]> => (await dataOf(api.GET('/v1/baselines', { signal }))).items;

const one = (jobId: string) => ({ params: { path: { job_id: jobId } } });

/** The report that the team pinned for reports like this job's, with its summary. */
export const readBaseline = (jobId: string, signal?: AbortSignal): Promise<JobBaseline> => dataOf(api.GET('/v1/jobs/{job_id}/baseline', { ...one(jobId), signal }));
export const pinReport = async (jobId: string) => void (await api.PUT('/v1/jobs/{job_id}/baseline', one(jobId)));
export const unpin = async (baseline: Baseline) => void (await api.DELETE('/v1/baselines/{baseline_id}', { params: { path: { baseline_id: baseline.id } } }));

/** The sentiment models of the pool, by name. */
export async function listModels(signal?: AbortSignal): Promise<string[]> {
  const { data } = await api.GET('/v1/models', { signal });
  return [...new Set(data!.items.map(({ name }) => name))];
}
