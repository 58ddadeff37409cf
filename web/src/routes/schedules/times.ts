/** "2026-03-29T03:00:00+02:00", in the time zone's local time: day, time and offset. */
export function readLocal(local: string): { day: string; time: string; offset: string } {
  const [date = '', rest = ''] = local.split('T');
  // The day as it is there, whatever the browser's own zone: noon UTC is that day everywhere it is formatted.
  const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return { day: day.format(new Date(`${date}T12:00:00Z`)), time: rest.slice(0, 5), offset: `UTC${rest.slice(8)}` };
}

/** Whether clocks in the time zone of `local` show what the reader's do at that moment. */
export function asHere(at: string, local: string, zone: 'local' | 'utc'): boolean {
  const there = Math.round((Date.parse(`${local.slice(0, 19)}Z`) - Date.parse(at)) / 60_000);
  return there === (zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset());
}

/** The outcome's reason; an argument that it is about is named without its JSON pointer: "Dataset: …". */
export const reasonText = (reason: string): string =>
  reason.replace(/^\/(?:[^/:\s]+\/)*([^/:\s])([^/:\s]*): /, (_, first: string, rest: string) => `${first.toUpperCase()}${rest.replaceAll('_', ' ')}: `);

export const misfires = [
  ['once', 'Run once for all missed runs'],
  ['skip', 'Skip them'],
  ['all', 'Run all missed runs, latest first'],
] as const;

export const overlaps = [
  ['skip', 'Skip the new run'],
  ['allow', 'Run both'],
  ['cancel', 'Cancel the earlier job'],
  ['queue', 'Submit it after the earlier job has finished'],
] as const;

export const wordFor = (words: readonly (readonly [string, string])[], value: string): string =>
  words.find(([key]) => key === value)?.[1] ?? value;
