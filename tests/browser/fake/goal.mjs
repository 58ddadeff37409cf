// A report of a job whose goal chose the model.
import { makeJob, makeReport, makeResults } from './data.mjs';

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
