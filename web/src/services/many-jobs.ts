/** Actions on many jobs: those that are named, or all that a filter finds. */

import { api } from './client';
import type { JobFilter } from './jobs';

/** The outcome of an action on many jobs. */
export interface Outcome {
  done: number;
  /** The server's reason for each that it refused. */
  refused: string[];
}

/** What one call did; a cursor if its filter finds more. */
interface Part {
  done: number;
  refused: readonly { detail: string }[];
  next_cursor: string | null;
}
type BulkStates<State> = Omit<JobFilter, 'state'> & { state?: State };
type CancelFilter = BulkStates<'scheduled' | 'queued' | 'running'>;
type RedriveFilter = BulkStates<'failed' | 'cancelled'>;

/** As many ids as one call takes. */
const mostNamed = 1_000;

async function cancel(body: { job_ids: string[] } | { filter: CancelFilter & { cursor?: string } }): Promise<Part> {
  const { data } = await api.POST('/v1/cancellations', { body });
  return { done: data!.cancelled, refused: data!.refused, next_cursor: data!.next_cursor };
}

async function redrive(body: { job_ids: string[] } | { filter: RedriveFilter & { cursor?: string } }): Promise<Part> {
  const { data } = await api.POST('/v1/redrives', { body });
  return { done: data!.redriven, refused: data!.refused, next_cursor: data!.next_cursor };
}

function add(outcome: Outcome, { done, refused }: Part) {
  outcome.done += done;
  outcome.refused.push(...refused.map(({ detail }) => detail));
}

async function toNamed(ids: readonly string[], act: (body: { job_ids: string[] }) => Promise<Part>): Promise<Outcome> {
  const outcome: Outcome = { done: 0, refused: [] };
  for (let from = 0; from < ids.length; from += mostNamed) add(outcome, await act({ job_ids: ids.slice(from, from + mostNamed) }));
  return outcome;
}

async function toMatching<Filter>(filter: Filter, act: (body: { filter: Filter & { cursor?: string } }) => Promise<Part>, onprogress: (done: number) => void): Promise<Outcome> {
  const outcome: Outcome = { done: 0, refused: [] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = await act({ filter: { ...filter, ...(cursor && { cursor }) } });
    add(outcome, part);
    onprogress(outcome.done);
    cursor = part.next_cursor;
  }
  return outcome;
}

/** Redrives these jobs; returns how many were, and why the others were not. */
export const redriveJobs = (ids: readonly string[]) => toNamed(ids, redrive);

/** Cancels these jobs; returns how many were, and why the others were not. */
export const cancelJobs = (ids: readonly string[]) => toNamed(ids, cancel);

/** Cancels all jobs that the filter finds, and tells after each call how many are done. */
export const cancelMatching = (filter: CancelFilter, onprogress: (done: number) => void) => toMatching(filter, cancel, onprogress);

/** Redrives all jobs of one state that the filter finds, and tells after each call how many are done. */
export const redriveMatching = (filter: RedriveFilter, onprogress: (done: number) => void) => toMatching(filter, redrive, onprogress);
