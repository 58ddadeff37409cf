import { asProblem, type Problem } from './problem';
import { repeat } from './repeat';

const busyPause = 1_000; // milliseconds between looks while something moves
const quietPause = 5_000;

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

interface Source<T> {
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  /** Whether it will change soon. */
  moves: (item: T) => boolean;
}

/** A long list, newest first: the first page is looked at again and again, further pages are added on
    request and keep their last known state. */
export class PagedList<T extends { id: string }> {
  items = $state.raw<readonly T[]>();
  problem = $state.raw<Problem>();
  more = $state(false);
  loadingMore = $state(false);
  #source: Source<T>;
  #cursor: string | null = null;
  #abort = new AbortController();
  #stop: () => void;

  constructor(source: Source<T>) {
    this.#source = source;
    this.#stop = repeat(() => this.#refresh());
  }

  stop(): void {
    this.#stop();
    this.#abort.abort();
  }

  /** Looks at once, and from then on as before. */
  retry(): void {
    this.#stop();
    this.#stop = repeat(() => this.#refresh());
  }

  async loadMore(): Promise<void> {
    if (!this.#cursor || this.loadingMore) return;
    this.loadingMore = true;
    try {
      const page = await this.#source.read(this.#cursor, this.#abort.signal);
      this.items = merge(this.items ?? [], page.items);
      this.#setCursor(page.next_cursor);
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    this.loadingMore = false;
  }

  async #refresh(): Promise<number> {
    try {
      const page = await this.#source.read(undefined, this.#abort.signal);
      const older = (this.items ?? []).slice(page.items.length);
      // While only the first page is shown, it is the truth; with more loaded, it is their head.
      if (!this.items || older.length === 0 || !page.next_cursor) {
        this.items = page.items;
        this.#setCursor(page.next_cursor);
      } else {
        this.items = merge(page.items, this.items);
      }
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    return this.items?.some(this.#source.moves) ? busyPause : quietPause;
  }

  #setCursor(cursor: string | null): void {
    this.#cursor = cursor;
    this.more = cursor !== null;
  }

  #fail(caught: unknown): void {
    if (!this.#abort.signal.aborted) this.problem = asProblem(caught);
  }
}

/** The head's items, then those of the tail that are not among them. */
function merge<T extends { id: string }>(head: readonly T[], tail: readonly T[]): T[] {
  const known = new Set(head.map(({ id }) => id));
  return [...head, ...tail.filter(({ id }) => !known.has(id))];
}
