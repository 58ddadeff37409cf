import { send } from './client';

const longest = 8; // milliseconds of reading before the page may answer a click

/** The first `limit` rows of a job's results, in the order of the input. Reads the stream of lines and aborts once it
    has enough, so a large job costs no more than what is shown. */
export async function readRows<Row>(address: string, limit: number, signal: AbortSignal): Promise<Row[]> {
  const response = await send(new Request(new URL(address, location.origin), { signal }));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const rows: Row[] = [];
  let rest = '';
  let began = performance.now();
  for (;;) {
    // Pieces that have come already are read in one task, however many they are.
    if (performance.now() - began > longest) {
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : lines.pop()!;
    for (const line of lines) {
      if (line !== '') rows.push(JSON.parse(line) as Row);
      if (rows.length === limit) {
        await reader.cancel();
        return rows;
      }
    }
    if (done) return rows;
  }
}

/** One row of a job's results, by its place in the input. */
export async function readRow<Row>(address: string, index: number, signal: AbortSignal): Promise<Row> {
  const rows = await readRows<Row>(`${address}?offset=${index}&limit=1`, 1, signal);
  return rows[0]!;
}
