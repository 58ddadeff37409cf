/** The report that later ones are compared with: one for each device, remembered by this browser. */
export class Baseline {
  readonly #key: string;
  #job = $state<string | null>(null);

  constructor(device: string) {
    this.#key = `plimsoll.profile-baseline ${device}`;
    try {
      this.#job = localStorage.getItem(this.#key);
    } catch {
      // Storage is forbidden: nothing is remembered.
    }
  }

  /** The pinned report's job. */
  get job(): string | null {
    return this.#job;
  }

  set job(id: string | null) {
    this.#job = id;
    try {
      if (id === null) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, id);
    } catch {
      // As above: the choice lasts until the page closes.
    }
  }
}
