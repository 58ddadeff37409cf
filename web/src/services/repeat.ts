/** Calls `task` again and again while the page is seen; each call says after how many milliseconds
    the next one is due, without end for none. Returns what stops it. */
export function repeat(task: () => Promise<number>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let running = false;

  async function run() {
    running = true;
    const pause = await task();
    running = false;
    if (!stopped && !document.hidden && pause < Infinity) timer = setTimeout(run, pause);
  }

  function onVisibility() {
    clearTimeout(timer);
    if (!document.hidden && !running) void run();
  }

  document.addEventListener('visibilitychange', onVisibility);
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}
