import type { SampleJob } from '../kind';
import { freshDraft, toArgs } from './form/draft';

export default (async () => ({
  kind: 'training-config',
  name: 'Sample: bert-base',
  args: toArgs(freshDraft()),
})) satisfies SampleJob<'training-config'>;
