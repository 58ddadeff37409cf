/** What a replay shows after each of its bars. */
import { cut, type PriceBars } from '../chart/price-chart';
import type { WavesReplay } from '../services';
import type { Brief } from '../chart/chart';

export type Step = WavesReplay['steps'][number];

const push = (bars: { [column in 'open' | 'high' | 'low' | 'close']: number[] }, step: Step) => {
  for (const column of ['open', 'high', 'low', 'close'] as const) bars[column].push(step[column]);
};

/** The bars as they stood after the step at `place`: those before the first step, and one more a step. Where several
    bars are drawn as one, so are these. */
export function barsAfter(known: PriceBars, steps: readonly Step[], place: number): PriceBars {
  const before = Math.max(0, Math.floor((steps[0]!.bar - known.first) / known.step));
  const closeOnly = known.open.length === 0;
  const bars = {
    first: known.first,
    step: known.step,
    dates: known.dates.slice(0, before),
    open: known.open.slice(0, before),
    high: known.high.slice(0, before),
    low: known.low.slice(0, before),
    close: known.close.slice(0, before),
  };
  for (const step of steps.slice(0, place + 1)) {
    const at = Math.floor((step.bar - known.first) / known.step);
    if (at >= bars.close.length) {
      if (known.dates.length > 0) bars.dates.push(step.date);
      push(bars, step);
      continue;
    }
    bars.high[at] = Math.max(bars.high[at]!, step.high);
    bars.low[at] = Math.min(bars.low[at]!, step.low);
    bars.close[at] = step.close;
  }
  return closeOnly && known.step === 1 ? { ...bars, open: [], high: [], low: [] } : bars;
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
    appeared: sum(({ appeared }) => appeared.length),
    disappeared: sum(({ disappeared }) => disappeared.length),
    invalidated: sum(({ invalidated }) => invalidated.length),
    turns: bests.filter((best, place) => place > 0 && best !== bests[place - 1]).length,
    searched: sum(({ nodes }) => nodes) / Math.max(1, sum(({ full_search_nodes }) => full_search_nodes)),
  };
}
