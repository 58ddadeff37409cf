/** Numbers, durations and times as people read them, in the browser's locale. A number stays with its unit (\u00a0). */

const integer = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

export const count = (value: number): string => integer.format(value);

/** "1 text", "2,000 texts": English plurals, which is all the pages' words need. */
export const counted = (value: number, singular: string, plural = `${singular}s`): string =>
  `${integer.format(value)} ${value === 1 ? singular : plural}`;

/** Share of a whole. Never rounds a positive share to 0 %, or one below 1 to 100 %. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const value = (part / whole) * 100;
  if (value > 0 && value < 1) return '< 1\u00a0%';
  if (value > 99 && value < 100) return '> 99\u00a0%';
  return `${Math.round(value)}\u00a0%`;
}

/** With as many decimals as needed, at most `digits`. */
export const decimal = (value: number, digits: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: digits });

/** Sign always shown, a true minus, and 0 without a sign. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A short unit stays with its number, a long one has no room for that on a phone; an empty one is none. */
export const withUnit = (number: string, unit: string): string => `${number}${unit.length > 4 ? ' ' : unit && '\u00a0'}${unit}`;

/** Items per second, to three significant digits. */
export const rate = (perSecond: number, items: string): string =>
  withUnit(compact.format(perSecond), `${items}/s`);

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${compact.format(value)}\u00a0${units[unit]}`;
}

/** "380 ms", "12 s", "3 min 20 s", "2 h 5 min", "4 d 3 h": two units at most. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}\u00a0ms`;
  const seconds = Math.round(milliseconds / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}\u00a0${unit}`)
    .join(' ');
}

/** "just now", "5 min ago", "in 2 h", "14 months ago". */
export function relative(time: Date, now: Date): string {
  const difference = now.getTime() - time.getTime();
  const size = Math.abs(difference);
  if (size < 10_000) return 'just now';
  const minutes = Math.round(size / 60_000);
  const hours = Math.round(size / 3_600_000);
  const days = Math.round(size / 86_400_000);
  const text =
    size < 60_000 ? `${Math.round(size / 1000)} s`
    : minutes < 60 ? `${minutes} min`
    : hours < 48 ? `${hours} h`
    : days < 60 ? `${days} d`
    : days < 730 ? `${Math.round(days / 30.44)} months`
    : `${Math.round(days / 365.25)} years`;
  return difference < 0 ? `in ${text}` : `${text} ago`;
}

type Zone = 'local' | 'utc';
const moments: Partial<Record<Zone, Intl.DateTimeFormat>> = {};
/** Made once, because it takes longer than everything else in a list row, and only when a time is shown. */
const momentsOf = (zone: Zone) =>
  (moments[zone] ??= new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
    timeZone: zone === 'utc' ? 'UTC' : undefined,
  }));

/** Date and time to the second, in local time or UTC, with the zone named. */
export const absolute = (time: Date, zone: Zone): string => momentsOf(zone).format(time) + (zone === 'utc' ? ' UTC' : '');
