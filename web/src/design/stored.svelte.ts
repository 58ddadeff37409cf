/** A preference of this browser: reactive, kept in local storage if allowed. */
export class Stored<T extends string> {
  #key: string;
  #value: T;

  /** Without a list any text is allowed. */
  constructor(name: string, allowed: readonly T[] | undefined, fallback: T) {
    this.#key = `plimsoll.${name}`;
    const found = this.#read() as T | null;
    this.#value = $state(found !== null && (allowed?.includes(found) ?? true) ? found : fallback);
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    this.#value = value;
    try {
      localStorage.setItem(this.#key, value);
    } catch {
      // Without storage, the choice lasts until the page closes.
    }
  }

  /** Called when another window of this browser changes it. */
  watch(changed: (value: string) => void): void {
    addEventListener('storage', ({ key, newValue }) => {
      if (key === this.#key && newValue !== null) changed(newValue);
    });
  }

  #read(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }
}
