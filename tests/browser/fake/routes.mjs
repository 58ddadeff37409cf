// What the stand-in answers, one entry an operation of openapi.yaml that the pages use.
import { packedContract } from './contract.mjs';
import * as data from './data.mjs';
import { datasetRoutes } from './datasets.mjs';
import { edit } from './edits.mjs';
import { countJobs, listJobs, logs, matchingJobs } from './jobs.mjs';
import * as profile from './profile.mjs';
import { modelRoutes } from './models.mjs';
import { policyRoutes } from './policies.mjs';
import { invitationRoutes, linkRoutes, takeInvitation } from './links.mjs';
import { scheduleRoutes } from './schedules.mjs';
import * as training from './training.mjs';
import * as waves from './waves.mjs';

const limitOf = (fake, team) => fake.queue.limits.find(({ team_id }) => team_id === team) ?? { team_id: team, queued_jobs: null, jobs_per_minute: null, queued: 0, version: '1' };
const outOfMemory = 'Out of memory.';
const finished = (job) => ['succeeded', 'failed', 'cancelled'].includes(job.state);
const me = (fake) => ({ csrf_token: 'csrf', user: data.user, team: fake.team, role: 'owner', scopes: fake.scopes });

function withJob(handler) {
  return (fake, context) => {
    const job = fake.job(context.parameters[0]);
    if (!job) return context.problem(context.response, 404, { title: 'Not found', detail: 'The job was not found.' });
    return handler(fake, context, job);
  };
}

function cancelMany(fake, { call, response, json }) {
  const { job_ids, filter } = call.body;
  const asked = filter ? matchingJobs(fake, filter).filter((job) => !finished(job)) : fake.jobs.filter(({ id }) => job_ids.includes(id));
  const [refused, cancelled] = [true, false].map((ended) => asked.filter((job) => finished(job) === ended));
  cancelled.forEach(({ id }) => fake.update(id, { state: 'cancelling' }));
  json(response, 200, { cancelled: cancelled.length, refused: refused.map(({ id }) => ({ job_id: id, detail: 'The job has already finished.' })), next_cursor: null });
}

/** One attempt for each of four tasks, of which the second had failed before and the last fails; none of the last while the
    job runs. */
function attempts(fake, { response, json }, job) {
  if (!job.started_at) return json(response, 200, { items: [], next_cursor: null });
  const at = (seconds) => new Date(Date.parse(job.started_at) + seconds * 1000).toISOString();
  const one = (task, number, outcome, end, more) => ({
    id: `${task}.${number}`, task, number, outcome, merge: false, node: 'node-a', device: `opencl:0:${task % 2}`, device_class: 'gpu',
    started_at: at(end - 1), ended_at: at(end), seconds: 1, items_succeeded: 10, items_failed: 0, error: null, ...more,
  });
  const lost = { seconds: null, items_succeeded: null, items_failed: null, error: 'The worker stopped responding.' };
  const items = [one(0, 1, 'done', 1), one(1, 1, 'worker_lost', 1.2, lost), one(1, 2, 'done', 2.5)];
  if (finished(job)) items.push(one(2, 1, 'done', 2), one(3, 1, 'final', 3, { items_succeeded: null, items_failed: null, error: outOfMemory }));
  else items.push(one(2, 1, 'running', 2, { ended_at: null, seconds: null, items_succeeded: null, items_failed: null }));
  json(response, 200, { items, next_cursor: null });
}

