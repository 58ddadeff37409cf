import type { SampleJob } from '../kind';

export default (async () => ({
  kind: 'profile',
  name: 'Sample: speed of VADER',
  args: { mode: 'sentiment', sentiment_model: 'vader' },
})) satisfies SampleJob<'profile'>;
