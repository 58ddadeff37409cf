// A waves job's answers: recorded once from the real server, and turned as a test needs them.
import { makeJob } from './data.mjs';
import { recorded } from './recorded.mjs';

const summary = recorded.wavesSummary;
/** Four symbols of published closes, one with made-up ranges so that there are candles, and a broken one. */
export const rows = recorded.wavesRows;

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
  return { symbols: amount, ranking, ranking_omitted: 12, errors: [] };
}

/** No symbol could be searched. */
export const noSymbol = { ranking: [], valid: 0 };

/** Of a count that somebody drew: ends of the report's own counts keep every rule, others break one. */
export function check({ index, pattern, direction, ends }) {
  const row = rows[index];
  const drawn = JSON.stringify(ends);
  const known = [...row.report.counts, ...row.report.in_progress].find(({ pivots }) => JSON.stringify(pivots.slice(0, ends.length)) === drawn);
  const waves = pattern.includes('flat') || pattern === 'zigzag' ? 3 : 5;
  const whole = ends.length === waves + 1;
  const labels = waves === 3 ? ['0', 'A', 'B', 'C'] : ['0', '1', '2', '3', '4', '5'];
  return {
    symbol: row.symbol,
    rule_name: pattern,
    pattern: `${pattern.replace('_', ' ')} ${direction}`,
    direction,
    valid: known !== undefined,
    waves_done: ends.length - 1,
    waves,
    ends: ends.map((bar, place) => ({ label: labels[place], bar, date: String(bar), price: row.prices.close[bar - row.prices.first] ?? 0 })),
    wave_config: ends.slice(1).map(() => 0),
    rules: [
      { name: 'b_time', text: 'Wave B lasts less than ten times as long as A', holds: true, margin: 0.8 },
      { name: 'b_holds_start', text: 'Wave B ends above the start of A', holds: known !== undefined, margin: known ? 0.4 : -0.25 },
      { name: 'wave_a_ends_at_a_swing', text: 'Wave A ends at the end of a swing, above all swings that it skips', holds: true, margin: null },
    ],
    ensemble_score: known && whole ? known.ensemble_score : null,
    parts: known && whole ? known.parts : null,
    rarity: known && whole ? known.rarity : null,
    rarity_text: known && whole ? known.rarity_text : null,
    expected_by_chance: known && whole ? known.expected_by_chance : null,
    outlook: known && whole ? known.outlook : null,
  };
}

const brief = ({ rule_name, direction, ensemble_score, rarity, waves_done, pivots, date_start, date_end }) => ({
  rule_name, direction, ensemble_score, rarity, waves_done, pivots, start: date_start, end: date_end,
});

/** The last bars one by one, or three new ones: the best count turns twice, and the second one is proved wrong. */
export function replay({ index = 0, last = 20, prices }) {
  const { symbol, prices: known, report } = rows[index];
  const end = known.first + known.close.length;
  const amount = prices === undefined ? last : 3;
  const counts = report.counts.slice(0, 2).map(brief);
  const steps = Array.from({ length: amount }, (_, place) => {
    const bar = end - (prices === undefined ? last : 0) + place;
    const price = known.close[bar - known.first] ?? known.close.at(-1) + place;
    const of = (column) => known[column][bar - known.first] ?? price;
    const turn = place === Math.floor(amount / 3) ? 1 : place === Math.floor((2 * amount) / 3) ? 2 : 0;
    return {
      symbol, bar, date: known.dates[bar - known.first] ?? String(bar), open: of('open'), high: of('high'), low: of('low'), close: price,
      starts: 2 * bar, starts_searched: 30 + (place % 7), nodes: 240 + place, full_search_nodes: 21_000 + 40 * place,
      best: counts[place >= amount / 3 && place < (2 * amount) / 3 ? 1 : 0],
      appeared: turn > 0 ? [counts[turn % 2]] : [],
      disappeared: turn > 0 ? [counts[(turn + 1) % 2]] : [],
      invalidated: turn === 2 ? [{ ...counts[1], invalidation: price * 1.01 }] : [],
    };
  });
  return { steps, report: { symbol, bars: end, date_end: steps.at(-1).date, last_close: steps.at(-1).close, ranked_by: 'rarity', counts: report.counts, in_progress: report.in_progress } };
}
