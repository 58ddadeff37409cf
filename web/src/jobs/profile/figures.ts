import type { components } from '../../api/schema';
import { count } from '../../design/text/format';
import type { Curve, Figure } from '../kind';
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

export const curves = ({ summary }: components['schemas']['ProfileReport']): Curve[] =>
  curvesOf(summary).map(({ key, curve }) => ({ name: `${curve.items} per second, ${key}`, points: curve.points.map(({ batch_size, items_per_second }) => [batch_size, items_per_second]), text: figure }));
