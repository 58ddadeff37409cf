import type { components } from '../../api/schema';

type Series = components['schemas']['SentimentSeries'] & object;
type Point = Series['points'][number];
type Unit = Series['unit'];

/** The first moment of the next hour, day, month or year, in UTC. */
function next(from: string, unit: Unit): string {
  const at = new Date(from);
  if (unit === 'hour') at.setUTCHours(at.getUTCHours() + 1);
  else if (unit === 'day') at.setUTCDate(at.getUTCDate() + 1);
  else if (unit === 'month') at.setUTCMonth(at.getUTCMonth() + 1);
  else at.setUTCFullYear(at.getUTCFullYear() + 1);
  return at.toISOString();
}

/** More would be too thin to see or to point at. */
const most = 400;

/** Includes periods without texts, unless there are too many. */
export function everyPoint({ unit, points }: Series): { from: string; point?: Point }[] {
  const known = new Map(points.map((point) => [new Date(point.from).toISOString(), point]));
  const every: { from: string; point?: Point }[] = [];
  const last = [...known.keys()].at(-1)!;
  for (let from = [...known.keys()][0]!; from <= last; from = next(from, unit)) {
    if (every.length === most) return points.map((point) => ({ from: point.from, point }));
    every.push({ from, point: known.get(from) });
  }
  return every;
}

export function nameOf(from: string, unit: Unit): string {
  if (unit === 'year') return from.slice(0, 4);
  if (unit === 'month') return from.slice(0, 7);
  if (unit === 'day') return from.slice(0, 10);
  return `${from.slice(0, 10)} ${from.slice(11, 16)}`;
}
