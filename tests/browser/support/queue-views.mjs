// Queue, usage and schedules in each of their states.
import { makeJob } from '../fake/data.mjs';
import { fails, full, hangs, heading, loading, queue, text } from './arrangements.mjs';

const warned = (server) => {
  queue(server);
  const detail = "A PostgreSQL session, process 4711, has kept an old snapshot for 12 min. Until it ends, vacuum cannot remove dead rows and the queue's tables grow.";
  server.queue.warnings = [{ code: 'vacuum_blocked', detail, since: new Date(Date.now() - 720_000).toISOString() }];
};
const used = (server) => (server.used = true);
const usedByMember = (server) => {
  used(server);
  server.scopes = ['jobs:read', 'jobs:write', 'reports:read'];
};
const onDataset = (server) => {
  full(server);
  server.jobs = [makeJob('job_on_dataset', { name: 'Letters', state: 'running', args: { model: 'vader', dataset: 'data_ready', source: { format: 'csv', text: 'text', custom_id: 'id', text_position: 1 } } }), ...server.jobs];
};
/** As a member sees it: nothing can be changed. */
const queueOfMember = (server) => {
  queue(server);
  server.scopes = ['jobs:read', 'jobs:write', 'reports:read'];
};

export const queueViews = [
  { name: 'queue-full', address: '/#/queue', arrange: queue, ready: heading('Stopped') },
  { name: 'queue-class', address: '/#/queue', arrange: queue, ready: async (page) => (await page.getByRole('button', { name: 'Usage on class gpu' }).click(), await page.getByLabel('Half-life, hours').waitFor()) },
  { name: 'queue-member', address: '/#/queue', arrange: queueOfMember, ready: heading('Your team') },
  { name: 'queue-empty', address: '/#/queue', ready: text('No usage yet') },
  { name: 'queue-loading', address: '/#/queue', arrange: hangs('GET /v1/queue'), ready: loading },
  { name: 'queue-failed', address: '/#/queue', arrange: fails('GET /v1/queue'), ready: text('Service unavailable') },
  {
    name: 'queue-stopping',
    address: '/#/queue',
    arrange: queue,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Stop class gpu' }).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('Enter a reason.').waitFor();
    },
  },
  {
    name: 'queue-share',
    address: '/#/queue',
    arrange: queue,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Share of research on gpu' }).click();
      await page.getByRole('textbox', { name: 'Weight' }).waitFor();
    },
  },
  {
    name: 'queue-limit',
    address: '/#/queue',
    arrange: queue,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Limit the jobs of research, on gpu' }).click();
      await page.getByLabel('Jobs that have not started').fill('many');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Enter a whole number.').waitFor();
    },
  },
  { name: 'queue-warned', address: '/#/queue', arrange: warned, ready: text('has kept an old snapshot') },
  { name: 'usage-full', address: '/#/usage', arrange: used, ready: heading('By kind') },
  { name: 'usage-hours', address: '/#/usage?period=day&by=user', arrange: used, ready: heading('By user') },
  { name: 'usage-months', address: '/#/usage?period=year&by=team', arrange: used, ready: heading('By team') },
  { name: 'usage-member', address: '/#/usage', arrange: usedByMember, ready: text('Usage of your team') },
  { name: 'usage-empty', address: '/#/usage', ready: text('No usage') },
  { name: 'usage-loading', address: '/#/usage', arrange: hangs('GET /v1/usage'), ready: loading },
  { name: 'usage-failed', address: '/#/usage', arrange: fails('GET /v1/usage'), ready: text('Service unavailable') },
  { name: 'schedules-full', address: '/#/schedules', ready: text('Nightly headlines') },
  { name: 'schedules-empty', address: '/#/schedules', arrange: (server) => (server.schedules = []), ready: text('No schedules yet') },
  { name: 'schedules-loading', address: '/#/schedules', arrange: hangs('GET /v1/schedules'), ready: loading },
  { name: 'schedules-failed', address: '/#/schedules', arrange: fails('GET /v1/schedules'), ready: text('Service unavailable') },
  { name: 'schedule-full', address: '/#/schedules/sched_1', ready: text('No server was running.') },
  { name: 'schedule-paused', address: '/#/schedules/sched_2', ready: text('Runs due during the pause') },
  { name: 'schedule-empty', address: '/#/schedules/sched_1', arrange: (server) => (server.scheduleRuns = []), ready: text('No runs yet') },
  { name: 'schedule-failed', address: '/#/schedules/sched_1', arrange: fails('GET /v1/schedules/sched_1'), ready: text('Service unavailable') },
  {
    name: 'schedule-edit',
    address: '/#/schedules/sched_1',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit schedule' });
      await dialog.getByLabel('Cron expression').fill('0 66 * * *');
      await dialog.getByText('is not between 0 and 23').waitFor();
    },
  },
  {
    name: 'job-to-schedule',
    address: '/#/jobs/job_on_dataset',
    arrange: onDataset,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create schedule' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *');
      await page.getByRole('list', { name: 'Next runs' }).getByRole('listitem').nth(4).waitFor();
    },
  },
  {
    name: 'new-schedule',
    address: '/#/new/sentiment',
    ready: async (page) => {
      await page.getByRole('radio', { name: 'On a schedule' }).check();
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * *');
      await page.getByRole('list', { name: 'Next runs' }).getByRole('listitem').nth(4).waitFor();
      await page.getByText('Limits').click();
      await page.getByLabel('Unique key').waitFor();
      await page.evaluate(() => scrollTo(0, 0)); // back from the limits: nothing lies below the bar
    },
  },
];
