import { asProblem, type Problem } from '../../../services/problem';
import { checkCount, type WavesCheck, type WavesCheckSpec } from '../services';

/** Long enough to finish typing, short enough to feel immediate. */
const pause = 200; // milliseconds

/** A live check of a changing count: the newest request wins, and the last response stays until it arrives. */
export class LiveCheck {
  check = $state.raw<WavesCheck>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;

  ask(spec: WavesCheckSpec): void {
    this.stop();
    this.busy = true;
    this.#timer = setTimeout(() => void this.#send(spec), pause);
  }

  clear(): void {
    this.stop();
    this.check = undefined;
    this.problem = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.busy = false;
  }

  async #send(spec: WavesCheckSpec): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const check = await checkCount(spec, abort.signal);
      if (abort.signal.aborted) return;
      this.check = check;
      this.problem = undefined;
    } catch (caught) {
      if (abort.signal.aborted) return;
      this.check = undefined;
      this.problem = asProblem(caught);
    }
    this.busy = false;
  }
}
