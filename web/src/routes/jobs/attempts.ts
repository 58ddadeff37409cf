import { count, counted, duration } from '../../design/text/format';
import type { Attempt } from '../../services/attempts';
import type { Job } from '../../services/jobs';

/** An attempt, or the wait before the first one, on the time line: places are shares of its length. */
export interface Bar {
  key: string;
  /** How it is drawn; `moment` if its start is unknown. */
  look: 'wait' | 'done' | 'failed' | 'running' | 'moment';
  from: number;
  to: number;
  text: string;
}
export interface Lane {
  name: string;
  bars: Bar[];
}
export interface TimeLine {
  lanes: Lane[];
  /** Milliseconds since 1970. */
  begin: number;
  end: number;
}

const outcomes: Record<Attempt['outcome'], string> = {
  running: 'Running',
  done: 'Succeeded',
  retry: 'Failed, retried',
  final: 'Failed',
  quarantined: 'Failed, quarantined',
  worker_died: 'Worker died',
  worker_lost: 'Worker lost',
};
export const outcomeOf = ({ outcome }: Attempt): string => outcomes[outcome];

/** Counted from 0, as the API, the command line and logs count. */
export const taskOf = ({ task, merge }: Pick<Attempt, 'task' | 'merge'>): string => (merge ? 'Report' : count(task));
export const deviceOf = ({ node, device }: Pick<Attempt, 'node' | 'device'>): string => (node === null || device === null ? 'Unknown' : `${node} / ${device}`);

/** How long an attempt ran, or has by now; null if that is not known. */
export function ranFor({ seconds, started_at, ended_at }: Attempt, now: number): number | null {
  if (seconds !== null) return seconds * 1000;
  return started_at === null ? null : Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(started_at));
}

/** How long each attempt's task waited for it: from the moment when the job could start, or since the attempt before ended.
    Null where its start is not known. The merge waits for all others. */
export function waits(job: Job, attempts: readonly Attempt[]): (number | null)[] {
  const ready = readyAt(job);
  const others = Math.max(ready, ...moments(attempts.filter(({ merge }) => !merge).map(({ ended_at }) => ended_at)));
  const ended = new Map<number, number>();
  return attempts.map(({ task, merge, started_at, ended_at }) => {
    const since = ended.get(task) ?? (merge ? others : ready);
    if (ended_at !== null) ended.set(task, Date.parse(ended_at));
    return started_at === null ? null : Math.max(0, Date.parse(started_at) - since);
  });
}
const readyAt = ({ created_at, run_at }: Job): number => Math.max(Date.parse(created_at), run_at ? Date.parse(run_at) : 0);

const moments = (times: (string | null)[]) => times.filter((time) => time !== null).map((time) => Date.parse(time));

/** The attempts by device, on the time from the moment when the job could start to its end, or to now. */
export function timeLine(job: Job, attempts: readonly Attempt[], now: number): TimeLine {
  const ready = readyAt(job);
  const ends = moments([job.finished_at, ...attempts.map(({ ended_at }) => ended_at)]);
  const running = job.finished_at === null && job.state !== 'scheduled';
  const end = Math.max(ready + 1, ...ends, ...(running ? [now] : []));
  const place = (time: number) => Math.min(1, Math.max(0, (time - ready) / (end - ready)));

  const lanes = new Map<string, Bar[]>();
  const first = job.started_at ? Date.parse(job.started_at) : running ? now : null;
  if (first !== null) {
    lanes.set('Waiting', [{ key: 'wait', look: 'wait', from: 0, to: place(first), text: `Waited ${duration(Math.max(0, first - ready))}` }]);
  }
  for (const attempt of attempts) {
    const { task, number, outcome, started_at, ended_at } = attempt;
    const to = ended_at === null ? end : Date.parse(ended_at);
    const from = started_at === null ? to : Date.parse(started_at);
    const ran = ranFor(attempt, now);
    const bar: Bar = {
      key: `${task} ${number} ${ended_at}`,
      look: outcome === 'running' ? 'running' : started_at === null ? 'moment' : outcome === 'done' ? 'done' : 'failed',
      from: place(from),
      to: place(to),
      text: [`${attempt.merge ? 'Report' : `Task ${taskOf(attempt)}`}, attempt ${number}`, outcomeOf(attempt), ran === null ? '' : duration(ran), attempt.error ?? ''].filter(Boolean).join(' · '),
    };
    const name = deviceOf(attempt);
    lanes.set(name, [...(lanes.get(name) ?? []), bar]);
  }
  return { lanes: [...lanes].map(([name, bars]) => ({ name, bars })), begin: ready, end };
}

/** The time line in one sentence. */
export function summaryOf(job: Job, attempts: readonly Attempt[], more: boolean): string {
  const devices = new Set(attempts.map(deviceOf)).size;
  const failed = attempts.filter(({ outcome }) => outcome !== 'done' && outcome !== 'running').length;
  const running = attempts.filter(({ outcome }) => outcome === 'running').length;
  const begin = `${more ? 'The first ' : ''}${counted(attempts.length, 'attempt')} on ${counted(devices, 'device')}`;
  const parts = [failed > 0 && `${count(failed)} failed`, running > 0 && `${count(running)} running`].filter(Boolean);
  const end = job.retries > 0 ? ` ${counted(job.retries, 'task')} ${job.retries === 1 ? 'was' : 'were'} tried again.` : '';
  return `${begin}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.${end}`;
}