/** The tasks of these attempts, on two pages unless a state is named. */
function tasks({ call, response, json }, job) {
  const states = finished(job) ? ['done', 'done', 'done', 'failed'] : ['done', 'done', 'running', 'waiting'];
  const all = states.map((state, task) => {
    const begun = state !== 'waiting';
    return {
      task, first_item: task * 10, items: 10, state, attempt: task === 1 ? 2 : begun ? 1 : 0, node: begun ? 'node-a' : null, device: begun ? `opencl:0:${task % 2}` : null, device_class: 'gpu',
      started_at: null, ended_at: null, seconds: state === 'done' || state === 'failed' ? 1 : null, items_succeeded: null, items_failed: null, error: state === 'failed' ? outOfMemory : null,
    };
  });
  const { state, cursor } = Object.fromEntries(call.query);
  const found = all.filter((task) => !state || task.state === state);
  const [items, next_cursor] = state ? [found, null] : cursor ? [found.slice(3), null] : [found.slice(0, 3), 'more'];
  json(response, 200, { items, next_cursor });
}

function createJob(fake, { call, response, json }) {
  const { kind, name = null, labels = {}, priority = 0, args } = call.body;
  const dataset = fake.datasets.find(({ id }) => id === args.dataset);
  const total = dataset?.records ?? (args.texts ?? args.items ?? args.gpus ?? waves.rows).length;
  const job = data.makeJob(`job_${String(fake.jobs.length).padStart(12, '0')}new`, {
    kind,
    name,
    args: kind === 'sentiment' ? { model: 'vader' } : args,
    labels,
    priority,
    progress: { items_total: total, items_done: 0, items_failed: 0, eta_seconds: null },
  });
  json(response, 202, fake.add(job), { Location: job.links.self });
}

const redrive = (fake, job) =>
  fake.update(job.id, { state: 'queued', error: null, started_at: null, finished_at: null, last_error: job.error });

function redriveMany(fake, { call, response, json }) {
  const { job_ids, filter } = call.body;
  const asked = filter ? matchingJobs(fake, filter) : fake.jobs.filter(({ id }) => job_ids.includes(id));
  const [refused, redriven] = [true, false].map((broken) => asked.filter(({ id }) => fake.unredrivable.has(id) === broken));
  redriven.forEach((job) => redrive(fake, job));
  json(response, 200, { redriven: redriven.length, refused: refused.map(({ id }) => ({ job_id: id, detail: 'The job\'s dataset has been deleted.' })), next_cursor: null });
}

const recorded = { 'training-config': training.trainingReport, waves: waves.wavesReport };
const reportOf = (fake, job) => fake.reports.get(job.id) ?? recorded[job.kind]?.(job) ?? data.makeReport(job, fake.resultsOf(job));

/** What must have happened to a job in this state. */
function history(job) {
  const told = [['submitted', job.created_at, {}]];
  if (job.started_at) told.push(['started', job.started_at, {}]);
  if (job.progress.items_failed > 0) told.push(...[['retried', [1, 4]], ['quarantined', [4]]].map(([type, tasks]) => [type, job.started_at ?? job.created_at, { tasks }]));
  if (finished(job)) told.push(['finished', job.finished_at, { state: job.state }]);
  return told.map(([type, at, data], index) => ({ number: index + 1, type, at, data }));
}

