// Imported before anything else, stops the clock of this process, so that pictures taken on two days can be compared.
export const now = Date.parse('2026-03-04T10:20:30Z');

globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now] : parts));
  }

  static now() {
    return now;
  }
};
