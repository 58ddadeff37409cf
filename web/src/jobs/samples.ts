import prices from '../../../deploy/samples/european_closes.csv?url';
import type { JobSpec } from '../services/jobs';
import { freshDraft, toArgs } from './training-config/form/draft';

/** Of each kind a job that runs by one click and is done in seconds. */
export const samples: Partial<Record<JobSpec['kind'], () => Promise<JobSpec>>> = {
  'training-config': async () => ({ kind: 'training-config', name: 'Sample: bert-base', args: toArgs(freshDraft(), undefined) }),
  sentiment: async () => ({
    kind: 'sentiment',
    name: 'Sample: three headlines',
    args: {
      texts: [
        'Shipyard wins record order and hires 400 welders',
        'Storm damage closes the container terminal for weeks',
        'Ferry timetable for the summer published',
      ],
    },
  }),
  waves: async () => ({
    kind: 'waves',
    name: 'Sample: European indices',
    args: { prices: await (await fetch(prices)).text(), format: 'csv', preset: 'whole', days: 500, surrogates: 100 },
  }),
  profile: async () => ({ kind: 'profile', name: 'Sample: speed of VADER', args: { mode: 'sentiment', sentiment_model: 'vader' } }),
};
