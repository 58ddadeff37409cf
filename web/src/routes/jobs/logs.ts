import { count } from '../../design/text/format';
import { listLogs, type LogFilter, type LogLevel, type LogLine } from '../../services/attempts';
import { taskOf } from './attempts';

/** The lines about one attempt, in order. */
export interface AttemptLog {
  id: string;
  title: string;
  lines: LogLine[];
}

export const levelWords: Record<LogLevel, string> = { info: 'Info', warning: 'Warning', error: 'Error' };

/** Lines come by task and attempt, so those of an attempt follow one another. */
export function byAttempt(lines: readonly LogLine[]): AttemptLog[] {
  const logs: AttemptLog[] = [];
  for (const line of lines) {
    if (logs.at(-1)?.id !== line.attempt_id) {
      logs.push({ id: line.attempt_id, title: `${line.merge ? '' : 'Task '}${taskOf(line)}, attempt ${count(line.attempt)}`, lines: [] });
    }
    logs.at(-1)!.lines.push(line);
  }
  return logs;
}

/** As `plimsoll logs` writes them. */
export const asText = (lines: readonly LogLine[]): string =>
  lines.map(({ at, level, task, merge, attempt, source, text }) => `${at} ${level} ${merge ? 'report' : `task ${task}`} attempt ${attempt} ${source}: ${text}\n`).join('');

/** From the beginning, at least as many lines as are shown, so that reading again takes nothing away. */
export async function readLogs(job: string, filter: LogFilter, least: number, signal?: AbortSignal): Promise<{ lines: LogLine[]; cursor: string | null }> {
  const lines: LogLine[] = [];
  let cursor: string | null = null;
  do {
    const page = await listLogs(job, filter, cursor ?? undefined, signal);
    lines.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && lines.length < least);
  return { lines, cursor };
}
