import { estimate } from './services/estimates';
import { asProblem, type Problem } from '../../services/problem';
import type { Args, Summary } from './words';

/** Long enough to finish typing, short enough to feel immediate. */
const pause = 250; // milliseconds

/** An estimate that follows changing arguments: the newest request wins, and the last response stays until it
    arrives. */
export class LiveEstimate {
  summary = $state.raw<Summary>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  /** The first question was not typed: nothing is waited for. */
  #asked = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;

  ask(args: Args): void {
    this.stop();
    this.busy = true;
    this.#timer = setTimeout(() => void this.#send(args), this.#asked ? pause : 0);
    this.#asked = true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.busy = false;
  }

  async #send(args: Args): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const answer = await estimate({ kind: 'training-config', args }, abort.signal);
      if (abort.signal.aborted) return;
      this.summary = answer.summary;
      this.problem = undefined;
    } catch (caught) {
      if (abort.signal.aborted) return;
      this.problem = asProblem(caught);
    }
    this.busy = false;
  }
}
