/** What a PriceChart draws, and its geometry in CSS pixels. */

/** Bars one after the other; `step` bars of the source are put together into each. Without open, high and low the
    closes are all there is. */
export interface PriceBars {
  first: number;
  step: number;
  dates: readonly string[];
  open: readonly number[];
  high: readonly number[];
  low: readonly number[];
  close: readonly number[];
}

/** A labelled zigzag; `bar` counts bars of the source. */
export interface Zigzag {
  tone: 'main' | 'other';
  points: readonly { bar: number; price: number; label: string }[];
}

/** A horizontal line from the bar `from` on, with a word behind it, and others before that word where there is room. */
export interface Level {
  tone: 'target' | 'limit' | 'last';
  from: number;
  price: number;
  text: string;
  before?: string;
}

export const wordsOf = ({ text, before }: Level, narrow: boolean): string => (narrow || before === undefined ? text : `${before} ${text}`);

export const margin = { left: 62, right: 16, top: 26, bottom: 30 };

/** Room for the words behind levels, of 13 px text. */
export const roomFor = (levels: readonly Level[], narrow: boolean): number =>
  levels.length === 0 ? margin.right : 16 + 7.5 * Math.max(...levels.map((level) => wordsOf(level, narrow).length));

/** The bars from `begin` to before `end` of the source. */
export function cut(bars: PriceBars, begin: number, end: number): PriceBars {
  const from = Math.max(0, Math.floor((begin - bars.first) / bars.step));
  const to = Math.max(from + 1, Math.ceil((end - bars.first) / bars.step));
  const part = <T>(column: readonly T[]) => column.slice(from, to);
  return {
    first: bars.first + from * bars.step,
    step: bars.step,
    dates: part(bars.dates),
    open: part(bars.open),
    high: part(bars.high),
    low: part(bars.low),
    close: part(bars.close),
  };
}

/** Lowest and highest price to show: all bars and zigzags, and those levels that would not flatten them. */
export function priceRange(bars: PriceBars, zigzags: readonly Zigzag[], levels: readonly Level[]): [number, number] {
  const prices = [...bars.close, ...bars.high, ...bars.low, ...zigzags.flatMap(({ points }) => points.map(({ price }) => price))];
  let low = Infinity;
  let high = -Infinity;
  for (const price of prices) {
    low = Math.min(low, price);
    high = Math.max(high, price);
  }
  const room = (high - low) * 0.6;
  const [least, most] = [low - room, high + room];
  for (const { price } of levels) {
    if (price <= least || price >= most) continue;
    low = Math.min(low, price);
    high = Math.max(high, price);
  }
  const edge = Math.max((high - low) * 0.06, high * 1e-6);
  return [low - edge, high + edge];
}

/** About five round prices between the two. */
export function priceTicks(low: number, high: number): number[] {
  const raw = (high - low) / 5;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * unit >= raw) ?? 10) * unit;
  const ticks: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push(value);
  return ticks;
}

/** Moves overlapping labels apart, each as little as needed. Takes and returns their centres, in the given order. */
export function spread(places: readonly number[], gap: number): number[] {
  const order = places.map((_, index) => index).sort((a, b) => places[a]! - places[b]!);
  const moved = [...places];
  for (let n = 1; n < order.length; n += 1) {
    moved[order[n]!] = Math.max(moved[order[n]!]!, moved[order[n - 1]!]! + gap);
  }
  return moved;
}
