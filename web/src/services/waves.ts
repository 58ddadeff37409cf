import type { components } from '../api/schema';
import { api } from './client';

export type WavesCheckSpec = components['schemas']['WavesCheckSpec'];
export type WavesCheck = components['schemas']['WavesCheck'];

/** Judges a count that somebody drew, rule by rule. */
export async function checkCount(spec: WavesCheckSpec, signal?: AbortSignal): Promise<WavesCheck> {
  const { data } = await api.POST('/v1/waves-checks', { body: spec, signal });
  return data!;
}
