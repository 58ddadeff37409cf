import { asProblem, type Problem } from './problem';

/** Something fetched, in its three states. A newer load abandons the one before. */
export class Loader<T> {
  data = $state.raw<T>();
  problem = $state.raw<Problem>();
  loading = $state(true);
  #abort: AbortController | undefined;

  /** Keeps the current data until the new data arrives, so that a refresh does not flicker. */
  async load(fetch: (signal: AbortSignal) => Promise<T>): Promise<void> {
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

  stop(): void {
    this.#abort?.abort();
  }
}
