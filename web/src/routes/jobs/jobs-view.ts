import { titleOf } from '../../jobs/kinds';
import { asState, type Job, type JobFilter } from '../../services/jobs';

/** What the jobs page shows, as its address says it. The server knows the filter; the rest is looked for in what it
    answers. */
export interface View {
  filter: JobFilter;
  by: string | undefined;
  since: Span | undefined;
  /** As somebody typed it. */
  text: string;
}

const minute = 60_000; // milliseconds
export const spans = {
  '1h': { text: 'Last hour', length: 60 * minute },
  '1d': { text: 'Last 24 hours', length: 24 * 60 * minute },
  '7d': { text: 'Last 7 days', length: 7 * 24 * 60 * minute },
  '30d': { text: 'Last 30 days', length: 30 * 24 * 60 * minute },
} as const;
export type Span = keyof typeof spans;

const asSpan = (text: string | null): Span | undefined => (text !== null && Object.hasOwn(spans, text) ? (text as Span) : undefined);

export function readView(query: URLSearchParams): View {
  const filter = {
    kind: query.get('kind') ?? undefined,
    state: asState(query.get('state')),
    label: query.get('label') ?? undefined,
  };
  return { filter, by: query.get('by') ?? undefined, since: asSpan(query.get('since')), text: query.get('q') ?? '' };
}

/** Whether some of the answered jobs may not be meant. */
export const narrows = ({ by, since, text }: View): boolean => Boolean(by || since || text.trim());

export const filtered = (view: View): boolean => narrows(view) || Object.values(view.filter).some(Boolean);

/** The oldest moment that is meant. */
export const earliest = (since: Span | undefined, now: number): number => (since ? now - spans[since].length : -Infinity);

const words = new WeakMap<Job, string>();
function wordsOf(job: Job): string {
  let text = words.get(job);
  if (text === undefined) {
    const labels = Object.entries(job.labels).map(([name, value]) => `${name}=${value}`);
    text = [titleOf(job), job.id, ...labels].join('\n').toLowerCase();
    words.set(job, text);
  }
  return text;
}

/** The jobs that are meant: every word of the text must stand in a job's name, id or labels. */
export function select(jobs: readonly Job[], { by, since, text }: View, now: number): readonly Job[] {
  const from = earliest(since, now);
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return jobs.filter(
    (job) =>
      (!by || job.submitter.name === by) &&
      (!since || Date.parse(job.created_at) >= from) &&
      wanted.every((word) => wordsOf(job).includes(word)),
  );
}

/** How long a job waited for its start, or has by now; null while it is scheduled and where it never started. */
export function waitOf({ state, created_at, run_at, started_at, finished_at }: Job, now: number): number | null {
  if (state === 'scheduled' || (!started_at && finished_at)) return null;
  const ready = Math.max(Date.parse(created_at), run_at ? Date.parse(run_at) : 0);
  return Math.max(0, (started_at ? Date.parse(started_at) : now) - ready);
}

/** How long it ran, or has by now. */
export function runOf({ started_at, finished_at }: Job, now: number): number | null {
  if (!started_at) return null;
  return Math.max(0, (finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at));
}

/** Why a job did not do what it should, as far as one line tells it. */
export const faultOf = (job: Job): string | null => job.error ?? (job.state === 'failed' || job.tasks_failed > 0 ? job.last_error : null);
