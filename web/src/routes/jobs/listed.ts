import { describeJob, kindOf, titleOf } from '../../jobs/kinds';
import type { Job } from '../../services/jobs';

/** A job as its line of the list needs it: a list may hold a hundred thousand, and labels, arguments and links are most of a
    job's memory. */
export interface ListedJob extends Pick<Job,
  'id' | 'kind' | 'state' | 'progress' | 'tasks_failed' | 'error' | 'last_error' | 'device_class' | 'submitter' | 'created_at' | 'run_at' | 'started_at' | 'finished_at'> {
  title: string;
  /** Labels first: a user chose them. A job without a name says in its title what it is. */
  about: string;
}

/** There are few users: each is stored once. */
const people = new Map<string, ListedJob['submitter']>();
function once(submitter: ListedJob['submitter']): ListedJob['submitter'] {
  const known = people.get(submitter.id);
  if (known?.name === submitter.name) return known;
  people.set(submitter.id, submitter);
  return submitter;
}

export function listed(job: Job): ListedJob {
  const { id, kind, state, progress, tasks_failed, error, last_error, device_class, submitter, created_at, run_at, started_at, finished_at } = job;
  const labels = Object.entries(job.labels).map(([name, value]) => (value ? `${name}=${value}` : name));
  const about = [...labels, ...(job.name === null ? [] : [`${kindOf(kind)?.title ?? kind}, ${describeJob(job)}`])].join(' · ');
  return { id, kind, state, progress, tasks_failed, error, last_error, device_class, submitter: once(submitter), created_at, run_at, started_at, finished_at, title: titleOf(job), about };
}
