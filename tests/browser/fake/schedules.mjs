// Schedules: two of them with a history, at times that do not depend on when a test runs.
import { stale } from './edits.mjs';

const time = (at, local) => ({ at, local });
const nights = [
  time('2100-03-26T01:30:00.000Z', '2100-03-26T02:30:00+01:00'),
  time('2100-03-27T01:30:00.000Z', '2100-03-27T02:30:00+01:00'),
  time('2100-03-28T01:00:00.000Z', '2100-03-28T03:00:00+02:00'),
  time('2100-03-29T00:30:00.000Z', '2100-03-29T02:30:00+02:00'),
  time('2100-03-30T00:30:00.000Z', '2100-03-30T02:30:00+02:00'),
];
const job = { kind: 'sentiment', name: 'Headlines', args: { texts: ['Shares soar.'] } };

const make = (id, fields) => ({
  id, name: 'Nightly headlines', kind: 'sentiment', cron: '30 2 * * *', time_zone: 'Europe/Berlin', misfire: 'once', misfire_limit: 10, overlap: 'skip',
  paused_at: null, next_runs: nights, version: '1', user: { id: 'usr_1', name: 'ada' }, created_at: '2025-03-04T09:00:00.000Z', updated_at: '2025-03-04T09:00:00.000Z', job,
  ...fields,
});

export const schedules = [
  make('sched_1', {}),
  make('sched_2', { name: 'Reviews at the end of every month, for the board', cron: '0 6 L * *', overlap: 'queue', misfire: 'all', paused_at: '2025-03-04T10:00:00.000Z', next_runs: [] }),
];

const run = (due_at, fields) => ({ due_at, triggered_by: null, outcome: 'submitted', job_id: null, job_state: null, reason: null, missed: 0, decided_at: due_at, ...fields });

export const runs = [
  run('2025-03-08T10:12:13.400Z', { triggered_by: { id: 'usr_1', name: 'ada' }, job_id: 'job_4', job_state: 'running' }),
  run('2025-03-08T01:30:00.000Z', { job_id: 'job_3', job_state: 'succeeded', missed: 2 }),
  run('2025-03-07T01:30:00.000Z', { outcome: 'waiting', reason: 'An earlier job has not finished.' }),
  run('2025-03-06T01:30:00.000Z', { outcome: 'skipped', reason: 'An earlier job had not finished.' }),
  run('2025-03-05T01:30:00.000Z', { outcome: 'missed', reason: 'No server was running.' }),
  run('2025-03-04T01:30:00.000Z', { outcome: 'failed', reason: '/dataset: The dataset was not found.' }),
  run('2025-03-03T01:30:00.000Z', { job_id: 'job_1' }),
];

function withSchedule(handler) {
  return (fake, context) => {
    const found = fake.schedules.find(({ id }) => id === context.parameters[0]);
    if (!found) return context.problem(context.response, 404, { title: 'Not found', detail: 'The schedule was not found.' });
    return handler(fake, context, found);
  };
}

function change(fake, found, fields) {
  const changed = { ...found, ...fields, version: String(Number(found.version) + 1) };
  fake.schedules = fake.schedules.map((one) => (one === found ? changed : one));
  return changed;
}

/** The one mistake that this server knows. */
const refused = ({ cron }) => cron.split(' ')[1] === '66';
const refuse = ({ response, problem }) =>
  problem(response, 422, { title: 'Invalid body', errors: [{ pointer: '/cron', detail: 'hour: "66" is not between 0 and 23' }] });

export const scheduleRoutes = [
  [/^GET \/v1\/schedules$/, (fake, { response, json }) => json(response, 200, { items: fake.schedules, next_cursor: null })],
  [/^POST \/v1\/schedules$/, (fake, context) => {
    const { call, response, json } = context;
    if (refused(call.body)) return refuse(context);
    const made = make(`sched_${fake.schedules.length + 1}`, { ...call.body, kind: call.body.job.kind });
    fake.schedules = [...fake.schedules, made];
    json(response, 201, made, { Location: `/v1/schedules/${made.id}` });
  }],
  [/^POST \/v1\/schedule-previews$/, (_, context) => (refused(context.call.body) ? refuse(context) : context.json(context.response, 200, { items: nights }))],
  [/^GET \/v1\/schedules\/([^/]+)$/, withSchedule((_, { response, json }, found) => json(response, 200, found))],
  [/^PUT \/v1\/schedules\/([^/]+)$/, withSchedule((fake, context, found) => {
    if (stale(context, found)) return;
    if (refused(context.call.body)) return refuse(context);
    context.json(context.response, 200, change(fake, found, context.call.body));
  })],
  [/^DELETE \/v1\/schedules\/([^/]+)$/, withSchedule((fake, { response, json }, found) => {
    fake.schedules = fake.schedules.filter((one) => one !== found);
    json(response, 204);
  })],
  [/^POST \/v1\/schedules\/([^/]+)\/pause$/, withSchedule((fake, { response, json }, found) => json(response, 200, change(fake, found, { paused_at: new Date().toISOString(), next_runs: [] })))],
  [/^POST \/v1\/schedules\/([^/]+)\/resume$/, withSchedule((fake, { response, json }, found) => json(response, 200, change(fake, found, { paused_at: null, next_runs: nights })))],
  [/^GET \/v1\/schedules\/([^/]+)\/runs$/, withSchedule((fake, { response, json }) => json(response, 200, { items: fake.scheduleRuns, next_cursor: null }))],
  [/^POST \/v1\/schedules\/([^/]+)\/runs$/, withSchedule((fake, { response, json }) => {
    const due_at = new Date().toISOString();
    fake.scheduleRuns = [run(due_at, { triggered_by: { id: 'usr_1', name: 'ada' }, job_id: 'job_9', job_state: 'queued' }), ...fake.scheduleRuns];
    json(response, 202, { job_id: 'job_9', due_at }, { Location: '/v1/jobs/job_9' });
  })],
];
