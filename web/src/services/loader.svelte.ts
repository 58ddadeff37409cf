import { onDestroy } from 'svelte';
import { asProblem, type Problem } from './problem';
import { repeat } from './repeat';

/** Something fetched while a component lives, in its three states. A newer load abandons the one before. */
export class Loader<T> {
  data = $state.raw<T>();
  problem = $state.raw<Problem>();
  loading = $state(true);
  #abort: AbortController | undefined;
  #stop = () => {};
  #again = () => {};

  /** `lasting`: of the pages as a whole, and not of a component. */
  constructor(lasting = false) {
    if (!lasting) onDestroy(() => this.#end());
  }

  /** Keeps the current data until the new data arrives, so that a refresh does not flicker. */
  async load(fetch: (signal: AbortSignal) => Promise<T>): Promise<void> {
    this.#end();
    this.#again = () => void this.load(fetch);
    await this.#read(fetch);
  }

  /** Loads now and again while the page is seen. `pause`: milliseconds until the next time; without end, there is none. */
  poll(fetch: (signal: AbortSignal) => Promise<T>, pause: (data: T | undefined) => number): void {
    this.#end();
    this.#again = () => this.poll(fetch, pause);
    this.#stop = repeat(async () => {
      await this.#read(fetch);
      return pause(this.data);
    });
  }

  /** Loads the same at once. */
  reload = (): void => this.#again();

  async #read(fetch: (signal: AbortSignal) => Promise<T>): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.loading = true;
    try {
      const data = await fetch(abort.signal);
      if (abort.signal.aborted) return;
      this.data = data;
      this.problem = undefined;
    } catch (caught) {
      if (abort.signal.aborted) return;
      this.problem = asProblem(caught);
    }
    this.loading = false;
  }

  #end(): void {
    this.#stop();
    this.#abort?.abort();
  }
}
