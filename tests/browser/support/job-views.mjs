// Home, the palette, the list of jobs and one job, in each of their states.
import { busyQueue, manyJobs } from '../fake/data.mjs';
import { makeLink } from '../fake/links.mjs';
import { tooSmall, trainingJob, trainingReport } from '../fake/training.mjs';
import { fails, full, hangs, heading, loading, opened, queue, text, viewer } from './arrangements.mjs';

const waiting = (server) => {
  full(server);
  const at = (minutes) => new Date(Date.now() + minutes * 60_000).toISOString();
  server.wait = { reason: 'own_jobs', detail: "It waits behind 12 tasks of the team's other jobs.", until: null, tasks_ahead: 12, device_class: 'gpu', missing_models: [], share: busyQueue().shares[0], earliest_start_at: at(4), latest_start_at: at(11) };
};

/** Somebody at work in a pool that is busy. */
const atWork = (server) => {
  full(server);
  queue(server);
};
const homeFails = (fault) => (server) => {
  full(server);
  for (const call of ['GET /v1/jobs', 'GET /v1/queue', 'POST /v1/estimates']) server.faults.set(call, fault);
};
const tooSmallAtHome = (server) => (server.estimate = (spec) => ({ kind: spec.kind, summary: tooSmall() }));
const training = (server) => server.add(trainingJob());
/** A report that two links open, one of them for a note and opened before. */
const shared = (server) => {
  const job = training(server);
  const opened = { id: 'link_2', secret: 'plm_report_other', note: 'For the desk', opens: 12, opened_at: job.created_at };
  server.reportLinks = [makeLink(job), makeLink(job, opened)];
};
const sharedFault = (fault) => (server) => (shared(server), server.faults.set('GET /v1/linked-report', fault));
const linksFault = (fault) => (server) => server.faults.set('GET /v1/report-links', fault);

/** Eight jobs of one kind whose inputs and results differ. */
const eight = Array.from({ length: 8 }, (_, place) => `job_compared${place}`);
const eightJobs = (server) => {
  for (const [place, id] of eight.entries()) {
    const job = trainingJob({ id, name: place === 3 ? 'A curriculum with a name that nobody would write into the heading of a column' : `Rank ${2 ** place}` });
    server.add({ ...job, args: { ...job.args, training: { ...job.args.training, lora: { rank: 2 ** place } } } });
    const report = trainingReport(job);
    for (const card of report.summary.gpus) {
      card.batch += place;
      card.speed.samples_per_second *= 1 + place / 9;
    }
    server.reports.set(id, report);
  }
};
/** A running job that counts tokens, too. */
const reading = (server) => {
  full(server);
  server.update(running, { progress: { tokens_done: 1_204_511 } });
};
/** Names as long as they may be, with and without spaces. */
const longNames = (server) => {
  full(server);
  for (const [place, job] of server.jobs.entries()) {
    const words = place % 2 ? 'quarterly-statements-of-the-companies-that-the-desk-follows-' : 'Statements of all companies that the desk in the harbour follows ';
    Object.assign(job, { name: words.repeat(3).slice(0, 120).trim(), labels: { 'desk-of-the-trading-floor': 'energy-and-everything-that-floats-on-water' } });
    job.submitter.name = 'linus-of-the-very-long-family-name';
  }
};
const [running, queued, done, , failed, , cancelled] = manyJobs(7).map(({ id }) => id);

