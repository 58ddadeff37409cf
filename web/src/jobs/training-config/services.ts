import type { components } from '../../api/schema';
import { api, dataOf, ifAbsent, ifMatch } from '../../services/client';
import { Live } from '../../services/live.svelte';
import type { Args } from './words';

export type GpuProfileList = components['schemas']['GpuProfileList'];
export type GpuProfile = components['schemas']['GpuProfile'];
export type GpuProfileUpdate = components['schemas']['GpuProfileUpdate'];

const one = (id: string) => ({ params: { path: { gpu_profile_id: id } } });

export const listGpuProfiles = (signal?: AbortSignal): Promise<GpuProfileList> => dataOf(api.GET('/v1/gpu-profiles', { signal }));

/** `builtIn`: the built-in profile that it replaces for the team, if any. It replaces none of the team. */
export async function addGpuProfile(id: string, profile: GpuProfileUpdate, builtIn: GpuProfile | undefined): Promise<void> {
  const header = builtIn ? ifMatch(builtIn.version) : ifAbsent;
  await api.PUT('/v1/gpu-profiles/{gpu_profile_id}', { params: { path: { gpu_profile_id: id }, header }, body: profile });
}

export const removeGpuProfile = async (id: string) => void (await api.DELETE('/v1/gpu-profiles/{gpu_profile_id}', one(id)));

/** What a job with these arguments would report, without one. */
export const liveEstimate = () =>
  new Live(async (args: Args, signal) => (await dataOf(api.POST('/v1/estimates', { body: { kind: 'training-config', args }, signal }))).summary);

/** What `plimsoll apply` would change in a configuration. */
export const liveComparison = () =>
  new Live((body: components['schemas']['ConfigurationComparisonSpec'], signal) => dataOf(api.POST('/v1/configuration-comparisons', { body, signal })));
export type LiveEstimate = ReturnType<typeof liveEstimate>;
