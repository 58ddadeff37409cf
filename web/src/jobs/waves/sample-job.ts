import prices from '../../../../deploy/samples/european_closes.csv?url';
import type { SampleJob } from '../kind';

export default (async () => ({
  kind: 'waves',
  name: 'Sample: European indices',
  args: { prices: await (await fetch(prices)).text(), format: 'csv', preset: 'whole', days: 500, surrogates: 100 },
})) satisfies SampleJob<'waves'>;
