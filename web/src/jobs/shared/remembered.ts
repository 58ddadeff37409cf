import { Stored } from '../../design/stored.svelte';

type Settings = Record<string, string | boolean>;

/** The settings with which a form was last sent from this browser; the next one begins with them. */
export class Remembered<T extends Settings> {
  #kept: Stored<string>;

  /** `allowed`: the values of those that are choices; others, and what the form no longer has, are forgotten. */
  constructor(
    form: string,
    readonly fresh: T,
    readonly allowed: { [Name in keyof T]?: readonly T[Name][] } = {},
  ) {
    this.#kept = new Stored<string>(`form.${form}`, undefined, '{}');
  }

  get value(): T {
    const kept = parse(this.#kept.value);
    const taken = Object.keys(this.fresh).filter(
      (name) => typeof kept[name] === typeof this.fresh[name] && (this.allowed[name]?.includes(kept[name] as T[string]) ?? true),
    );
    return { ...this.fresh, ...Object.fromEntries(taken.map((name) => [name, kept[name]])) };
  }

  /** Takes from `settings` what the form remembers. */
  keep(settings: T): void {
    this.#kept.value = JSON.stringify(Object.fromEntries(Object.keys(this.fresh).map((name) => [name, settings[name]])));
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
