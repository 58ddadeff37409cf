import { duration } from '../../design/text/format';
import type { UsageItem } from '../../services/usage';

/** The times that the page can show. They end with the current hour, day or month; all in UTC, as on the server. */

export type Step = 'hour' | 'day' | 'month';

export interface Period {
  value: string;
  text: string;
  step: Step;
  steps: number;
}

export const periods: readonly Period[] = [
  { value: 'day', text: '24 hours', step: 'hour', steps: 24 },
  { value: 'week', text: '7 days', step: 'day', steps: 7 },
  { value: 'month', text: '30 days', step: 'day', steps: 30 },
  { value: 'year', text: '12 months', step: 'month', steps: 12 },
];

function begin(step: Step, year: number, month: number, day: number, hour: number): Date {
  return new Date(Date.UTC(year, month, step === 'month' ? 1 : day, step === 'hour' ? hour : 0));
}

/** When each hour, day or month of the period begins, and when the last one ends. */
export function stepsOf({ step, steps }: Period, now: Date): { starts: Date[]; end: Date } {
  const at = (back: number) =>
    begin(
      step,
      now.getUTCFullYear(),
      now.getUTCMonth() - (step === 'month' ? back : 0),
      now.getUTCDate() - (step === 'day' ? back : 0),
      now.getUTCHours() - (step === 'hour' ? back : 0),
    );
  return { starts: Array.from({ length: steps }, (_, index) => at(steps - 1 - index)), end: at(-1) };
}

const formats: Record<Step, Intl.DateTimeFormatOptions> = {
  hour: { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
};

export const nameOf = (step: Step, start: Date): string =>
  new Intl.DateTimeFormat(undefined, { ...formats[step], timeZone: 'UTC' }).format(start);

export const usedTime = (seconds: number): string => (seconds === 0 ? '0 s' : duration(seconds * 1000));

/** Device time in each step, as Bars draws it. */
export function barsOf(step: Step, starts: readonly Date[], items: readonly UsageItem[]) {
  const used = new Map(items.map((item) => [Date.parse(item.start!), item.device_seconds]));
  const amounts = starts.map((start) => used.get(start.getTime()) ?? 0);
  const highest = Math.max(...amounts);
  const names = starts.map((start) => nameOf(step, start));
  return {
    label: `Device time in each ${step}`,
    headings: ['From', 'Device time'],
    ceiling: usedTime(highest),
    bars: amounts.map((amount, index) => ({ key: index, height: highest > 0 ? amount / highest : 0, name: names[index]!, words: usedTime(amount) })),
    ends: [names[0]!, names[Math.floor(names.length / 2)]!, names.at(-1)!],
    rows: amounts.map((amount, index) => [names[index]!, usedTime(amount)]),
  };
}
