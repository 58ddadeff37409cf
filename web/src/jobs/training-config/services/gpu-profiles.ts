import type { components } from '../../../api/schema';
import { api, ifAbsent, ifMatch } from '../../../services/client';

export type GpuProfileList = components['schemas']['GpuProfileList'];
export type GpuProfile = components['schemas']['GpuProfile'];
export type GpuProfileUpdate = components['schemas']['GpuProfileUpdate'];

const one = (id: string) => ({ params: { path: { gpu_profile_id: id } } });

export async function listGpuProfiles(signal?: AbortSignal): Promise<GpuProfileList> {
  const { data } = await api.GET('/v1/gpu-profiles', { signal });
  return data!;
}

/** `builtIn`: the built-in profile that it replaces for the team, if any. It replaces none of the team. */
export async function addGpuProfile(id: string, profile: GpuProfileUpdate, builtIn: GpuProfile | undefined): Promise<void> {
  const header = builtIn ? ifMatch(builtIn.version) : ifAbsent;
  await api.PUT('/v1/gpu-profiles/{gpu_profile_id}', { params: { path: { gpu_profile_id: id }, header }, body: profile });
}

export async function removeGpuProfile(id: string): Promise<void> {
  await api.DELETE('/v1/gpu-profiles/{gpu_profile_id}', one(id));
}
