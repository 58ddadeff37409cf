import { send } from './client';
import { Problem } from './problem';

/** One server-sent event. */
export interface StreamEvent {
  id: string | undefined;
  type: string;
  data: string;
}

export interface Block {
  event: StreamEvent | undefined;
  /** Milliseconds the server asks to wait before a reconnect. */
  retry: number | undefined;
}

/** Reads one block of an event stream: the lines between two blank ones. */
export function parseBlock(text: string): Block {
  let id: string | undefined;
  let type = 'message';
  let retry: number | undefined;
  const data: string[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id') id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
  }
  return { event: data.length > 0 ? { id, type, data: data.join('\n') } : undefined, retry };
}

interface Options {
  signal: AbortSignal;
  onConnection: (up: boolean) => void;
  /** Called when the stream ends: is more to come? */
  finished: () => boolean;
}

const firstPause = 1_000; // milliseconds
const longestPause = 15_000;

/** Follows a stream over as many connections as it takes, each starting after the last event seen.
    Unlike the browser's EventSource it also comes back after a 503. */
export async function* follow(address: string, options: Options): AsyncGenerator<StreamEvent> {
  let lastId: string | undefined;
  let pause = firstPause;
  let asked: number | undefined;
  while (!options.signal.aborted) {
    try {
      const headers = new Headers({ Accept: 'text/event-stream' });
      if (lastId !== undefined) headers.set('Last-Event-ID', lastId);
      const response = await send(new Request(new URL(address, location.origin), { headers, signal: options.signal }));
      options.onConnection(true);
      for await (const block of blocks(response)) {
        pause = firstPause;
        asked = block.retry ?? asked;
        lastId = block.event?.id ?? lastId;
        if (block.event) yield block.event;
      }
    } catch (caught) {
      if (options.signal.aborted) return;
      // A permanent refusal ends it; anything else is a lost connection.
      if (caught instanceof Problem && caught.status >= 400 && caught.status < 500 && caught.status !== 429) throw caught;
    }
    if (options.finished()) return;
    options.onConnection(false);
    await sleep(asked ?? pause, options.signal);
    pause = Math.min(longestPause, pause * 2);
  }
}

async function* blocks(response: Response): AsyncGenerator<Block> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) yield parseBlock(part);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const sleep = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
