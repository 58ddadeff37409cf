import type { components } from '../../api/schema';
import { api, dataOf } from '../../services/client';

export type WavesCheckSpec = components['schemas']['WavesCheckSpec'];
export type WavesCheck = components['schemas']['WavesCheck'];

export type WavesReplaySpec = components['schemas']['WavesReplaySpec'];
export type WavesReplay = components['schemas']['WavesReplay'];

/** Checks a user-drawn count, rule by rule. */
export const checkCount = (spec: WavesCheckSpec, signal?: AbortSignal): Promise<WavesCheck> => dataOf(api.POST('/v1/waves-checks', { body: spec, signal }));

/** Replays bars one by one, and returns the changes by each. */
export const replayBars = (spec: WavesReplaySpec, signal?: AbortSignal): Promise<WavesReplay> => dataOf(api.POST('/v1/waves-replays', { body: spec, signal }));
