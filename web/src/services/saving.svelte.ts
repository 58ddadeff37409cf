import { asProblem, type Problem } from './problem';

/** What a form sends: whether it is under way, and why the server refused it. */
export class Saving {
  busy = $state(false);
  problem = $state.raw<Problem>();

  /** The refusal as a whole; nothing if fields show it. */
  message = $derived(this.problem && this.problem.fields.size === 0 ? (this.problem.detail ?? this.problem.title) : undefined);

  /** Why the member at a JSON pointer was refused. */
  errorOf = (pointer: string): string | undefined => this.problem?.fields.get(pointer);

  reset(): void {
    this.problem = undefined;
  }

  /** Runs `send` unless it is running, and `done` after it if the server agreed. */
  async run(send: () => Promise<unknown>, done: () => void): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = undefined;
    try {
      await send();
      done();
    } catch (caught) {
      this.problem = asProblem(caught);
    } finally {
      this.busy = false;
    }
  }
}
