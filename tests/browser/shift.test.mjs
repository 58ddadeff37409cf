// Cumulative layout shift: what arrives late moves nothing that is already there.
import assert from 'node:assert/strict';
import { busyQueue, manyJobs } from './fake/data.mjs';
import { desk } from './fake/policies.mjs';
import { trainingJob } from './fake/training.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

const most = 0.05;
const done = manyJobs(3)[2].id;
const failed = manyJobs(5)[4].id;

const busy = (server) => {
  server.jobs = manyJobs(60);
  server.queue = busyQueue();
};
const training = (server) => server.add(trainingJob());
const arrangementOf = (view) => views.find(({ name }) => name === view).arrange;

const cases = [
  { name: 'home', address: '/#/home', arrange: busy, slow: 'GET /v1/jobs', arrived: 'Port authority notices' },
  { name: 'home of a newcomer', address: '/#/home', arrange: () => {}, slow: 'GET /v1/jobs', arrived: 'Start here' },
  { name: 'answer', address: '/#/home', arrange: busy, slow: 'POST /v1/estimates', arrived: 'on RTX 4090' },
  { name: 'training report', address: '/#/jobs/job_training0000', arrange: training, slow: 'GET /v1/jobs/job_training0000/report', arrived: 'Recommended batch' },
  { name: 'queue', address: '/#/queue', arrange: busy, slow: 'GET /v1/queue', arrived: 'Stopped' },
  { name: 'jobs', address: '/#/jobs', slow: 'GET /v1/jobs', arrived: 'Port authority notices' },
  { name: 'job', address: `/#/jobs/${failed}`, slow: `GET /v1/jobs/${failed}`, arrived: 'About this job' },
  { name: 'report', address: `/#/jobs/${done}`, slow: `GET /v1/jobs/${done}/report`, arrived: 'Mean score' },
  { name: 'results', address: `/#/jobs/${done}`, slow: `GET /v1/jobs/${done}/results.jsonl`, arrived: 'Our insurer' },
  { name: 'devices', address: '/#/devices', slow: 'GET /v1/devices', arrived: 'crane-7' },
  { name: 'policies', address: '/#/settings/policies', arrange: (server) => (server.policies = [desk]), slow: 'GET /v1/policies', arrived: 'Next switch' },
  { name: 'schedule', address: '/#/schedules/sched_1', arrange: arrangementOf('schedule-full'), slow: 'GET /v1/schedules/sched_1', arrived: 'Next runs' },
  { name: 'dataset', address: '/#/datasets/data_ready', arrange: arrangementOf('dataset-ready'), slow: 'GET /v1/datasets/data_ready', arrived: 'Ferry operator' },
  { name: 'comparison', address: '/#/compare?jobs=job_training0000,job_other', arrange: arrangementOf('compare'), slow: 'GET /v1/jobs/job_other', arrived: 'Inputs' },
  { name: 'new training job', address: '/#/new/training-config', slow: 'GET /v1/gpu-profiles', arrived: 'up to date' },
  { name: 'team', address: '/#/settings/team', slow: 'GET /v1/teams/team_1/members', arrived: 'grace' },
  { name: 'shared report', address: '/#/shared/plm_report_good', arrange: arrangementOf('shared'), slow: 'GET /v1/linked-report', arrived: 'Recommended batch' },
  { name: 'password', address: '/#/settings/password', slow: 'GET /v1/users/me/password', arrived: 'New password' },
  { name: 'tokens', address: '/#/settings/tokens', slow: 'GET /v1/tokens', arrived: 'nightly script' },
];

const full = (server) => (server.jobs = manyJobs(60));
const windows = [{ width: 1280, height: 900 }, { width: 412, height: 823 }];
for (const [{ name, address, arrange = full, slow, arrived }, size] of cases.flatMap((one) => windows.map((size) => [one, size]))) {
  visit(`${name}: nothing jumps at ${size.width} px`, { arrange, ...size, ofItsOwn: true }, async ({ page, server, go }) => {
    let release;
    server.faults.set(slow, new Promise((resolve) => (release = resolve)));
    await page.addInitScript(() => {
      globalThis.shifts = [];
      new PerformanceObserver((list) => globalThis.shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });
    });
    await go(address);
    await page.locator('.skeleton').first().waitFor();
    release();
    await page.getByText(arrived).first().waitFor();
    const total = await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(globalThis.shifts.reduce((sum, shift) => sum + shift.value, 0))))),
    );
    assert.ok(total < most, `layout shift ${total.toFixed(3)}`);
  });
}
