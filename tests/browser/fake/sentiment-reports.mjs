// Reports of sentiment jobs with more in them than the usual ones.
import { makeJob, makeReport, makeResults } from './data.mjs';

const labels = ['positive', 'neutral', 'negative'];
const modelOf = (model_name, more) => ({
  model_name, model_hash: '5d1f4b0a8a0f4f6b1a3f0d6d9f3f1d3b5a7c9e0f2b4d6f8a1c3e5f7a9b0c2d4e', form: 'fp32', success: true, error: null,
  load_time_ms: 1840.2, avg_inference_time_ms: 11.4, items_per_second: 87.7,
  sample_results: [{ text: 'Ferry operator beats forecasts.', label: 'positive', compound: 0.91 }],
  memory_bytes: 438_000_000, labels: { positive: 402, neutral: 371, negative: 227 }, has_neutral: true, accuracy: null, against_first: null, ...more,
});
const classes = Object.fromEntries(labels.map((label, place) => [label, { given: 100 + place, precision: 0.82, recall: 0.79 + place / 100, f1: 0.805 }]));
const calibration = {
  expected_error: 0.041,
  bins: Array.from({ length: 10 }, (_, bin) => ({
    from: bin / 10, to: (bin + 1) / 10, texts: bin < 3 ? 0 : bin * 9, confidence: bin < 3 ? null : bin / 10 + 0.05, accuracy: bin < 3 ? null : bin / 10 + 0.02,
  })),
};
const accuracy = (share, more) => ({
  texts: 303, accuracy: share, accuracy_low: share - 0.043, accuracy_high: share + 0.038, macro_f1: share - 0.012, kappa: 0.71,
  classes, table: [[84, 12, 4], [9, 85, 7], [3, 11, 88]], calibration, ...more,
});

/** A comparison of three models, with labels. */
export function compare(server, { given = true } = {}) {
  const job = makeJob('job_c', { state: 'succeeded', name: 'Comparison of models', args: { models: [{ name: 'finbert' }, { name: 'distilbert' }, { name: 'vader' }] }, finished_at: '2026-03-02T15:00:04.000Z', progress: { items_total: 1000, items_done: 1000, items_failed: 0, eta_seconds: null } });
  const rows = makeResults(300);
  const report = makeReport(job, rows, 'finbert');
  const score = (label, compound) => ({ label, compound });
  report.summary.compared = {
    models: ['finbert', 'distilbert', 'vader'],
    comparison: {
      finbert: modelOf('finbert', { accuracy: given ? accuracy(0.848) : null }),
      distilbert: modelOf('distilbert', {
        items_per_second: 171.9, load_time_ms: 920, memory_bytes: 268_000_000, has_neutral: false, labels: { positive: 520, neutral: 0, negative: 480 },
        against_first: { false_positives_percent: 12.4, false_negatives_percent: 25.3 },
      }),
      vader: modelOf('vader', {
        model_hash: null, form: null, load_time_ms: 0, memory_bytes: 0, items_per_second: 912_000, labels: { positive: 388, neutral: 401, negative: 211 },
        accuracy: given ? accuracy(0.632, { calibration: null }) : null, against_first: { false_positives_percent: 14.1, false_negatives_percent: 8.2 },
      }),
    },
    fastest: 'vader', slowest: 'finbert',
    pairs: [
      { first: 'finbert', second: 'distilbert', texts: 1000, agreement: 0.623, kappa: 0.44, correlation: 0.71, table: [[380, 0, 22], [124, 0, 247], [16, 0, 211]] },
      { first: 'finbert', second: 'vader', texts: 1000, agreement: 0.671, kappa: 0.492, correlation: 0.598, table: [[260, 120, 22], [110, 230, 31], [18, 51, 158]] },
      { first: 'distilbert', second: 'vader', texts: 1000, agreement: 0.512, kappa: 0.31, correlation: 0.55, table: [[300, 190, 30], [0, 0, 0], [88, 211, 181]] },
    ],
    given: given ? { labelled: 303, unlabelled: 692, labels: { positive: 100, neutral: 101, negative: 102 }, unknown: 5, unknown_labels: [{ label: 'mixed', texts: 5 }] } : null,
    disagreeing: 412,
    disagreements: rows.slice(0, 6).map(({ index, custom_id, text }, place) => ({
      index, custom_id, text, given_label: given && place % 2 === 0 ? 'neutral' : null,
      models: { finbert: score('negative', -0.93 + place / 20), distilbert: score('positive', 0.998), vader: score('neutral', 0) },
    })),
    recommendation: given
      ? { model: 'finbert', text: 'finbert: the most accurate (84.8 %); vader is 10,399 times as fast, and 21.6 points less accurate (95 % interval of the difference: −27.1 to −15.9).' }
      : { model: null, text: 'No model is recommended: the texts have no labels to evaluate models against.' },
  };
  server.add(job);
  server.results.set(job.id, rows);
  server.reports.set(job.id, report);
}

