import type { components } from '../../../api/schema';
import { api } from '../../../services/client';

export type GpuProfileList = components['schemas']['GpuProfileList'];
export type GpuProfile = components['schemas']['GpuProfile'];
export type GpuProfileUpdate = components['schemas']['GpuProfileUpdate'];

const one = (id: string) => ({ params: { path: { gpu_profile_id: id } } });

export async function listGpuProfiles(signal?: AbortSignal): Promise<GpuProfileList> {
  const { data } = await api.GET('/v1/gpu-profiles', { signal });
  return data!;
}

export async function setGpuProfile(id: string, profile: GpuProfileUpdate): Promise<void> {
  await api.PUT('/v1/gpu-profiles/{gpu_profile_id}', { ...one(id), body: profile });
}

export async function removeGpuProfile(id: string): Promise<void> {
  await api.DELETE('/v1/gpu-profiles/{gpu_profile_id}', one(id));
}
