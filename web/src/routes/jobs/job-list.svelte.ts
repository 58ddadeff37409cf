import { finished, listJobs, type Job, type JobFilter } from '../../services/jobs';
import { asProblem, type Problem } from '../../services/problem';
import { repeat } from '../../services/repeat';

const busyPause = 1_000; // milliseconds between looks while something moves
const quietPause = 5_000;

/** The team's jobs, newest first: the first page is looked at again and again, further pages are added
    on request and keep their last known state. */
export class JobList {
  jobs = $state.raw<readonly Job[]>();
  problem = $state.raw<Problem>();
  more = $state(false);
  loadingMore = $state(false);
  #cursor: string | null = null;
  #abort = new AbortController();
  #stop: () => void;

  constructor(readonly filter: JobFilter) {
    this.#stop = repeat(() => this.#refresh());
  }

  stop(): void {
    this.#stop();
    this.#abort.abort();
  }

  retry(): void {
    this.#stop();
    this.#stop = repeat(() => this.#refresh());
  }

  async loadMore(): Promise<void> {
    if (!this.#cursor || this.loadingMore) return;
    this.loadingMore = true;
    try {
      const page = await listJobs(this.filter, this.#cursor, this.#abort.signal);
      this.jobs = merge(this.jobs ?? [], page.items);
      this.#setCursor(page.next_cursor);
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    this.loadingMore = false;
  }

  async #refresh(): Promise<number> {
    try {
      const page = await listJobs(this.filter, undefined, this.#abort.signal);
      const older = (this.jobs ?? []).slice(page.items.length);
      // While only the first page is shown, it is the truth; with more loaded, it is their head.
      if (!this.jobs || older.length === 0 || !page.next_cursor) {
        this.jobs = page.items;
        this.#setCursor(page.next_cursor);
      } else {
        this.jobs = merge(page.items, this.jobs);
      }
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    return this.jobs?.some((job) => !finished(job.state)) ? busyPause : quietPause;
  }

  #setCursor(cursor: string | null): void {
    this.#cursor = cursor;
    this.more = cursor !== null;
  }

  #fail(caught: unknown): void {
    if (!this.#abort.signal.aborted) this.problem = asProblem(caught);
  }
}

/** The head's jobs, then those of the tail that are not among them. */
function merge(head: readonly Job[], tail: readonly Job[]): Job[] {
  const known = new Set(head.map((job) => job.id));
  return [...head, ...tail.filter((job) => !known.has(job.id))];
}
