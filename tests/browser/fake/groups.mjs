// A report on texts with times, sources, groups and columns that were kept.
import { makeJob, makeReport, makeResults } from './data.mjs';

const tally = (texts, positive, negative) => ({ texts, positive, neutral: texts - positive - negative, negative, mean: Math.round(((positive - negative) / texts) * 1e6) / 1e6 });

export function grouped(server) {
  const job = makeJob('job_g', { state: 'succeeded', name: 'Reviews by region', finished_at: '2026-03-02T15:00:04.000Z', progress: { items_total: 1000, items_done: 1000, items_failed: 0, eta_seconds: null } });
  const rows = makeResults(300).map((row, place) => ({ ...row, group: ['EU', 'US', 'APAC'][place % 3], kept: { customer: `C-${place}`, channel: place % 2 ? 'mail' : 'web' } }));
  const report = makeReport(job, rows, 'finbert');
  const points = Array.from({ length: 60 }, (_, day) => day)
    .filter((day) => day % 7 < 5)
    .map((day) => ({ from: new Date(Date.UTC(2026, 0, 5 + day)).toISOString(), ...tally(10 + ((day * 37) % 23), 4 + ((day * 13) % 6), (day * 7) % 9) }));
  Object.assign(report.summary, {
    by_group: { too_many: false, groups: [{ name: 'EU', ...tally(512, 301, 88) }, { name: 'US', ...tally(341, 102, 160) }, { name: null, ...tally(147, 40, 41) }] },
    by_source: { too_many: true, groups: [] },
    over_time: { unit: 'day', points, undated: 12 },
  });
  server.add(job);
  server.results.set(job.id, rows);
  server.reports.set(job.id, report);
}
