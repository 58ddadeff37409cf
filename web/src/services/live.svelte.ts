import { onDestroy } from 'svelte';
import { asProblem, type Problem } from './problem';

/** Long enough to finish typing, short enough to feel immediate. */
const pause = 250; // milliseconds

/** An answer that follows a changing question while a component lives: the newest question wins, and the last answer
    stays until the next one arrives. */
export class Live<Question, Answer> {
  answer = $state.raw<Answer>();
  problem = $state.raw<Problem>();
  busy = $state(false);
  /** The first question was not typed: nothing is waited for. */
  #asked = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort: AbortController | undefined;

  constructor(private readonly find: (question: Question, signal: AbortSignal) => Promise<Answer>) {
    onDestroy(() => this.stop());
  }

  ask(question: Question): void {
    this.stop();
    this.busy = true;
    this.#timer = setTimeout(() => void this.#send(question), this.#asked ? pause : 0);
    this.#asked = true;
  }

  clear(): void {
    this.stop();
    this.answer = undefined;
    this.problem = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.busy = false;
  }

  async #send(question: Question): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const answer = await this.find(question, abort.signal);
      if (abort.signal.aborted) return;
      this.answer = answer;
      this.problem = undefined;
    } catch (caught) {
      if (abort.signal.aborted) return;
      this.problem = asProblem(caught);
    }
    this.busy = false;
  }
}
