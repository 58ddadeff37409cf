import { pageSize, renew, type ListPage, type PageAnswer } from './pages';
import { asProblem, type Problem } from './problem';
import { repeat } from './repeat';

const busyPause = 1_000; // milliseconds between polls while something changes
const quietPause = 5_000;

interface Source<T> {
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<PageAnswer<T>>;
  /** Whether it will change soon. */
  moves: (item: T) => boolean;
}

/** A long list, newest first. Polls the newest page, and older pages with visible, changing entries, so that the
    screen is always current. Older pages are added on request. */
export class PagedList<T extends { id: string }> {
  items = $state.raw<readonly T[]>();
  problem = $state.raw<Problem>();
  more = $state(false);
  loadingMore = $state(false);
  /** How many older pages in a row were less than half full: a search that finds little says so. */
  sparse = $state(0);
  #pages: ListPage<T>[] = [];
  #seen = { from: 0, to: 0 };
  #source: Source<T>;
  #cursor: string | null = null;
  #loading: Promise<void> | undefined;
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

  /** Polls immediately, and then continues as before. */
  retry(): void {
    this.#stop();
    this.#stop = repeat(() => this.#refresh());
  }

  /** The range of entries on the screen, excluding its end; without it, only the newest page is polled. */
  see(from: number, to: number): void {
    this.#seen = { from, to };
  }

  /** Adds the next older page; whoever asks while one is on its way waits for that one. */
  loadMore(): Promise<void> {
    if (!this.#cursor) return Promise.resolve();
    this.#loading ??= this.#loadOlder(this.#cursor);
    return this.#loading;
  }

  async #loadOlder(cursor: string): Promise<void> {
    this.loadingMore = true;
    try {
      const { items, next_cursor } = await this.#source.read(cursor, this.#abort.signal);
      // A refresh may have dropped the older pages meanwhile: then this one continues nothing.
      if (this.#cursor === cursor) this.#show([...this.#pages, { cursor, items }], next_cursor);
      this.sparse = items.length < pageSize / 2 ? this.sparse + 1 : 0;
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    // In this order: who waits for the end of one load may begin the next.
    this.#loading = undefined;
    this.loadingMore = false;
  }

  async #refresh(): Promise<number> {
    try {
      await this.#reread(undefined);
      for (const cursor of this.#moving()) await this.#reread(cursor);
      this.problem = undefined;
    } catch (caught) {
      this.#fail(caught);
    }
    return this.#pages[0]?.items.some(this.#source.moves) || this.#moving().length > 0 ? busyPause : quietPause;
  }

  /** Older pages with visible, changing entries. */
  #moving(): (string | undefined)[] {
    const { from, to } = this.#seen;
    let start = 0;
    return this.#pages.flatMap(({ cursor, items }, page) => {
      const seen = items.slice(Math.max(0, from - start), Math.max(0, to - start));
      start += items.length;
      return page > 0 && seen.some(this.#source.moves) ? [cursor] : [];
    });
  }

  async #reread(cursor: string | undefined): Promise<void> {
    const answer = await this.#source.read(cursor, this.#abort.signal);
    const at = cursor === undefined ? 0 : this.#pages.findIndex((page) => page.cursor === cursor);
    if (at < 0) return; // dropped meanwhile
    const pages = renew(this.#pages, at, answer);
    this.#show(pages, pages.length === at + 1 ? answer.next_cursor : this.#cursor);
  }

  #show(pages: ListPage<T>[], cursor: string | null): void {
    this.#pages = pages;
    this.#cursor = cursor;
    this.more = cursor !== null;
    this.items = pages.length === 1 ? pages[0]!.items : eachOnce(pages);
  }

  #fail(caught: unknown): void {
    if (!this.#abort.signal.aborted) this.problem = asProblem(caught);
  }
}

/** An entry that came to stand on another page between two reads is shown where it is newest. */
function eachOnce<T extends { id: string }>(pages: readonly ListPage<T>[]): T[] {
  const seen = new Set<string>();
  return pages.flatMap(({ items }) => items.filter(({ id }) => seen.size < seen.add(id).size));
}
