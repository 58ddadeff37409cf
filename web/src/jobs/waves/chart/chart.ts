import { cut, type Level, type PriceBars, type Zigzag } from './price-chart';
import { price, when, type Count, type Row } from '../words';

type Prices = NonNullable<Row['prices']>;

/** Prices to draw a count on: around it, or all of them. `place` is the count's among those of the row. */
export function barsOf(row: Row, count: Count, place: number, whole: boolean): PriceBars {
  const prices = row.prices as Prices;
  if (whole) return told(prices);
  const close = row.close_ups[place];
  if (close) return told(close);
  const span = count.idx_end - count.idx_start + 1;
  const end = count.outlook.live ? prices.first + prices.bars : count.idx_end + Math.floor(span / 2) + 3;
  return told(cut(prices, count.idx_start - Math.floor(span / 4) - 2, end));
}

const told = (bars: PriceBars): PriceBars => ({ ...bars, dates: bars.dates.map(when) });

/** Whether every bar of the series is there to be drawn on; of a long one several are drawn as one. */
export const everyBarOf = (row: Row): boolean => (row.prices as Prices).step === 1;

/** All prices of the row, to draw a count of one's own on. */
export const allBars = (row: Row): PriceBars => told(row.prices as Prices);

export const zigzagOf = (count: Count): Zigzag => ({
  tone: 'main',
  points: count.pivots.map((bar, index) => ({ bar, price: count.chart.values[index]!, label: count.chart.labels[index]! })),
});

export type Brief = Count['alternates'][number];

/** A count in brief has only its bars; its prices are those of the drawn bars. */
export function briefZigzag(count: Brief, bars: PriceBars, tone: Zigzag['tone'] = 'other'): Zigzag | undefined {
  const rises = count.direction === 'up';
  const ends = count.pivots.slice(0, count.waves_done + 1);
  const five = count.rule_name === 'impulse' || count.rule_name === 'leading_diagonal';
  const points = ends.map((bar, index) => {
    const peak = (index % 2 === 1) === rises;
    const at = Math.floor((bar - bars.first) / bars.step);
    const prices = bars.open.length === 0 ? bars.close : peak ? bars.high : bars.low;
    const name = five ? String(index) : 'ABC'[index - 1]!;
    const label = index === 0 ? '' : tone === 'main' ? name : `(${name})`;
    return { bar, price: prices[at] ?? NaN, label };
  });
  return points.some((point) => Number.isNaN(point.price)) ? undefined : { tone, points };
}

/** Of a live count, with the last price; targets that were reached say so. */
export function levelsOf(count: Count, last: number): Level[] {
  const { targets, invalidation, invalidated, live } = count.outlook;
  const limit: Level = { tone: 'limit', from: count.idx_end, price: invalidation, text: price(invalidation), before: 'invalid at' };
  if (invalidated) return [limit];
  const aims = targets.map((target): Level => ({ tone: 'target', from: count.idx_end, price: target.price, text: price(target.price), before: target.reached && 'reached' }));
  return [...aims, limit, ...(live ? [{ tone: 'last', from: count.idx_end, price: last, text: price(last), before: 'last' } as const] : [])];
}

const bins = 24;

type Bins = { from: number; to: number; count: number }[];

function binned(values: readonly number[], low: number, high: number): Bins {
  const width = (high - low) / bins || 1 / bins;
  const counts = Array.from({ length: bins }, (_, bin) => ({ from: low + bin * width, to: low + (bin + 1) * width, count: 0 }));
  for (const value of values) counts[Math.min(bins - 1, Math.floor((value - low) / width))]!.count += 1;
  return counts;
}

/** How the best scores of the chance series are spread, with room for a count's own; both in rising order, at most 1. */
export const scoreBins = (scores: readonly number[], score: number): Bins => binned(scores, Math.floor(Math.min(score, scores[0] ?? score) * 20) / 20, 1);

/** The same for rarities, which have no upper bound. */
export const rarityBins = (rarities: readonly number[], rarity: number): Bins =>
  binned(rarities, Math.floor(Math.min(rarity, rarities[0] ?? rarity)), Math.ceil(Math.max(rarity, rarities.at(-1) ?? rarity) + 0.01));
