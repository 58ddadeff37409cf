import { asDay, timesOf } from '../../design/text/days';
import { asState, type Job, type JobDeviceClass, type JobFilter } from '../../services/jobs';

/** The content of the jobs page, from its address. */
export interface View {
  /** The time-independent part. */
  filter: Omit<JobFilter, 'from' | 'to'>;
  since: Span | undefined;
  /** Days, as "2026-11-24": from the first to the last, both included. */
  from: string | undefined;
  to: string | undefined;
}

const minute = 60_000; // milliseconds
export const spans = {
  '1h': { text: 'Last hour', length: 60 * minute },
  '1d': { text: 'Last 24 hours', length: 24 * 60 * minute },
  '7d': { text: 'Last 7 days', length: 7 * 24 * 60 * minute },
  '30d': { text: 'Last 30 days', length: 30 * 24 * 60 * minute },
} as const;
export type Span = keyof typeof spans;

export const deviceClasses: Record<JobDeviceClass, string> = { gpu: 'GPU', cpu: 'CPU', accelerator: 'Accelerator', host: 'Host' };

/** The words of the address that are filters, in the order in which they are written. */
export const filterNames = ['q', 'kind', 'by', 'device', 'since', 'from', 'to', 'label', 'state'] as const;

const ofKeys = <Keys extends string>(text: string | null, keys: Record<Keys, unknown>): Keys | undefined =>
  text !== null && Object.hasOwn(keys, text) ? (text as Keys) : undefined;
const asDevice = (text: string | null) => (text !== null && /^[^/]+\/.+$/s.test(text) ? text : undefined);
const asLabel = (text: string | null) => (text !== null && /^[^=]+(=.*)?$/s.test(text) ? text : undefined);

export function readView(query: URLSearchParams): View {
  const filter = {
    kind: query.get('kind') || undefined,
    state: asState(query.get('state')),
    label: asLabel(query.get('label')),
    submitter: query.get('by') || undefined,
    device_class: ofKeys(query.get('device'), deviceClasses),
    device: asDevice(query.get('device')),
    text: query.get('q')?.trim() || undefined,
  };
  const days = { from: asDay(query.get('from')), to: asDay(query.get('to')) };
  return { filter, since: ofKeys(query.get('since'), spans), ...days };
}

/** The filter as the server takes it now: "the last hour" ends now. */
export function filterOf({ filter, since, from, to }: View, now: number): JobFilter {
  const times = timesOf({ from, to });
  return { ...filter, ...times, from: times.from ?? (since && new Date(now - spans[since].length).toISOString()) };
}

export const filtered = (view: View): boolean =>
  Boolean(view.since || view.from || view.to) || Object.values(view.filter).some(Boolean);

/** The filters of an address, always written alike, so that two of them can be compared. */
export function writtenFilters(query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of filterNames) {
    const value = query.get(name)?.trim();
    if (value) kept.set(name, value);
  }
  return kept.toString();
}

/** How long a job waited for its start, or has by now; null while it is scheduled and where it never started. */
export function waitOf({ state, created_at, run_at, started_at, finished_at }: Pick<Job, 'state' | 'created_at' | 'run_at' | 'started_at' | 'finished_at'>, now: number): number | null {
  if (state === 'scheduled' || (!started_at && finished_at)) return null;
  const ready = Math.max(Date.parse(created_at), run_at ? Date.parse(run_at) : 0);
  return Math.max(0, (started_at ? Date.parse(started_at) : now) - ready);
}

/** How long it ran, or has by now. */
export function runOf({ started_at, finished_at }: Pick<Job, 'started_at' | 'finished_at'>, now: number): number | null {
  if (!started_at) return null;
  return Math.max(0, (finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at));
}

/** Why a job failed, in one line. */
export const faultOf = (job: Pick<Job, 'state' | 'error' | 'last_error' | 'tasks_failed'>): string | null => job.error ?? (job.state === 'failed' || job.tasks_failed > 0 ? job.last_error : null);
