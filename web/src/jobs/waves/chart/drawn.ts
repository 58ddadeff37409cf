/** A user-drawn count: a pattern, a direction, and bars or dates for its ends. */
import type { PriceBars } from './price-chart';
import type { WavesCheckSpec } from '../services';
import type { Count } from '../words';

export type Pattern = WavesCheckSpec['pattern'];

export interface Drawn {
  pattern: Pattern;
  rising: boolean;
  /** As written: whole numbers or dates, the start first. */
  ends: string[];
}

const standard: readonly (readonly [Pattern, string])[] = [
  ['impulse', 'Impulse'],
  ['leading_diagonal', 'Leading diagonal'],
  ['zigzag', 'Zigzag'],
  ['flat_regular', 'Regular flat'],
  ['flat_expanded', 'Expanded flat'],
  ['flat_running', 'Running flat'],
];
const compatible: readonly (readonly [Pattern, string])[] = [
  ['impulse', 'Impulse'],
  ['leading_diagonal', 'Leading diagonal (up)'],
  ['corrective', 'Correction (down)'],
];
export const patternsOf = (mode: string) => (mode === 'compatible' ? compatible : standard);

export const labelsOf = (pattern: Pattern): readonly string[] =>
  pattern === 'impulse' || pattern === 'leading_diagonal' ? ['0', '1', '2', '3', '4', '5'] : ['0', 'A', 'B', 'C'];

/** What the next end is, in words: "the start, a low". */
export function nextEnd(drawn: Drawn): string | undefined {
  const place = drawn.ends.length;
  const label = labelsOf(drawn.pattern)[place];
  if (label === undefined) return undefined;
  const extreme = isPeak(drawn, place) ? 'a high' : 'a low';
  return place === 0 ? `the start, ${extreme}` : `the end of wave ${label}, ${extreme}`;
}

export const isPeak = (drawn: Drawn, place: number): boolean => (place % 2 === 1) === drawn.rising;

/** The highest or lowest bar near the pointer, because pointing is never exact. */
export function snapped(bars: PriceBars, bar: number, peak: boolean): number {
  const near = Math.max(1, Math.round(bars.close.length / 100));
  const prices = bars.open.length === 0 ? bars.close : peak ? bars.high : bars.low;
  let best = Math.round((bar - bars.first) / bars.step);
  for (let at = Math.max(0, best - near), end = Math.min(prices.length - 1, best + near); at <= end; at += 1) {
    if (peak ? prices[at]! > prices[best]! : prices[at]! < prices[best]!) best = at;
  }
  return bars.first + best * bars.step;
}

/** A count of the report, to be changed. */
export const drawnFrom = (count: Count): Drawn => ({
  pattern: count.rule_name as Pattern,
  rising: count.direction === 'up',
  ends: count.pivots.map(String),
});

export const toEnds = (drawn: Drawn): (number | string)[] =>
  drawn.ends.map((end) => (/^\d+$/.test(end.trim()) ? Number(end) : end.trim()));
