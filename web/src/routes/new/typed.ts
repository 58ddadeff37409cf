import type { JobSpec } from '../../services/jobs';

/** As in the form; empty ones are not sent. */
export interface Limits {
  /** Of an input of type datetime-local: in the reader's own time zone. */
  deadline: string;
  minutes: number | null;
  unique: string;
}

/** The value of a datetime-local input in the API's format; none if invalid. */
export function asTime(local: string): string | undefined {
  const time = new Date(local);
  return local && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}

export function limitsOf({ deadline, minutes, unique }: Limits): Pick<JobSpec, 'deadline' | 'timeout_seconds' | 'unique'> {
  const time = asTime(deadline);
  return {
    ...(time && { deadline: time }),
    ...(minutes && { timeout_seconds: minutes * 60 }),
    ...(unique.trim() && { unique: { key: unique.trim(), on_conflict: 'refuse' as const } }),
  };
}

/** Labels as people type them: "desk=energy, quarter=3". */
export interface ParsedLabels {
  labels: Record<string, string>;
  error: string | undefined;
}

export const labelsText = (labels: Record<string, string>): string => Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(', ');

const most = 16;

export function parseLabels(text: string): ParsedLabels {
  const labels: Record<string, string> = {};
  for (const part of text.split(',').map((piece) => piece.trim()).filter(Boolean)) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at < 0 || name === '') return { labels: {}, error: `“${part}” must have the form name=value.` };
    labels[name] = part.slice(at + 1).trim();
  }
  if (Object.keys(labels).length > most) return { labels: {}, error: `A job may have at most ${most} labels.` };
  return { labels, error: undefined };
}
