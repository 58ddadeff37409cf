/** A user's own jobs at a glance. */

import { countJobs, jobStates, listJobs, moves, type Job, type JobCounts } from '../../services/jobs';

export interface Work {
  /** The newest, and the newest of each state. */
  jobs: Job[];
  /** Of all the user's jobs. */
  counts: JobCounts['jobs'];
}

/** At most so many jobs of a state are shown. */
export const most = 5;
const newest = 50;

const has = (jobs: readonly Job[], state: string) => jobs.filter((job) => job.state === state).length;
const countsOf = (jobs: readonly Job[]) => Object.fromEntries(jobStates.map((state) => [state, has(jobs, state)])) as JobCounts['jobs'];

export async function readWork(submitter: string, signal: AbortSignal): Promise<Work> {
  const { items, next_cursor } = await listJobs({ submitter }, undefined, signal, newest);
  if (!next_cursor) return { jobs: items, counts: countsOf(items) };
  const { jobs: counts } = await countJobs({ submitter }, signal);
  // Of many queued jobs the oldest run first: what runs, and what has just ended, may be older than the newest.
  const hidden = jobStates.filter((state) => has(items, state) < Math.min(most, counts[state]));
  const older = await Promise.all(hidden.map((state) => listJobs({ submitter, state }, undefined, signal, most)));
  const byId = new Map([...items, ...older.flatMap((page) => page.items)].map((job) => [job.id, job]));
  return { jobs: [...byId.values()], counts };
}

/** Whether any of the jobs will change soon. */
export const isMoving = ({ counts }: Work): boolean => jobStates.some((state) => moves(state) && counts[state] > 0);
