import type { Preview } from './policies';

export interface Part {
  /** Times of the day, "09:30". */
  from: string;
  until: string;
  model: string;
  market: string;
  /** Of the day, 0 to 1. */
  share: number;
}

export interface Day {
  name: string;
  parts: Part[];
}

const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const whole = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

export const moment = (time: string): string => whole.format(new Date(time));

/** "in 3 h 20 min". */
export function relative(from: string, until: string): string {
  const minutes = Math.round((Date.parse(until) - Date.parse(from)) / 60_000);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `in ${Math.floor(hours / 24)} days`;
  if (hours === 0) return `in ${minutes} min`;
  return minutes % 60 === 0 ? `in ${hours} h` : `in ${hours} h ${minutes % 60} min`;
}

/** The models of a preview, that of now first. */
export const modelsOf = ({ choice, spans }: Preview): string[] => [...new Set([choice.model, ...spans.map(({ model }) => model)])];

/** The spans of a preview by days of the reader's own clock; the first and the last day are filled up. */
export function days({ spans }: Preview): Day[] {
  const found: Day[] = [];
  const begin = new Date(spans[0]!.from);
  const last = Date.parse(spans.at(-1)!.until);
  const start = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate());
  for (let midnight = start; midnight.getTime() < last; ) {
    const next = new Date(midnight.getFullYear(), midnight.getMonth(), midnight.getDate() + 1);
    const length = next.getTime() - midnight.getTime();
    const parts = spans.flatMap(({ from, until, model, market }) => {
      const first = Math.max(Date.parse(from), midnight.getTime());
      const end = Math.min(Date.parse(until), next.getTime());
      if (first >= end) return [];
      return [{ from: hour.format(first), until: end === next.getTime() ? '24:00' : hour.format(end), model, market, share: (end - first) / length }];
    });
    found.push({ name: dayName.format(midnight), parts: withGap(parts, midnight, spans[0]!.from, length) });
    midnight = next;
  }
  return found.slice(0, 7);
}

/** The past part of the first day is a span without a model. */
function withGap(parts: Part[], midnight: Date, from: string, length: number): Part[] {
  const passed = Date.parse(from) - midnight.getTime();
  return passed > 0 ? [{ from: '00:00', until: hour.format(new Date(from)), model: '', market: 'passed', share: passed / length }, ...parts] : parts;
}
