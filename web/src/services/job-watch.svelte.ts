import { follow } from './event-stream';
import { finished, listEvents, readJob, type Job, type JobEvent } from './jobs';
import { asProblem, type Problem } from './problem';
import { Speed } from './speed';

/** A job as it happens: read once, then kept up to date by its events until it is finished. */
export class JobWatch {
  job = $state.raw<Job>();
  /** The job's events so far, in order. */
  events = $state.raw<readonly JobEvent[]>([]);
  problem = $state.raw<Problem>();
  /** False while the connection is being restored; what is shown may be old. */
  connected = $state(true);
  /** Recent items per second; null until known. */
  rate = $state<number | null>(null);
  /** Recent tokens per second; null until known, and if the job reads none. */
  tokenRate = $state<number | null>(null);
  #abort = new AbortController();
  #speed = new Speed();
  #tokenSpeed = new Speed();

  constructor(readonly id: string) {
    void this.#watch();
  }

  /** Takes a newer version of the job, such as the answer to a cancellation. */
  accept(job: Job): void {
    // An end is final: a contradicting version is older.
    if (this.#done() && !finished(job.state)) return;
    this.job = job;
    this.#speed.add(job.progress.items_done, performance.now());
    this.rate = this.#speed.perSecond();
    this.#tokenSpeed.add(job.progress.tokens_done ?? 0, performance.now());
    this.tokenRate = this.#tokenSpeed.perSecond();
  }

  stop(): void {
    this.#abort.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#abort;
    try {
      this.accept(await readJob(this.id, signal));
      if (this.#done()) {
        this.events = await listEvents(this.id, signal);
        return;
      }
      const stream = follow(this.job!.links.events, {
        signal,
        onConnection: (up) => (this.connected = up),
        finished: () => this.#done(),
      });
      for await (const event of stream) {
        // Numbered events are changes; between them come unnumbered snapshots of the job.
        if (event.type === 'job') this.accept(JSON.parse(event.data) as Job);
        else this.events = [...this.events, JSON.parse(event.data) as JobEvent];
      }
    } catch (caught) {
      if (!signal.aborted) this.problem = asProblem(caught);
    }
  }

  #done(): boolean {
    return this.job !== undefined && finished(this.job.state);
  }
}