function events(fake, { call, response, json }, job) {
  const told = history(job);
  if (!call.headers.accept.includes('event-stream')) return json(response, 200, { items: told, next_after: told.length });
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  // Short, so that tests of a lost connection need not wait.
  response.write('retry: 50\n\n');
  for (const event of told.slice(Number(call.headers['last-event-id'] ?? 0))) {
    response.write(`id: ${event.number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.write(`event: job\ndata: ${JSON.stringify(job)}\n\n`);
  if (finished(job)) response.end();
  else fake.follow(job.id, response);
}

function rowsAsked(fake, call, job) {
  const first = Number(call.query.get('offset') ?? 0);
  const all = fake.resultsOf(job);
  // Jobs of very many items are recorded with a few.
  if (call.query.has('limit')) return [all[first % all.length]];
  const text = call.query.get('contains')?.toLowerCase();
  const label = call.query.get('label');
  return all.filter(
    (row) => (!text || `${row.text}\n${row.custom_id}`.toLowerCase().includes(text)) && (!label || (label === 'failed' ? row.error !== null : row.label === label)),
  );
}

const results = (fake, { call, response, json }, job) =>
  json(response, 200, { job_id: job.id, kind: job.kind, items: rowsAsked(fake, call, job) });

function resultLines(fake, { call, response }, job) {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  response.end(rowsAsked(fake, call, job).map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function resultsTable(_, { response }) {
  response.writeHead(200, { 'Content-Type': 'text/csv' });
  response.end('index,line,custom_id,text,label,compound,positive,neutral,negative,tokens,truncated,error_code,error\n');
}

function signIn(fake, { call, response, session, json, problem }) {
  const { sign_in_token, token, credentials, invitation, provider } = call.body;
  const valid = provider ? provider.code === 'good' && provider.state === 'state' : invitation ? takeInvitation(fake, invitation.secret) : credentials ? credentials.user === 'ada' && credentials.password === fake.password : sign_in_token ? fake.signInTokens.delete(sign_in_token) : fake.apiTokens.has(token);
  if (valid && credentials && fake.secondFactor.code && credentials.code !== fake.secondFactor.code) {
    return problem(response, 401, { title: 'Second factor needed', errors: [{ pointer: '/credentials/code', detail: credentials.code ? 'is wrong or has already been used' : 'is required' }] });
  }
  if (!valid) return problem(response, 401, { title: 'Unauthenticated', detail: 'Send a valid token or sign in.' });
  json(response, 201, me(fake), { 'Set-Cookie': `${session}; Path=/; HttpOnly; SameSite=Lax` });
}

export const routes = [
  [/^GET \/openapi\.json$/, (_, { response }) => response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packedContract)],
  [/^POST \/v1\/sessions$/, signIn],
  [/^GET \/v1\/sign-in-methods$/, (fake, { response, json }) => json(response, 200, { provider: fake.provider })],
  // The stand-in is its own provider: it sends the browser back at once.
  [/^POST \/v1\/provider-sign-ins$/, (fake, { response, json }) => json(response, 201, { authorization_url: `${fake.url}/?${fake.providerReturns}` })],
  [/^POST \/v1\/provider-sign-outs$/, (fake, { response, json }) => json(response, 200, { sign_out_url: fake.signOutUrl })],
  [/^GET \/v1\/users\/([^/]+)\/identities$/, (fake, { response, parameters, json }) => json(response, 200, { items: fake.identities.filter(({ user }) => user === parameters[0]), next_cursor: null })],
  [/^DELETE \/v1\/users\/([^/]+)\/identities\/([^/]+)$/, (fake, { response, parameters: [user, id], json }) => {
    fake.identities = fake.identities.filter((one) => one.user !== user || one.id !== id);
    fake.members.find((member) => member.user.id === user).user.provider_sign_in = false;
    json(response, 204);
  }],
  [/^DELETE \/v1\/sessions\/current$/, (_, { response, session, json }) => json(response, 204, undefined, { 'Set-Cookie': `${session}; Path=/; Max-Age=0` })],
  [/^GET \/v1\/users\/me$/, (fake, { response, json }) => json(response, 200, me(fake))],
  [/^GET \/v1\/users\/me\/password$/, (fake, { response, json }) =>
    json(response, 200, { is_set: fake.password !== null, changed_at: fake.password === null ? null : new Date().toISOString(), min_length: 12 })],
  [/^PUT \/v1\/users\/me\/password$/, (fake, { call, response, json, problem }) => {
    const refuse = (pointer, detail) => problem(response, 422, { title: 'Invalid body', errors: [{ pointer, detail }] });
    if (fake.password !== null && call.body.present_password !== fake.password) return refuse('/present_password', 'is not your current password');
    if (call.body.password.length < 12) return refuse('/password', 'must have at least 12 characters');
    fake.password = call.body.password;
    json(response, 204);
  }],
  [/^GET \/v1\/users\/me\/second-factor$/, ({ secondFactor: { code } }, { response, json }) =>
    json(response, 200, { is_set: code !== null, confirmed_at: code === null ? null : new Date().toISOString(), recovery_codes_left: code === null ? 0 : 10 })],
  [/^PUT \/v1\/users\/me\/second-factor$/, (fake, { call, response, json, problem }) => {
    if (call.body.present_password !== fake.password) return problem(response, 422, { title: 'Invalid body', errors: [{ pointer: '/present_password', detail: 'is not your current password' }] });
    json(response, 200, { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Plimsoll:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Plimsoll&algorithm=SHA1&digits=6&period=30' });
  }],
  [/^(PUT|POST) \/v1\/users\/me\/second-factor\/(confirmation|removal)$/, ({ secondFactor }, { call, response, json, problem }) => {
    if (call.body.code !== secondFactor.shown) return problem(response, 422, { title: 'Invalid body', errors: [{ pointer: '/code', detail: 'is not the current code' }] });
    secondFactor.code = secondFactor.code === null ? secondFactor.shown : null;
    if (secondFactor.code === null) json(response, 204);
    else json(response, 200, { recovery_codes: ['MFRG-GZDF-MZTW-Q2LK', 'NNWG-23TP-OBYX-E43U'] });
  }],
  [/^DELETE \/v1\/users\/[^/]+\/second-factor$/, (_, { response, json }) => json(response, 204)],
  [/^POST \/v1\/passwords$/, (fake, { call, response, session, json, problem }) => {
    if (!fake.passwordLinks.delete(call.body.password_token)) return problem(response, 401, { title: 'Unauthenticated' });
    fake.password = call.body.password;
    json(response, 204, undefined, { 'Set-Cookie': `${session}; Path=/; Max-Age=0` });
  }],
  [/^POST \/v1\/password-links$/, (_, { response, json }) =>
    json(response, 201, { path: '/#/set-password/plm_password_fresh', password_token: 'plm_password_fresh', expires_at: new Date(Date.now() + 900_000).toISOString() })],
  [/^GET \/v1\/users\/me\/teams$/, (fake, { response, json }) => json(response, 200, { items: fake.myTeams, next_cursor: null })],
  [/^PUT \/v1\/sessions\/current\/team$/, (fake, { call, response, json }) => {
    fake.team = fake.myTeams.find(({ team }) => team.id === call.body.team_id).team;
    json(response, 204);
  }],
  [/^GET \/v1\/saved-views$/, (fake, { response, json }) => json(response, 200, { items: fake.savedViews, next_cursor: null })],
  [/^PUT \/v1\/saved-views$/, (fake, { call, response, json }) => {
    const view = { id: `view_${fake.savedViews.length}`, created_at: new Date().toISOString(), ...call.body };
    fake.savedViews = [...fake.savedViews.filter(({ name }) => name !== view.name), view];
    json(response, 200, view);
  }],
  [/^DELETE \/v1\/saved-views\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.savedViews = fake.savedViews.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/job-counts$/, countJobs],
  [/^POST \/v1\/cancellations$/, cancelMany],
  [/^GET \/v1\/jobs\/([^/]+)\/attempts$/, withJob(attempts)],
  [/^GET \/v1\/jobs\/([^/]+)\/logs$/, withJob(logs)],
  [/^GET \/v1\/jobs\/([^/]+)\/tasks$/, withJob((_, context, job) => tasks(context, job))],
  [/^GET \/v1\/jobs$/, listJobs],
  [/^POST \/v1\/jobs$/, createJob],
  [/^GET \/v1\/jobs\/([^/]+)$/, withJob((_, { response, json }, job) => json(response, 200, job))],
  [/^DELETE \/v1\/jobs\/([^/]+)$/, withJob((fake, { response, json }, job) => {
    fake.jobs = fake.jobs.filter((other) => other !== job);
    json(response, 204);
  })],
  [/^POST \/v1\/jobs\/([^/]+)\/cancellation$/, withJob((fake, { response, json }, job) => json(response, 202, fake.update(job.id, { state: 'cancelling' })))],
  [/^GET \/v1\/jobs\/([^/]+)\/wait-reason$/, withJob((fake, { response, json }) => json(response, 200, fake.wait))],
  [/^POST \/v1\/jobs\/([^/]+)\/redrive$/, withJob((fake, { response, json }, job) => json(response, 202, redrive(fake, job)))],
  [/^POST \/v1\/redrives$/, redriveMany],
  [/^GET \/v1\/jobs\/([^/]+)\/events$/, withJob(events)],
  [/^GET \/v1\/jobs\/([^/]+)\/report$/, withJob((fake, { response, json }, job) => json(response, 200, reportOf(fake, job)))],
  [/^GET \/v1\/jobs\/([^/]+)\/results$/, withJob(results)],
  [/^GET \/v1\/jobs\/([^/]+)\/results\.jsonl$/, withJob(resultLines)],
  [/^GET \/v1\/jobs\/([^/]+)\/results\.csv$/, withJob(resultsTable)],
  [/^GET \/v1\/jobs\/([^/]+)\/baseline$/, withJob(profile.readBaseline)],
  [/^PUT \/v1\/jobs\/([^/]+)\/baseline$/, withJob(profile.pinReport)],
  [/^GET \/v1\/baselines$/, (fake, { response, json }) => json(response, 200, { items: fake.baselines.map(({ baseline }) => baseline), next_cursor: null })],
  [/^DELETE \/v1\/baselines\/([^/]+)$/, profile.unpin],
  ...linkRoutes(reportOf, resultLines),
  ...invitationRoutes,
  ...datasetRoutes,
  ...scheduleRoutes,
  [/^POST \/v1\/estimates$/, (fake, { call, response, json }) => json(response, 200, fake.estimate(call.body))],
  [/^POST \/v1\/waves-replays$/, (_, { call, response, json }) => json(response, 200, waves.replay(call.body))],
  [/^POST \/v1\/waves-checks$/, (_, { call, response, json }) => json(response, 200, waves.check(call.body))],
  ...training.routes,
  ...policyRoutes,
  ...modelRoutes,
  [/^GET \/v1\/devices$/, (fake, { response, json }) => json(response, 200, { items: fake.devices })],
  [/^POST \/v1\/devices\/([^/]+)\/([^/]+)\/cleanup$/, (fake, { response, parameters, json }) => {
    const [node, name] = parameters.map(decodeURIComponent);
    const cleanup = { state: 'pending', requested_by: 'ada', requested_at: new Date().toISOString(), finished_at: null, kept_bytes: null, freed_bytes: null };
    fake.devices = fake.devices.map((device) => (device.node === node && device.device === name ? { ...device, cleanup } : device));
    json(response, 202, fake.devices.find((device) => device.node === node && device.device === name));
  }],
  [/^GET \/v1\/queue$/, (fake, { response, json }) => json(response, 200, fake.queue)],
  [/^GET \/v1\/usage$/, (fake, { call, response, json }) => {
    const query = Object.fromEntries(call.query);
    json(response, 200, fake.used ? data.usage(query) : { from: query.from, to: query.to, group_by: [query.group_by], items: [], total: { device_seconds: 0, jobs: 0, tasks: 0, items: 0 } });
  }],
  [/^GET \/v1\/teams\/([^/]+)\/limits$/, (fake, { response, parameters, json }) => json(response, 200, limitOf(fake, parameters[0]))],
  [/^PUT \/v1\/teams\/([^/]+)\/limits$/, (fake, context) => {
    const { queued_jobs, jobs_per_minute = null } = context.call.body;
    const limit = { ...limitOf(fake, context.parameters[0]) };
    const others = fake.queue.limits.filter(({ team_id }) => team_id !== limit.team_id);
    edit(context, limit, { queued_jobs, jobs_per_minute });
    fake.queue = { ...fake.queue, limits: limit.queued_jobs === null && limit.jobs_per_minute === null ? others : [...others, limit] };
  }],
  [/^POST \/v1\/holds$/, (fake, { call, response, json }) => {
    const hold = data.makeHold(`hold_${fake.calls.length}`, call.body); // an ID that no lifted one had
    fake.queue = { ...fake.queue, holds: [hold, ...fake.queue.holds] };
    json(response, 201, hold);
  }],
  [/^DELETE \/v1\/holds\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.queue = { ...fake.queue, holds: fake.queue.holds.filter(({ id }) => id !== parameters[0]) };
    json(response, 204);
  }],
  [/^PUT \/v1\/teams\/([^/]+)\/shares\/([^/]+)$/, (fake, context) => {
    const { call, parameters } = context;
    const share = fake.queue.shares.find(({ team, device_class }) => team.id === parameters[0] && device_class === parameters[1]);
    const { weight, cap = null, quota = null } = call.body;
    const terms = { weight, cap, quota: quota && { ...quota, used_seconds: 0, renews_at: '2025-03-05T00:00:00.000Z', exhausted: false } };
    if (share) return edit(context, share, terms);
    // Of a team that never ran.
    const unused = { devices_used: 0, tasks_ready: 0, used_seconds: 0, used_share: 0, fair_share: 0, paused: false, version: '1' };
    context.json(context.response, 200, { team: { id: parameters[0], name: 'ferries' }, device_class: parameters[1], ...unused, ...terms });
  }],
  [/^GET \/v1\/tokens$/, (fake, { response, json }) => json(response, 200, { items: fake.tokens, next_cursor: null })],
  [/^POST \/v1\/tokens$/, (fake, { call, response, json }) => {
    const { name, scopes, expires_at = null } = call.body;
    const token = { id: `tok_${fake.tokens.length + 1}`, version: '1', name, hint: 'plm_api_7Yx2', user: { id: 'usr_1', name: 'ada' }, scopes, created_at: new Date().toISOString(), expires_at, last_used_at: null };
    fake.tokens.push(token);
    json(response, 201, { token, secret: 'plm_api_7Yx2Vb9QpTf4RkE0yLwAsecret_8c41d7b3' });
  }],
  [/^DELETE \/v1\/tokens\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.tokens = fake.tokens.filter((token) => token.id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/service-accounts$/, (fake, { response, json }) => json(response, 200, { items: fake.accounts, next_cursor: null })],
  [/^POST \/v1\/service-accounts$/, (fake, { call, response, json }) => {
    const account = { id: `usr_9${fake.accounts.length}`, ...call.body, disabled: false, version: '1', created_at: new Date().toISOString() };
    fake.accounts = [...fake.accounts, account];
    json(response, 201, account);
  }],
  [/^PATCH \/v1\/service-accounts\/([^/]+)$/, (fake, context) => edit(context, fake.accounts.find(({ id }) => id === context.parameters[0]), context.call.body)],
  [/^DELETE \/v1\/service-accounts\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.accounts = fake.accounts.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/sessions$/, (fake, { response, json }) => json(response, 200, { items: fake.sessions, next_cursor: null })],
  [/^DELETE \/v1\/sessions\/(sess_[^/]+)$/, (fake, { response, parameters, json }) => {
    fake.sessions = fake.sessions.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/audit-events$/, (fake, { call, response, json }) => {
    const { cursor, ...filter } = Object.fromEntries(call.query);
    const found = data.auditEvents.filter((event) => data.isAudited(event, filter));
    const items = cursor ? found.slice(2) : found.slice(0, 2);
    json(response, 200, { items, next_cursor: !cursor && found.length > 2 ? 'older' : null });
  }],
  [/^GET \/v1\/webhooks$/, (fake, { response, json }) => json(response, 200, { items: fake.webhooks, next_cursor: null })],
  [/^POST \/v1\/webhooks$/, (fake, { call, response, json }) => {
    const webhook = { id: `hook_${fake.webhooks.length + 1}`, version: '1', ...call.body, user: { id: 'usr_1', name: 'ada' }, created_at: new Date().toISOString() };
    fake.webhooks = [...fake.webhooks, webhook];
    json(response, 201, { webhook, secret: 'whsec_3LBcrJ1zRzVbUuQ0lX0n8yZr3mH1mD0Qw7v6t4h5k2s=' });
  }],
  [/^DELETE \/v1\/webhooks\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.webhooks = fake.webhooks.filter((webhook) => webhook.id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/webhooks\/[^/]+\/deliveries$/, (fake, { response, json }) => json(response, 200, { items: fake.deliveries, next_cursor: null })],
  [/^POST \/v1\/webhooks\/[^/]+\/deliveries$/, (fake, { response, json }) => {
    const delivery = { ...data.deliveries[2], id: `msg_${fake.deliveries.length + 1}`, state: 'pending', attempts: 0, finished_at: null };
    fake.deliveries = [delivery, ...fake.deliveries];
    json(response, 202, delivery);
  }],
  [/^GET \/v1\/teams\/team_1\/members$/, (fake, { response, json }) => json(response, 200, { items: fake.members, next_cursor: null })],
  [/^PUT \/v1\/teams\/team_1\/members\/([^/]+)$/, (fake, context) => {
    const { call, response, parameters, json } = context;
    const member = fake.members.find(({ user }) => user.id === parameters[0]);
    if (member) return edit(context, member, call.body);
    const added = { user: { ...data.user, id: parameters[0], name: fake.newUser, is_admin: false }, role: call.body.role, version: '1' };
    fake.members.push(added);
    json(response, 200, added);
  }],
  [/^DELETE \/v1\/teams\/team_1\/members\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.members = fake.members.filter(({ user }) => user.id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/teams$/, (fake, { response, json }) => json(response, 200, { items: fake.teams, next_cursor: null })],
  [/^POST \/v1\/teams$/, (fake, { call, response, json }) => {
    const made = { ...data.team, name: call.body.name, created_at: new Date().toISOString() };
    fake.teams = [...fake.teams.filter(({ id }) => id !== made.id), made];
    json(response, 201, made);
  }],
  [/^PATCH \/v1\/(tokens|webhooks|teams)\/([^/]+)$/, (fake, context) => {
    const [what, id] = context.parameters;
    const changed = { ...fake[what].find((one) => one.id === id) };
    edit(context, changed, context.call.body);
    fake[what] = fake[what].map((one) => (one.id === id ? changed : one));
  }],
  [/^DELETE \/v1\/users\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.members = fake.members.filter(({ user }) => user.id !== parameters[0]);
    json(response, 204);
  }],
  [/^PATCH \/v1\/users\/([^/]+)$/, (fake, context) => {
    const { user } = fake.members.find((member) => member.user.id === context.parameters[0]);
    if (user.id === data.user.id) return context.problem(context.response, 409, { title: 'Conflict', detail: 'The last system admin must stay.' });
    edit(context, user, context.call.body);
  }],
  [/^PUT \/v1\/device-classes\/([^/]+)$/, (fake, context) => edit(context, fake.queue.classes.find(({ device_class }) => device_class === context.parameters[0]), context.call.body)],
  [/^GET \/v1\/users$/, (fake, { response, json }) => json(response, 200, { items: fake.members.map(({ user }) => user), next_cursor: null })],
  [/^POST \/v1\/users$/, (fake, { call, response, json }) => {
    fake.newUser = call.body.name;
    json(response, 201, { ...data.user, id: 'usr_9', name: call.body.name, is_admin: false });
  }],
  [/^POST \/v1\/sign-in-links$/, (_, { response, json }) =>
    json(response, 201, { path: '/#/sign-in/plm_signin_fresh', sign_in_token: 'plm_signin_fresh', expires_at: new Date(Date.now() + 900_000).toISOString() })],
];
