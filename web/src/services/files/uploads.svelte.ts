import { SvelteMap } from 'svelte/reactivity';
import { announce } from '../../design/feedback/announcer.svelte';
import { bytes, count } from '../../design/text/format';
import { createDataset, largestFile, readDataset, sendPart, type Dataset, type NewDataset } from '../datasets';
import { looksLikeJsonl, UnreadableFile } from './records';
import { asProblem, Problem } from '../problem';
import { Speed } from '../speed';

// Parts grow while they are fast, so that a slow connection shows progress and a fast one is not held up. A broken
// connection costs at most one part.
const smallestPart = 256 * 1024; // bytes
const largestPart = 8 * 1024 * 1024;
const quick = 500; // milliseconds that a part may take before the next one grows
const slow = 2_000;
const longestPause = 15_000; // milliseconds between attempts while the server does not respond
const looked = 64 * 1024; // bytes that tell a format; more than any header line

interface Trouble {
  title: string;
  detail?: string | undefined;
}

/** The upload of a file. The server knows its progress, so nothing is lost if it ends early. */
export class Upload {
  dataset: Dataset = $state.raw()!;
  /** `waiting`: the connection is lost, and it tries again by itself. */
  state = $state<'sending' | 'waiting' | 'paused' | 'ended'>('paused');
  trouble = $state.raw<Trouble>();
  /** Recent bytes per second; null until known. */
  rate = $state<number | null>(null);
  #file: File;
  #abort = new AbortController();
  #wake = () => {};
  #speed = new Speed();

  constructor(dataset: Dataset, file: File) {
    this.dataset = dataset;
    this.#file = file;
    this.resume();
  }

  get active(): boolean {
    return this.state === 'sending' || this.state === 'waiting';
  }

  pause(): void {
    if (this.active) this.#stop('paused');
  }

  resume(): void {
    if (this.state === 'paused') void this.#run();
  }

  /** Tries again at once instead of after a pause. */
  hurry(): void {
    this.#wake();
  }

  #stop(state: 'paused' | 'ended', trouble?: Trouble): void {
    this.#abort.abort();
    this.#wake();
    this.state = state;
    this.trouble = trouble;
    this.rate = null;
  }

  async #run(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.state = 'sending';
    this.#speed = new Speed();
    let part = smallestPart;
    let failures = 0;
    while (this.dataset.state === 'uploading') {
      try {
        // After a failure only the server knows how much of a part it has got.
        if (failures > 0) this.#accept(await readDataset(this.dataset.id, abort.signal));
        if (this.dataset.state !== 'uploading') break;
        part = await this.#send(part, abort.signal);
        failures = 0;
        this.state = 'sending';
        this.trouble = undefined;
      } catch (caught) {
        if (abort.signal.aborted) return;
        const problem = caught instanceof DOMException ? undefined : asProblem(caught);
        if (!problem) return this.#stop('ended', { title: 'The file can no longer be read', detail: 'It has been changed, moved or deleted since it was chosen.' });
        if (problem.status === 401) return this.#stop('paused', problem);
        if (!passing(problem)) return this.#stop('ended', problem);
        failures += 1;
        // Refused because of its offset: reading the dataset helps, waiting does not.
        if (failures === 1 && [409, 422].includes(problem.status)) continue;
        this.state = 'waiting';
        this.trouble = problem;
        await this.#pause(failures);
        if (abort.signal.aborted) return;
      }
    }
    this.state = 'ended';
    this.trouble = undefined;
    const { name, state } = this.dataset;
    if (state === 'ready') announce(`${name} uploaded`);
    else announce(`${name} cannot be used`, 'bad');
  }

  /** Sends the next `size` bytes; returns how many should be sent after them. */
  async #send(size: number, signal: AbortSignal): Promise<number> {
    const from = this.dataset.bytes_received;
    // The browser reads the part while it sends it: as bytes of the page's, it would hold the page up for 100 ms and
    // more. One byte tells whether the file can still be read.
    await this.#file.slice(from, from + 1).arrayBuffer();
    const began = performance.now();
    this.#accept(await sendPart(this.dataset.id, from, this.#file.slice(from, from + size), signal));
    const took = performance.now() - began;
    if (took < quick) return Math.min(size * 2, largestPart);
    return took > slow ? Math.max(size / 2, smallestPart) : size;
  }

  #accept(dataset: Dataset): void {
    this.dataset = dataset;
    this.#speed.add(dataset.bytes_received, performance.now());
    this.rate = this.#speed.perSecond();
  }

  #pause(failures: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(longestPause, 500 * 2 ** failures));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** May be over when the server is asked again. */
const passing = ({ status }: Problem) => status === 0 || [408, 409, 422, 429].includes(status) || status >= 500;

/** The uploads of this tab, by dataset. They go on while other pages are shown. */
class Uploads {
  #all = new SvelteMap<string, Upload>();

  constructor() {
    addEventListener('online', () => this.#all.forEach((upload) => upload.hurry()));
    addEventListener('beforeunload', (event) => {
      if ([...this.#all.values()].some((upload) => upload.active)) event.preventDefault();
    });
  }

  of(id: string): Upload | undefined {
    return this.#all.get(id);
  }

  /** Throws UnreadableFile or Problem. */
  async begin(file: File): Promise<Upload> {
    return this.continue(await createDataset(await announcementOf(file)), file);
  }

  /** Continues at the server's offset. Throws UnreadableFile if it cannot be the same file. */
  continue(dataset: Dataset, file: File): Upload {
    if (file.size !== dataset.bytes_total) {
      throw new UnreadableFile(`This file has ${count(file.size)} bytes; the upload started with one of ${count(dataset.bytes_total)}.`);
    }
    const upload = new Upload(dataset, file);
    this.#all.set(dataset.id, upload);
    return upload;
  }

  /** For a dataset that is deleted. */
  forget(id: string): void {
    this.#all.get(id)?.pause();
    this.#all.delete(id);
  }
}

export const uploads = new Uploads();

/** Why a file is not taken, in words. */
export function refusal(caught: unknown): string {
  if (caught instanceof UnreadableFile) return caught.message;
  const problem = asProblem(caught);
  return problem.detail ?? problem.title;
}

/** The declaration of a file before its upload. Throws UnreadableFile if the server would refuse the file. */
async function announcementOf(file: File): Promise<NewDataset> {
  if (file.size === 0) throw new UnreadableFile('The file is empty.');
  if (file.size > largestFile) {
    throw new UnreadableFile(`The file is ${bytes(file.size)}; a dataset may be at most ${bytes(largestFile)}.`);
  }
  const head = await file.slice(0, looked).text();
  const named = /\.(jsonl|ndjson)$/i.test(file.name);
  const format = named || looksLikeJsonl(head) ? 'jsonl' : 'csv';
  return { name: file.name.slice(0, 200), format, bytes: file.size };
}
