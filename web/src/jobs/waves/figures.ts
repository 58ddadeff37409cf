import type { components } from '../../api/schema';
import { count } from '../../design/text/format';
import type { Figure } from '../kind';

export const figures = ({ summary: { symbols, valid, bars, nodes, complete, surrogates, preset } }: components['schemas']['WavesReport']): Figure[] => [
  ...Object.entries({ Symbols: symbols, 'Valid counts': valid, Bars: bars, 'Partial counts examined': nodes, 'Chance series': surrogates })
    .map(([name, value]) => ({ name, value, text: count(value) })),
  { name: 'Search', value: null, text: complete ? 'complete' : 'met a cap' },
  { name: 'Preset', value: null, text: preset },
];
