import { api } from '../../../services/client';
import { Live } from '../../../services/live.svelte';
import type { Args } from '../words';

/** What a job with these arguments would report, without one. */
export const liveEstimate = () =>
  new Live(async (args: Args, signal) => {
    const { data } = await api.POST('/v1/estimates', { body: { kind: 'training-config', args }, signal });
    return data!.summary;
  });
export type LiveEstimate = ReturnType<typeof liveEstimate>;