export const jobViews = [
  { name: 'home-full', address: '/#/home', arrange: atWork, ready: async (page) => (await text('on RTX 4090')(page), await text('It is next in line')(page), await text(' used ')(page)) },
  { name: 'home-newcomer', address: '/#/home', ready: async (page) => (await text('on RTX 4090')(page), await heading('Start here')(page)) },
  { name: 'home-viewer', address: '/#/home', arrange: viewer, ready: async (page) => (await text('on RTX 4090')(page), await text('You have no jobs')(page)) },
  { name: 'home-too-small', address: '/#/home', arrange: tooSmallAtHome, ready: text('Not even one sample') },
  { name: 'home-loading', address: '/#/home', arrange: homeFails('hang'), ready: loading },
  { name: 'home-failed', address: '/#/home', arrange: homeFails(503), ready: async (page) => page.getByText('Service unavailable').nth(2).waitFor() },
  {
    name: 'palette',
    address: '/#/home',
    arrange: atWork,
    ready: async (page) => {
      await text('on RTX 4090')(page);
      await page.keyboard.press('Control+K');
      await page.getByRole('combobox', { name: 'Page, job or action' }).fill('s');
      await page.getByRole('option', { name: 'Schedules' }).waitFor();
    },
  },
  {
    name: 'palette-empty',
    address: '/#/jobs',
    ready: async (page) => {
      await text('No jobs yet')(page);
      await page.keyboard.press('Control+K');
      await page.getByRole('combobox', { name: 'Page, job or action' }).fill('nowhere');
      await text('Nothing matches all of these words')(page);
    },
  },
  { name: 'jobs-full', address: '/#/jobs', arrange: full, ready: text('Port authority notices') },
  { name: 'jobs-empty', address: '/#/jobs', ready: text('No jobs yet') },
  { name: 'jobs-viewer', address: '/#/jobs', arrange: viewer, ready: text('Jobs that your team submits') },
  { name: 'jobs-none-match', address: '/#/jobs?state=queued&label=desk%3Dnowhere', arrange: full, ready: text('No job matches') },
  { name: 'jobs-searched', address: '/#/jobs?q=port&since=7d&label=desk%3Denergy', arrange: full, ready: async (page) => (await page.getByRole('status').getByText(/^\d+ jobs?$/).waitFor(), await page.getByRole('radio', { name: /Failed \d/ }).waitFor()) },
  {
    name: 'jobs-selected',
    address: '/#/jobs',
    arrange: full,
    ready: async (page) => {
      for (const name of ['Morning headlines', 'Reviews of the spring fair', 'Letters to the editor']) await page.getByLabel(`Select ${name}`).first().check();
      await page.getByText('3 jobs selected').waitFor();
    },
  },
  {
    name: 'jobs-cancelling',
    address: '/#/jobs',
    arrange: full,
    ready: async (page) => {
      await page.getByLabel('Select Morning headlines').first().check();
      await page.getByRole('button', { name: 'Cancel 1 job' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'jobs-views',
    address: '/#/jobs?state=failed&from=2026-01-01&to=2099-01-01',
    arrange: (server) => (full(server), (server.savedViews = ['Failed this year', 'Waiting for a GPU'].map((name, index) => ({ id: `view_${index}`, page: 'jobs', name, query: index ? 'device=gpu&state=queued' : 'from=2026-01-01&to=2099-01-01&state=failed', created_at: new Date().toISOString() })))),
    ready: async (page) => (await page.getByRole('link', { name: 'Waiting for a GPU' }).waitFor(), await page.getByRole('link', { name: 'Letters to the editor' }).first().waitFor()),
  },
  { name: 'jobs-teams', address: '/#/jobs', arrange: (server) => (full(server), (server.myTeams = [...server.myTeams, ...['main', 'trading'].map((name) => ({ team: { ...server.team, id: `team_${name}`, name }, role: 'member' }))])), ready: async (page) => {
    await text('Port authority notices')(page);
    await page.getByLabel(/^Account:/).click();
    await page.getByRole('button', { name: 'trading' }).waitFor();
  } },
  { name: 'compare', address: '/#/compare?jobs=job_training0000,job_other', arrange: (server) => {
    training(server);
    const other = trainingJob({ id: 'job_other', name: 'Larger batch' });
    server.add({ ...other, args: { ...other.args, gpus: ['h200'] } });
  }, ready: async (page) => page.getByRole('table', { name: 'Inputs' }).getByText('h200', { exact: true }).waitFor() },
  { name: 'compare-eight', address: `/#/compare?jobs=${eight.join(',')}`, arrange: eightJobs, ready: async (page) => page.getByRole('table', { name: 'Figures' }).getByText('better').first().waitFor() },
  { name: 'compare-empty', address: '/#/compare', ready: text('Nothing to compare') },
  { name: 'compare-failed', address: '/#/compare?jobs=job_x,job_y', ready: text('The job was not found') },
  { name: 'compare-loading', address: '/#/compare?jobs=job_training0000,job_y', arrange: (server) => (training(server), server.faults.set('GET /v1/jobs/job_y', 'hang')), ready: loading },
  { name: 'jobs-loading', address: '/#/jobs', arrange: hangs('GET /v1/jobs'), ready: loading },
  { name: 'jobs-failed', address: '/#/jobs', arrange: fails('GET /v1/jobs'), ready: text('Service unavailable') },
  { name: 'job-running', address: `/#/jobs/${running}`, arrange: full, ready: heading('Morning headlines') },
  { name: 'job-tokens', address: `/#/jobs/${running}`, arrange: reading, ready: text('1,204,511 tokens') },
  {
    name: 'job-logs',
    address: `/#/jobs/${running}`,
    arrange: full,
    ready: async (page) => {
      await page.getByText('What workers and the queue say about each attempt').click();
      await page.getByRole('button', { name: 'Show more lines' }).click();
      await text('killed by SIGKILL')(page);
    },
  },
  {
    name: 'job-tasks',
    address: `/#/jobs/${running}`,
    arrange: full,
    ready: async (page) => {
      await page.getByText('The parts that run on devices').click();
      await page.getByRole('table', { name: 'Tasks' }).waitFor();
    },
  },
  { name: 'jobs-long-names', address: '/#/jobs', arrange: longNames, ready: text('quarterly-statements') },
  { name: 'job-long-name', address: `/#/jobs/${queued}`, arrange: longNames, ready: heading(/quarterly-statements/) },
  { name: 'job-queued', address: `/#/jobs/${queued}`, arrange: full, ready: heading('Reviews of the spring fair') },
  { name: 'job-waiting', address: `/#/jobs/${queued}`, arrange: waiting, ready: heading('Why it is waiting') },
  { name: 'job-details', address: `/#/jobs/${done}`, arrange: full, ready: async (page) => (await opened('Details')(page), await text('As submitted')(page)) },
  { name: 'job-cloning', address: '/#/jobs/job_training0000', arrange: training, ready: async (page) => (await opened('Details')(page), await page.getByRole('button', { name: 'Clone with changes' }).click(), await page.getByLabel('Specification').waitFor()) },
  { name: 'job-share', address: '/#/jobs/job_training0000', arrange: shared, ready: async (page) => (await opened('Share')(page), await page.getByRole('dialog').getByText('For the desk', { exact: true }).waitFor()) },
  { name: 'shared', address: '/#/shared/plm_report_good', signedOut: true, arrange: shared, ready: heading('Layers') },
  { name: 'shared-revoked', address: '/#/shared/plm_report_nobodys', signedOut: true, ready: text('This link is invalid') },
  { name: 'shared-loading', address: '/#/shared/plm_report_good', signedOut: true, arrange: sharedFault('hang'), ready: (page) => page.locator('main .skeleton').waitFor() },
  { name: 'shared-failed', address: '/#/shared/plm_report_good', signedOut: true, arrange: sharedFault(503), ready: text('Service unavailable') },
  { name: 'report-links', address: '/#/settings/report-links', arrange: shared, ready: text('For the desk') },
  { name: 'report-links-empty', address: '/#/settings/report-links', ready: text('No shared reports') },
  { name: 'report-links-loading', address: '/#/settings/report-links', arrange: linksFault('hang'), ready: loading },
  { name: 'report-links-failed', address: '/#/settings/report-links', arrange: linksFault(503), ready: text('Service unavailable') },
  { name: 'job-without-reports', address: `/#/jobs/${done}`, arrange: (server) => (full(server), viewer(server)), ready: text('About this job') },
  { name: 'job-failed', address: `/#/jobs/${failed}`, arrange: full, ready: heading('Letters to the editor') },
  { name: 'job-cancelled', address: `/#/jobs/${cancelled}`, arrange: full, ready: heading('Quarterly statements') },
  { name: 'job-loading', address: `/#/jobs/${done}`, arrange: hangs(`GET /v1/jobs/${done}`), ready: loading },
  { name: 'job-missing', address: '/#/jobs/job_nowhere', arrange: full, ready: text('The job was not found') },
];
