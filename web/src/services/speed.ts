const windowLength = 10_000; // milliseconds; long enough to be calm, short enough to be true

/** Speed of something counted, over a sliding window. */
export class Speed {
  #samples: { count: number; at: number }[] = [];

  add(count: number, at: number): void {
    this.#samples.push({ count, at });
    while (this.#samples.length > 2 && this.#samples[0]!.at < at - windowLength) this.#samples.shift();
  }

  /** Per second, or null while there is nothing to measure. */
  perSecond(): number | null {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 250 || last.count <= first.count) return null;
    return ((last.count - first.count) / (last.at - first.at)) * 1000;
  }
}
