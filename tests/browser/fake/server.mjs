// A stand-in for the REST API that holds its whole state in memory and moves only when a test says so:
// jobs progress by `update`, calls fail or wait by `faults`. One instance a test.
import { createServer } from 'node:http';
import { violation } from './contract.mjs';
import * as data from './data.mjs';
import { runs, schedules } from './schedules.mjs';
import { serveStatic } from './static.mjs';
import { rows as wavesRows } from './waves.mjs';
import { routes } from './routes.mjs';
import { estimate } from './training.mjs';

const session = 'plimsoll_session=yes';
// Milliseconds that an answer takes at most on the slow machine that tests can be asked to imagine.
const latency = 100 * (Number(process.env.PLIMSOLL_TEST_SLOWDOWN ?? 1) - 1);
// Calls whose answers come after all others, to find pages that count on an order.
const late = process.env.PLIMSOLL_TEST_LATE ? new RegExp(process.env.PLIMSOLL_TEST_LATE) : undefined;

export class FakeServer {
  /** What the API knows. */
  jobs = [];
  devices = data.devices;
  policies = [];
  models = { ...data.models, default: 'vader', items: data.models.items.slice(0, 1) };
  /** Pulls and verifications of models, newest first. */
  modelOperations = [];
  /** Why a model may not be removed, by name. */
  modelUses = new Map();
  tokens = [...data.tokens];
  accounts = structuredClone(data.serviceAccounts);
  datasets = [];
  webhooks = [...data.webhooks];
  sessions = [...data.sessions];
  identities = [{ user: 'usr_3', id: 'idn_1', issuer: 'https://login.example.com', subject: '7f3e', created_at: '2025-01-03T08:00:00.000Z', last_used_at: '2025-03-03T08:00:00.000Z' }];
  /** Of the identity provider. */
  signOutUrl = null;
  schedules = [...schedules];
  /** Of every one of them. */
  scheduleRuns = [...runs];
  /** GPU profiles of the team. */
  cards = [];
  measurements = [];
  /** Pinned reports: the API's baseline and the report's summary. */
  baselines = [];
  deliveries = [...data.deliveries];
  members = structuredClone(data.members);
  scopes = data.everyScope;
  team = data.team;
  /** The caller's, this one included. */
  myTeams = [{ team: data.team, role: 'owner' }];
  savedViews = [];
  /** Of the whole installation. */
  teams = [data.team, { ...data.team, id: 'team_2', name: 'trading' }];
  /** Links that open reports, with their secrets. */
  reportLinks = [];
  /** Sign-in secrets that still work. */
  signInTokens = new Set(['plm_signin_good']);
  /** Of the signed-in user; null: none. */
  password = null;
  /** What the authenticator app shows, and what a sign-in needs; null: no second factor. */
  secondFactor = { shown: '287082', code: null };
  passwordLinks = new Set();
  invitations = [];
  provider = null;
  providerReturns = 'code=good&state=state&iss=https%3A%2F%2Flogin.example.com';
  apiTokens = new Set(['plm_api_good']);
  results = new Map();
  /** By job, where a test needs a report other than the usual one. */
  reports = new Map();
  /** What estimates answer. */
  estimate = estimate;
  /** Ids of jobs that cannot run again. */
  unredrivable = new Set();
  /** Why jobs wait. */
  wait = { reason: 'busy', detail: 'It is next in line: every device of class cpu is busy with other work.', until: null, tasks_ahead: 0, device_class: 'cpu', missing_models: [], share: null, earliest_start_at: null, latest_start_at: null };
  /** Shares, holds and depths. */
  queue = data.emptyQueue();
  /** Whether anything was used. */
  used = false;
  pageSize = 50;
  /** By "METHOD /path": a status or a problem to answer with, 'hang', or a promise to wait for first. */
  faults = new Map();
  /** "METHOD /path" of every API call, in order, with body and headers. */
  calls = [];
  /** Told of every call before it is answered, for what must happen between two of them. */
  onCall;
  #streams = new Map();
  #hanging = [];
  /** What went wrong in the stand-in itself; fails the test when it stops. */
  #failures = [];
  #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => {
      this.#failures.push(error);
      if (!response.headersSent) problem(response, 500, { detail: String(error) });
      else response.destroy();
    });
  });
  #pages;

  constructor(pages) {
    this.#pages = pages;
  }

  async start() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  job(id) {
    return this.jobs.find((job) => job.id === id);
  }

  add(job) {
    this.jobs.unshift(job);
    return job;
  }

  /** Changes a job and tells everybody who follows it. */
  update(id, change) {
    const job = this.job(id);
    Object.assign(job, change, { progress: data.withFraction({ ...job.progress, fraction: undefined, ...change.progress }) });
    const ended = ['succeeded', 'failed', 'cancelled'].includes(job.state);
    for (const response of this.#streams.get(id) ?? []) {
      response.write(`event: job\ndata: ${JSON.stringify(job)}\n\n`);
      if (ended) response.end();
    }
    return job;
  }

  finish(id, state = 'succeeded') {
    const { items_total } = this.job(id).progress;
    const now = new Date().toISOString();
    return this.update(id, { state, started_at: this.job(id).started_at ?? now, finished_at: now, progress: { items_done: items_total, eta_seconds: null } });
  }

  resultsOf(job) {
    if (!this.results.has(job.id)) this.results.set(job.id, job.kind === 'waves' ? wavesRows : data.makeResults(job.progress.items_total));
    return this.results.get(job.id);
  }

  follow(id, response) {
    if (response.destroyed) return;
    if (!this.#streams.has(id)) this.#streams.set(id, new Set());
    this.#streams.get(id).add(response);
    response.on('close', () => this.#streams.get(id).delete(response));
  }

  followers(id) {
    return this.#streams.get(id)?.size ?? 0;
  }

  /** Cuts the event streams, as a proxy or a restart does. */
  cut(id) {
    for (const response of this.#streams.get(id) ?? []) response.destroy();
  }

  async #answer(request, response) {
    if (late?.test(`${request.method} ${request.url}`)) await new Promise((resolve) => setTimeout(resolve, 1500));
    else if (latency) await new Promise((resolve) => setTimeout(resolve, Math.random() * latency));
    const url = new URL(request.url, this.url);
    if (!url.pathname.startsWith('/v1/') && url.pathname !== '/openapi.json') return serveStatic(this.#pages, url.pathname, response);
    const bytes = await bodyOf(request);
    if (bytes === null) return;
    const isJson = request.headers['content-type']?.includes('json') && bytes.length > 0;
    const body = isJson ? JSON.parse(bytes.toString()) : undefined;
    const call = { name: `${request.method} ${url.pathname}`, body, bytes, headers: request.headers, query: url.searchParams };
    this.calls.push(call);
    this.onCall?.(call);

    const json = (to, status, body, headers = {}) => {
      const wrong = violation(call.name, status, body);
      if (wrong) this.#failures.push(new Error(`${call.name} is answered otherwise than openapi.yaml says: ${wrong}`));
      send(to, status, body, headers);
    };
    const fault = this.faults.get(call.name);
    if (fault === 'hang') return void this.#hanging.push(response);
    if (fault instanceof Promise) await fault;
    else if (fault) return problem(response, fault.status ?? fault, fault);
    const signedIn = request.headers.cookie?.includes(session);
    if (!signedIn && !call.name.startsWith('GET /v1/linked-report') && !['POST /v1/sessions', 'POST /v1/passwords', 'GET /v1/sign-in-methods', 'POST /v1/provider-sign-ins', 'POST /v1/provider-sign-outs', 'GET /v1/invitation-offer', 'GET /openapi.json'].includes(call.name)) return problem(response, 401, { title: 'Unauthenticated' });
    if (signedIn && request.method !== 'GET' && request.headers['x-csrf-token'] !== 'csrf' && !['POST /v1/sessions', 'POST /v1/passwords'].includes(call.name)) {
      return problem(response, 403, { title: 'Forbidden', detail: 'The CSRF token is missing.' });
    }
    for (const [pattern, handler] of routes) {
      const match = pattern.exec(call.name);
      if (match) return handler(this, { call, response, parameters: match.slice(1), session, problem, json });
    }
    return problem(response, 404, { title: 'Not found' });
  }
}

/** Null where the page left in the middle of its request: it wants no answer any more. */
async function bodyOf(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function send(response, status, body, headers) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function problem(response, status, { title, detail, errors } = {}) {
  const titles = { 500: 'Internal server error', 503: 'Service unavailable' };
  response.writeHead(status, { 'Content-Type': 'application/problem+json' });
  response.end(
    JSON.stringify({ type: '/docs/problems/internal', title: title ?? titles[status] ?? `Status ${status}`, status, detail: detail ?? (status === 503 ? 'The database does not respond.' : undefined), request_id: 'req_1f2e3d4c5b6a7988', errors }),
  );
}
