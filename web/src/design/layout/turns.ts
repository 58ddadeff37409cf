/** What waits for its turn: each runs in a task of its own, so that a long page answers a click between its parts. */
const waiting: (() => void)[] = [];
const channel = new MessageChannel();

channel.port1.onmessage = () => {
  waiting.shift()?.();
  if (waiting.length > 0) next();
};

function next(): void {
  channel.port2.postMessage(null);
}

/** Runs `show` after everything that waits already; returns what withdraws it. */
export function inTurn(show: () => void): () => void {
  waiting.push(show);
  if (waiting.length === 1) next();
  return () => {
    const place = waiting.indexOf(show);
    if (place >= 0) waiting.splice(place, 1);
  };
}

/** Resolves once everything that waits now has run. */
export const afterTurns = () => new Promise<void>((resolve) => void inTurn(resolve));
