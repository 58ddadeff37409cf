/** What waits for its turn: each runs in a task of its own, so that a long page answers a click between its parts. */
const waiting: (() => void)[] = [];
const channel = new MessageChannel();
const longestFrame = 100; // milliseconds; a window that is not shown draws no frames

channel.port1.onmessage = () => {
  waiting.shift()?.();
  if (waiting.length > 0) next();
};

function next(): void {
  channel.port2.postMessage(null);
}

/** The first turn comes after the next frame: the reader sees the top of the page while the rest is drawn. */
function begin(): void {
  let begun = false;
  const once = () => {
    if (!begun) next();
    begun = true;
  };
  requestAnimationFrame(once);
  setTimeout(once, longestFrame);
}

/** Runs `show` after everything that waits already; returns what withdraws it. */
export function inTurn(show: () => void): () => void {
  waiting.push(show);
  if (waiting.length === 1) begin();
  return () => {
    const place = waiting.indexOf(show);
    if (place >= 0) waiting.splice(place, 1);
  };
}

/** Resolves once everything that waits now has run. */
export const afterTurns = () => new Promise<void>((resolve) => void inTurn(resolve));
