// What the first page needs is asked for while the pages' own code is on its way (web/public/early.js).
import assert from 'node:assert/strict';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';
import { views } from './support/views.mjs';

/** By view: what is asked for early, a script among it, and the answer on the page. */
const pages = {
  'home-full': [['/v1/users/me', '/v1/gpu-profiles', '/v1/devices', '/v1/queue'], ['HomePage', 'FitAnswer'], 'crane-7'],
  'jobs-full': [['/v1/users/me', '/v1/jobs'], ['JobsPage'], 'Port authority notices'],
  'report-training': [['/v1/users/me', '/v1/jobs/job_training0000', '/v1/jobs/job_training0000/report'], ['JobPage', 'TrainingReport'], 'Recommended batch'],
  'report-waves': [['/v1/users/me', '/v1/jobs/job_waves0000000', '/v1/jobs/job_waves0000000/report'], ['JobPage', 'WavesReport'], 'Symbols by patterns'],
  'report-profile': [['/v1/users/me', '/v1/jobs/job_profile000000', '/v1/jobs/job_profile000000/report'], ['JobPage', 'ProfileReport'], 'How it was measured'],
  'job-failed': [['/v1/users/me', '/v1/jobs/job_000000000004'], ['JobPage'], 'About this job'],
  'queue-full': [['/v1/users/me', '/v1/queue'], ['QueuePage'], 'Stopped'],
  'devices-full': [['/v1/users/me', '/v1/devices'], ['DevicesPage'], 'crane-7'],
  'docs-api': [['/v1/users/me', '/openapi.json'], ['ApiPage'], 'Getting a client'],
  'docs-operation': [['/v1/users/me', '/openapi.json'], ['NamedPage'], 'With curl'],
  'docs-quick-start': [['/v1/users/me'], ['NamedPage'], 'A first job'],
};

/** Keeps the pages' own code from coming until it is released; and what the page asked for. */
async function hold(page) {
  const scripts = [];
  let release;
  const released = new Promise((resolve) => (release = resolve));
  page.on('request', (request) => scripts.push(request.url()));
  await page.route('**/assets/index-*.js', async (route) => (await released, await route.continue()));
  return { scripts, release };
}

for (const [name, [reads, parts, answer]] of Object.entries(pages)) {
  const view = views.find((one) => one.name === name);
  visit(`${name}: the page's code finds its answers and its parts`, { ...view, ofItsOwn: true }, async ({ page, server, go }) => {
    const { scripts, release } = await hold(page);
    const went = go(view.address);
    await until(() => reads.every((path) => server.calls.some((call) => call.name === `GET ${path}`)), 'the early questions');
    await until(() => parts.every((part) => scripts.some((url) => url.includes(`/assets/${part}-`))), 'the early scripts');
    assert.equal(server.calls.length, reads.length);
    // Asked again, they would not be answered.
    for (const path of reads) server.faults.set(`GET ${path}`, 'hang');
    release();
    await went;
    await page.getByText(answer).first().waitFor();
  });
}

visit('a browser without a session asks for nothing early', { ofItsOwn: true, signedOut: true }, async ({ page, server, go }) => {
  await go('/#/queue');
  await page.getByRole('heading', { name: 'Plimsoll' }).waitFor();
  assert.ok(server.calls.every(({ name }) => name === 'GET /v1/sign-in-methods'), JSON.stringify(server.calls.map(({ name }) => name)));
});

visit('an early question that fails is asked again', { ofItsOwn: true }, async ({ page, server, go }) => {
  const { release } = await hold(page);
  server.faults.set('GET /v1/users/me', 503);
  const went = go('/#/devices');
  await until(() => server.calls.some(({ name }) => name === 'GET /v1/users/me'), 'the early question');
  server.faults.clear();
  release();
  await went;
  await page.getByText('Service unavailable').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('crane-7').first().waitFor();
});
