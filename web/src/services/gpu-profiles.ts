import type { components } from '../api/schema';
import { api } from './client';

export type GpuProfileList = components['schemas']['GpuProfileList'];
export type GpuProfile = components['schemas']['GpuProfile'];

export async function listGpuProfiles(signal?: AbortSignal): Promise<GpuProfileList> {
  const { data } = await api.GET('/v1/gpu-profiles', { signal });
  return data!;
}
