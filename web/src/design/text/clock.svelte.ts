import { Stored } from '../stored.svelte';

/** How times are written out: in the browser's zone or in UTC. */
export const zone = new Stored<'local' | 'utc'>('zone', ['local', 'utc'], 'local');

const tick = 10_000; // milliseconds; the finest step of a relative time after its first minute

/** The current time for relative times; updates itself. */
class Clock {
  now = $state(new Date());

  constructor() {
    setInterval(() => (this.now = new Date()), tick);
  }
}

export const clock = new Clock();
