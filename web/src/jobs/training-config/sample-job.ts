import type { SampleJob } from '../kind';
import { presetArgs, usualLength } from './presets';

export default (async () => ({
  kind: 'training-config',
  name: 'Sample: bert-base',
  args: presetArgs('bert-base', usualLength('bert-base'), []),
})) satisfies SampleJob<'training-config'>;
