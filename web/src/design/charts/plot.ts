/** Geometry that charts share, in CSS pixels: they are as wide as their container, so that text keeps its size. */
export const height = 260;
export const left = 64;
export const right = 12;
export const top = 26;
export const bottom = 28;

export type Scale = (value: number) => number;

export const linear = (from: number, to: number, low: number, high: number): Scale => {
  const span = to - from || 1;
  return (value) => low + ((value - from) / span) * (high - low);
};

export const logarithmic = (from: number, to: number, low: number, high: number): Scale => {
  const scale = linear(Math.log(Math.max(from, 1)), Math.log(Math.max(to, 2)), low, high);
  return (value) => scale(Math.log(Math.max(value, 1)));
};

export const path = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** Three or four round values from 0 to the largest. */
export function ticks(most: number): number[] {
  const raw = most / 4;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * unit >= raw) ?? 10) * unit;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

/** Powers of two, or of four if those would crowd; the ends if the range has fewer than two. */
export function powers(from: number, to: number): number[] {
  const all: number[] = [];
  for (let value = 1; value <= to; value *= 2) if (value >= from) all.push(value);
  // Fewer than two powers make no scale: use the ends.
  if (all.length < 2) return [...new Set([from, to])];
  return all.length > 9 ? all.filter((_, index) => index % 2 === 0) : all;
}
