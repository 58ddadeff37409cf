import { asProblem, type Problem } from './problem';

/** Saving a form: whether it is in progress, and why the server refused it. */
export class Saving {
  busy = $state(false);
  problem = $state.raw<Problem>();
  /** Whether the form was sent at least once: until then it does not say what is missing. */
  tried = $state(false);

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

  /** What the form itself finds wrong with the member at a JSON pointer, or why it was refused, or members of it. */
  errorOf = (pointer: string, wrong?: string | false): string | undefined =>
    (this.tried && wrong) ||
    [...(this.problem?.fields ?? [])]
      .filter(([refused]) => below(pointer, refused))
      .map(([refused, text]) => `${refused.slice(pointer.length + 1)} ${text}`.trim())
      .join(' ') || undefined;

  reset(): void {
    this.problem = undefined;
    this.tried = false;
  }

  /** Notes that the form was sent. Returns whether something is missing. */
  misses(something: unknown): boolean {
    this.tried = true;
    return Boolean(something);
  }

  /** Runs `send` unless it is running, and the rest after it if the server agreed. */
  async run<Result>(send: () => Promise<Result>, ...rest: readonly ((result: Result) => void)[]): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = undefined;
    try {
      const result = await send();
      for (const next of rest) next(result);
    } catch (caught) {
      this.problem = asProblem(caught);
    } finally {
      this.busy = false;
    }
  }
}

const below = (pointer: string, other: string) => other === pointer || other.startsWith(`${pointer}/`);
