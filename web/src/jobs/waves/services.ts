import type { components } from '../../api/schema';
import { api } from '../../services/client';

export type WavesCheckSpec = components['schemas']['WavesCheckSpec'];
export type WavesCheck = components['schemas']['WavesCheck'];

export type WavesReplaySpec = components['schemas']['WavesReplaySpec'];
export type WavesReplay = components['schemas']['WavesReplay'];

/** Checks a user-drawn count, rule by rule. */
export async function checkCount(spec: WavesCheckSpec, signal?: AbortSignal): Promise<WavesCheck> {
  const { data } = await api.POST('/v1/waves-checks', { body: spec, signal });
  return data!;
}

/** Replays bars one by one, and returns the changes by each. */
export async function replayBars(spec: WavesReplaySpec, signal?: AbortSignal): Promise<WavesReplay> {
  const { data } = await api.POST('/v1/waves-replays', { body: spec, signal });
  return data!;
}
