import { count, counted } from '../design/text/format';
import { finished, type Job } from '../services/jobs';
import type { JobKind } from './kind';
import * as registry from './registry';

/** Every job kind of the registry: those that answer on the home page first, then by title. */
export const kinds: readonly JobKind[] = (Object.values(registry) as unknown as JobKind[])
  .sort((a, b) => Number(!a.Answer) - Number(!b.Answer) || a.title.localeCompare(b.title));

export const kindOf = (name: string): JobKind | undefined => kinds.find((kind) => kind.kind === name);

/** Jobs of a kind that these pages do not know still have a name and a count. */
export const describeJob = (job: Job): string =>
  kindOf(job.kind)?.describe(job) ?? `${job.progress.items_total} items`;

/** A job's own name or, without one, a description. */
export const titleOf = (job: Job): string => {
  const kind = kindOf(job.kind);
  return job.name ?? kind?.entitle?.(job) ?? `${kind?.title ?? job.kind}: ${describeJob(job)}`;
};

/** "3 of 10 texts"; if tasks work together on their items, all items end at the same time. */
export function itemWords(job: Pick<Job, 'kind' | 'state' | 'progress'>): string {
  const nouns = itemsOf(job);
  const { items_total, items_done, fraction } = job.progress;
  const together = !finished(job.state) && items_done === 0 && fraction > 0;
  return together ? `${counted(items_total, ...nouns)}, finishing together` : `${count(items_done)} of ${count(items_total)} ${nouns[1]}`;
}

export const itemsOf = (job: Pick<Job, 'kind'>): readonly [string, string] => kindOf(job.kind)?.items ?? ['item', 'items'];
