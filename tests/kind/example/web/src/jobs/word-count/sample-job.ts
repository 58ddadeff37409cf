import type { SampleJob } from '../kind';

export default (async () => ({
  kind: 'word-count',
  name: 'Sample: two sentences',
  args: { texts: ['The ferry is late.', 'Nobody knows why.'] },
})) satisfies SampleJob<'word-count'>;
