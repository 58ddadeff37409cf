import type { components } from '../../api/schema';
import { count } from '../../design/text/format';
import type { Figure } from '../kind';
import { curvesOf, figure } from './words';

export const figures = ({ summary }: components['schemas']['ProfileReport']): Figure[] => [
  { name: 'Device', value: null, text: summary.device.name },
  ...curvesOf(summary).flatMap(({ key, curve }): Figure[] => {
    const { recommended_batch: batch, recommended_items_per_second: rate, items } = curve;
    return [
      { name: `Recommended batch, ${key}`, value: batch, text: batch === null ? '–' : count(batch) },
      { name: `${items} per second, ${key}`, value: rate, text: rate === null ? '–' : figure(rate), better: 'more' },
    ];
  }),
];
