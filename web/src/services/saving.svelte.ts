import { asProblem, type Problem } from './problem';

/** Saving a form: whether it is in progress, and why the server refused it. */
export class Saving {
  busy = $state(false);
  problem = $state.raw<Problem>();

  /** `shown`: JSON pointers of what the form shows errors of; the rest is told in `message`. */
  constructor(private readonly shown: readonly string[]) {}

  /** The refusal as a whole, or of members that no field stands for; nothing if fields show it. */
  readonly message = $derived.by(() => {
    if (!this.problem) return undefined;
    const { fields, detail, title } = this.problem;
    if (fields.size === 0) return detail ?? title;
    const others = [...fields].filter(([pointer]) => !this.shown.some((field) => below(field, pointer)));
    return others.map(([pointer, text]) => `${pointer}: ${text}`).join(' ') || undefined;
  });

  /** Why the member at a JSON pointer was refused, or members of it. */
  errorOf = (pointer: string): string | undefined =>
    [...(this.problem?.fields ?? [])]
      .filter(([refused]) => below(pointer, refused))
      .map(([refused, text]) => `${refused.slice(pointer.length + 1)} ${text}`.trim())
      .join(' ') || undefined;

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

const below = (pointer: string, other: string) => other === pointer || other.startsWith(`${pointer}/`);
