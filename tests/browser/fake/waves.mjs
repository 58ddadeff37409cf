// A waves job's answers: recorded once from the real server, and turned as a test needs them.
import { readFileSync } from 'node:fs';
import { makeJob } from './data.mjs';

const recorded = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

const summary = JSON.parse(recorded('waves-summary.json'));
/** Four symbols of published closes, one with made-up ranges so that there are candles, and a broken one. */
export const rows = recorded('waves-rows.jsonl').trim().split('\n').map((line) => JSON.parse(line));

export const wavesJob = (fields = {}) =>
  makeJob('job_waves0000000', {
    kind: 'waves',
    name: 'European indices',
    state: 'succeeded',
    args: { preset: 'whole', surrogates: summary.surrogates },
    started_at: new Date().toISOString(),
    finished_at: new Date().toISOString(),
    progress: { items_total: rows.length, items_done: rows.length, items_failed: 1, eta_seconds: null },
    ...fields,
  });

export const wavesReport = (job, fields = {}) => ({
  job_id: job.id,
  kind: job.kind,
  created_at: job.finished_at,
  items: { total: rows.length, ok: rows.length - 1, failed: 1 },
  summary: { ...structuredClone(summary), ...fields },
});

/** Many symbols: the recorded ones over and over. */
export function manySymbols(amount) {
  const ranking = Array.from({ length: amount }, (_, index) => ({
    ...structuredClone(summary.ranking[index % summary.ranking.length]),
    index,
    symbol: `SYM${String(index).padStart(3, '0')}`,
  }));
  return { symbols: amount, ranking, ranking_left_out: 12, errors: [] };
}

/** No symbol could be searched. */
export const noSymbol = { ranking: [], valid: 0 };
