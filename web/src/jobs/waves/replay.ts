/** What a replay shows after each of its bars. */
import { cut, type PriceBars } from '../../design/price-chart';
import type { WavesReplay } from '../../services/waves';
import type { Brief } from './chart';

export type Step = WavesReplay['steps'][number];

/** The bars as they stood after the step at `place`: those of the series so far, and behind them new ones, of which the
    close is told. Where several bars are drawn as one, so are these. */
export function barsAfter(known: PriceBars, steps: readonly Step[], place: number): PriceBars {
  const bars = cut(known, known.first, steps[place]!.bar + 1);
  const [dates, open, high, low, close] = [[...bars.dates], [...bars.open], [...bars.high], [...bars.low], [...bars.close]];
  for (const step of steps.slice(0, place + 1)) {
    if (Math.floor((step.bar - known.first) / known.step) < close.length) continue;
    close.push(step.close);
    if (known.dates.length > 0) dates.push(step.date);
    if (known.open.length > 0) for (const column of [open, high, low]) column.push(step.close);
  }
  return { ...bars, dates, open, high, low, close };
}

/** The part that shows every best count of the replay, and some bars before the first step. */
export function framed(bars: PriceBars, steps: readonly Step[]): PriceBars {
  const first = Math.min(steps[0]!.bar - 40, ...steps.flatMap(({ best }) => (best ? [best.pivots[0]! - 5] : [])));
  return cut(bars, first, Infinity);
}

const nameOf = ({ rule_name, direction, pivots }: Brief) => [rule_name, direction, ...pivots].join(' ');

/** In words, what all bars of a replay did together. */
export function totals(steps: readonly Step[]) {
  const sum = (of: (step: Step) => number) => steps.reduce((all, step) => all + of(step), 0);
  const bests = steps.map(({ best }) => (best ? nameOf(best) : ''));
  return {
    came: sum(({ came }) => came.length),
    went: sum(({ went }) => went.length),
    broken: sum(({ broken }) => broken.length),
    turns: bests.filter((best, place) => place > 0 && best !== bests[place - 1]).length,
    searched: sum(({ nodes }) => nodes) / Math.max(1, sum(({ whole_nodes }) => whole_nodes)),
  };
}
