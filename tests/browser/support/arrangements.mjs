// What views are made of: how the stand-in server is set up, and what tells that a page is there.
import { busyQueue, manyJobs } from '../fake/data.mjs';
import { pinnedReport, profileJob, profileReport } from '../fake/profile.mjs';

export const heading = (name) => (page) => page.getByRole('heading', { name }).waitFor();
export const text = (words) => (page) => page.getByText(words).first().waitFor();
// Not the skeleton of the start, which comes before the page's own.
export const loading = (page) => page.locator('main:has(h1:not(.visually-hidden)) .skeleton').first().waitFor();
export const full = (server) => (server.jobs = manyJobs(60));
export const fails = (call) => (server) => {
  full(server);
  server.faults.set(call, 503);
};
export const hangs = (call) => (server) => {
  full(server);
  server.faults.set(call, 'hang');
};
export const queue = (server) => Object.assign(server, { queue: busyQueue(), used: true });
export const viewer = (server) => (server.scopes = ['jobs:read']);
/** Presses a button of this name and waits for the dialog that it opens. */
export const opened = (button) => async (page) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
};
export const profile = (fields) => (server) => {
  const job = server.add(profileJob());
  server.reports.set(job.id, profileReport(job, fields));
};
/** A report, and an earlier one of the same device, half as fast, that the team pinned. */
export const profileCompared = (server) => {
  profile()(server);
  const before = server.add(profileJob({ id: 'job_profile000001', name: 'Before' }));
  const report = profileReport(before);
  for (const rate of report.summary.engine.products) rate.value /= 2;
  server.reports.set(before.id, report);
  server.baselines = [pinnedReport(before, report)];
};

const tail = '-of-an-extraordinarily-long-name-that-nobody-shortened-before-it-came-here';
/** Makes every name within a value a very long one, once. */
function lengthen(value, seen = new Set()) {
  if (value === null || typeof value !== 'object' || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Map) return void value.forEach((one) => lengthen(one, seen));
  for (const [key, one] of Object.entries(value)) {
    if (/^(name|symbol|person|submitter_name|target)$/.test(key) && typeof one === 'string' && !one.endsWith(tail)) value[key] += tail;
    else lengthen(one, seen);
  }
}
/** The view, where whatever has a name has a very long one. */
export const longNamed = (view) => ({ ...view, arrange: (fake) => (view.arrange?.(fake), lengthen(fake)) });
