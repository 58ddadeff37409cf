import type { components } from '../../../api/schema';
import { credentials } from '../../../services/client';
import { Live } from '../../../services/live.svelte';
import { Problem } from '../../../services/problem';

export type MemoryComparison = components['schemas']['MemoryComparison'];
interface RecordedRun {
  job: string;
  gpu: string;
  batch: number;
  /** A memory snapshot of PyTorch. */
  file: File;
  onsent: (bytes: number) => void;
}

const pickled = 0x80; // the first byte of a pickle

/** Posts a file, and tells how many of its bytes are on their way, which fetch cannot. */
function sendFile(path: string, file: File, onsent: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  const { csrfToken } = credentials;
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', path);
    call.setRequestHeader('Content-Type', 'application/octet-stream');
    if (csrfToken !== null) call.setRequestHeader('X-CSRF-Token', csrfToken);
    call.upload.onprogress = ({ loaded }) => onsent(loaded);
    call.onerror = () => reject(Problem.unreachable());
    call.onload = () => {
      if (call.status === 200) return resolve(call.responseText);
      if (call.status === 401 && csrfToken === credentials.csrfToken) credentials.onExpired();
      const headers = { 'Content-Type': call.getResponseHeader('Content-Type') ?? '' };
      void Problem.from(new Response(call.responseText, { status: call.status, headers })).then(reject);
    };
    signal.addEventListener('abort', () => call.abort());
    call.send(file);
  });
}

/** What `plimsoll compare-memory` tells of a recorded run. */
export const liveMemoryComparison = () =>
  new Live(async ({ job, gpu, batch, file, onsent }: RecordedRun, signal): Promise<MemoryComparison> => {
    const head = await file.slice(0, 1).arrayBuffer().catch(() => undefined);
    if (!head) throw new Problem(0, { title: 'The file can no longer be read', detail: 'It has been changed, moved or deleted since it was chosen.' });
    if (new Uint8Array(head)[0] !== pickled) throw new Problem(0, { title: 'The file is no pickle', detail: 'Choose what torch.cuda.memory._dump_snapshot() has written.' });
    signal.throwIfAborted();
    const query = new URLSearchParams({ batch: String(batch), gpu });
    return JSON.parse(await sendFile(`/v1/jobs/${job}/memory-comparisons?${query}`, file, onsent, signal)) as MemoryComparison;
  });