const tally = (texts, positive, negative) => ({ texts, positive, neutral: texts - positive - negative, negative, mean: Math.round(((positive - negative) / texts) * 1e6) / 1e6 });

const moved = (before, mean) => ({ from: '2026-03-05T00:00:00.000Z', texts: 31, mean, before });

/** On texts with times, sources, groups and columns that were kept. */
export function grouped(server) {
  const job = makeJob('job_g', { state: 'succeeded', name: 'Reviews by region', finished_at: '2026-03-02T15:00:04.000Z', progress: { items_total: 1000, items_done: 1000, items_failed: 0, eta_seconds: null } });
  const rows = makeResults(300).map((row, place) => ({ ...row, group: ['EU', 'US', 'APAC'][place % 3], kept: { customer: `C-${place}`, channel: place % 2 ? 'mail' : 'web' } }));
  const report = makeReport(job, rows, 'finbert');
  const points = Array.from({ length: 60 }, (_, day) => day)
    .filter((day) => day % 7 < 5)
    .map((day) => ({ from: new Date(Date.UTC(2026, 0, 5 + day)).toISOString(), ...tally(20 + ((day * 37) % 23), 4 + ((day * 13) % 6), (day * 7) % 9) }));
  Object.assign(report.summary, {
    by_group: { too_many: false, groups: [{ name: 'EU', ...tally(512, 301, 88), change: moved(0.42, 0.11) }, { name: 'US', ...tally(341, 102, 160), change: moved(-0.2, 0.34) }, { name: null, ...tally(147, 40, 41), change: null }] },
    by_source: { too_many: true, groups: [] },
    over_time: { unit: 'day', points, undated: 12 },
  });
  server.add(job);
  server.results.set(job.id, rows);
  server.reports.set(job.id, report);
}

/** Of a job whose goal chose the model. */
export function byGoal(server) {
  const job = makeJob('job_goal', { state: 'succeeded', name: 'By a goal', finished_at: '2026-03-02T15:00:04.000Z', progress: { items_total: 40, items_done: 40, items_failed: 0, eta_seconds: null } });
  const rows = makeResults(40);
  const report = makeReport(job, rows, 'finbert');
  const accuracy = { form: 'int8', texts_of: 'held_out.jsonl', texts: 1000, right: 871, low: 0.85, high: 0.89, macro_f1: 0.86, device: 'cpu', measured_at: '2026-03-01T15:00:00.000Z' };
  report.summary.goal = {
    asked: 'balanced',
    means: 'roberta',
    reason: 'The goal balanced means roberta, which no worker has; the first of roberta, finbert, distilbert, vader that a worker has is finbert. finbert in int8: 12 ms of device time per text, over 3,200 texts, accuracy 87.1 % on 1,000 texts of held_out.jsonl; vader: speed not measured.',
    measured: [
      { model: 'finbert', form: 'int8', seconds_per_text: 0.012, texts: 3200, speedup: 1.7, accuracy },
      { model: 'vader', form: null, seconds_per_text: null, texts: 0, speedup: null, accuracy: null },
    ],
  };
  server.add(job);
  server.results.set(job.id, rows);
  server.reports.set(job.id, report);
}
