import type { components } from '../../../api/schema';
import { api } from '../../../services/client';

export type EstimateSpec = components['schemas']['EstimateSpec'];
export type Estimate = components['schemas']['Estimate'];

/** What a job would report, without one. */
export async function estimate(spec: EstimateSpec, signal?: AbortSignal): Promise<Estimate> {
  const { data } = await api.POST('/v1/estimates', { body: spec, signal });
  return data!;
}
