// Made-up jobs, devices and reports in the shapes of openapi.yaml. Everything is derived from fixed
// numbers, so that pages look the same in every run.

// Of the form int8.
const proof = {
  form: 'int8', method: 'block_int8', passed: true, why: null, texts: 512, same_label: 510, flips: 0, difference_p99: 0.0121,
  difference_max: 0.0233, outlier_columns: 2, outlier_ratio: 31.5, speedup: 2.4, seconds_per_token: 0.0004, device: 'cpu', proven_at: '2026-05-04T09:40:00Z',
};

const states = ['running', 'queued', 'succeeded', 'succeeded', 'failed', 'succeeded', 'cancelled', 'succeeded'];
const names = ['Morning headlines', 'Reviews of the spring fair', 'Port authority notices', 'Crew survey, open answers', 'Letters to the editor', null, 'Quarterly statements of twelve shipping lines with an unusually long name', 'Support messages'];

const person = { email: null, email_verified: false, is_admin: false, disabled: false, second_factor: false, provider_sign_in: false, version: '1', created_at: '2025-01-03T08:00:00.000Z' };
export const user = { ...person, id: 'usr_1', name: 'ada', is_admin: true, created_at: '2025-01-02T08:00:00.000Z' };
const signedIn = { team: { id: 'team_1', name: 'research' }, created_at: '2025-03-04T09:00:00.000Z', last_used_at: '2025-03-04T10:00:00.000Z', expires_at: '2025-03-11T09:00:00.000Z' };
export const sessions = [
  { ...signedIn, id: 'sess_1', user: { id: 'usr_1', name: 'ada' }, current: true, address: '192.0.2.7', agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0' },
  { ...signedIn, id: 'sess_2', user: { id: 'usr_2', name: 'grace' }, current: false, address: null, agent: null },
];
const changed = { at: '2025-03-04T09:00:00.000Z', user_id: 'usr_1', user: 'ada', team_id: 'team_1', team: null, address: null, request_id: 'req_1' };
export const auditEvents = [
  { ...changed, id: 'audit_3', action: 'token.create', target: 'tok_1', data: { name: 'nightly script', scopes: ['jobs:read'] } },
  { ...changed, id: 'audit_2', action: 'member.set', target: 'usr_2', data: { role: 'viewer' } },
  { ...changed, id: 'audit_1', action: 'token.revoke', target: 'tok_7', user: null, data: {} },
];
/** Whether an event passes the filter of `GET /v1/audit-events`. */
export const isAudited = ({ action, user_id, target, at }, filter) =>
  (!filter.action || action.startsWith(`${filter.action}.`)) && [undefined, user_id].includes(filter.user_id) && [undefined, target].includes(filter.target) &&
  !(Date.parse(at) < Date.parse(filter.from)) && !(Date.parse(at) >= Date.parse(filter.to));
export const team = { id: 'team_1', name: 'research', archived: false, version: '1', created_at: '2025-01-02T08:00:00.000Z' };
export const everyScope = ['jobs:read', 'jobs:write', 'reports:read', 'team:admin', 'sys:admin'];

/** Items tell how far a job is, unless a test says otherwise. */
export const withFraction = (progress) => ({ ...progress, fraction: progress.fraction ?? progress.items_done / progress.items_total });

export function makeJob(id, fields = {}) {
  const links = Object.fromEntries(
    ['events', 'tasks', 'attempts', 'logs', 'report', 'results', 'cancellation', 'redrive', 'wait-reason'].map((part) => [part.replace('-', '_'), `/v1/jobs/${id}/${part}`]),
  );
  const { progress, ...others } = fields;
  const created_at = new Date().toISOString();
  return {
    id,
    kind: 'sentiment',
    name: null,
    state: 'queued',
    labels: {},
    priority: 0,
    device_class: 'host',
    created_at,
    unique_key: null,
    run_at: null,
    deadline: null,
    timeout_seconds: null,
    schedule: null,
    started_at: null,
    finished_at: ['succeeded', 'failed', 'cancelled'].includes(fields.state) ? created_at : null,
    submitter: { id: user.id, name: user.name },
    progress: withFraction({ items_total: 1000, items_done: 0, items_failed: 0, eta_seconds: null, ...progress }),
    args: { model: 'vader' },
    tasks_failed: 0,
    retries: 0,
    last_error: null,
    error: null,
    ...others,
    links: { self: `/v1/jobs/${id}`, ...links },
  };
}

/** Jobs in every state, newest first. */
export function manyJobs(amount) {
  return Array.from({ length: amount }, (_, index) => {
    const state = states[index % states.length];
    const total = 200 + ((index * 977) % 9800);
    const created = Date.now() - index * 37 * 60_000 - 60_000;
    const started = state === 'queued' ? null : new Date(created + 400).toISOString();
    const ended = ['succeeded', 'failed', 'cancelled'].includes(state) ? new Date(created + 400 + total * 3).toISOString() : null;
    const done = { running: 0.62, queued: 0, succeeded: 1, failed: 0.31, cancelled: 0.48 }[state];
    return makeJob(`job_${String(index).padStart(12, '0')}`, {
      name: names[index % names.length],
      state,
      labels: index % 3 === 0 ? { desk: 'energy', quarter: '3' } : {},
      created_at: new Date(created).toISOString(),
      started_at: started,
      finished_at: ended,
      error: state === 'failed' ? 'The device class of this job has had no worker for an hour.' : null,
      progress: {
        items_total: total,
        items_done: Math.round(total * done),
        items_failed: index % 4 === 2 ? 3 : 0,
        eta_seconds: state === 'running' ? 42 : null,
      },
    });
  });
}

const openings = ['Ferry operator', 'The harbour', 'A small chandler', 'The tug crew', 'Our insurer', 'The new terminal', 'Grain exporters', 'The pilot service'];
const verbs = ['delighted', 'disappointed', 'informed', 'rescued', 'ruined', 'praised', 'ignored', 'surprised'];
const ends = ['its customers again this quarter', 'everybody who waited on the quay', 'investors with a brilliant plan', 'the town in the worst storm for years', 'nobody, as expected', 'the inspectors <b>twice</b>'];

/** Scores between -1 and 1, many of them near zero, a few texts failed. */
export function makeResults(amount, { tokens = null, truncated = null } = {}) {
  return Array.from({ length: amount }, (_, index) => {
    const failed = index % 331 === 330;
    const wave = Math.sin(index * 12.9898) * 43758.5453;
    const spread = (wave - Math.floor(wave)) * 2 - 1;
    const compound = index % 4 === 0 ? 0 : Math.round(Math.sign(spread) * Math.sqrt(Math.abs(spread)) * 9500) / 10000;
    const label = compound >= 0.05 ? 'positive' : compound <= -0.05 ? 'negative' : 'neutral';
    return {
      index,
      line: null,
      custom_id: index % 5 === 0 ? `n-${index}` : null,
      text: `${openings[index % 8]} ${verbs[(index * 5) % 8]} ${ends[(index * 7) % 6]}${index % 9 === 0 ? '!' : '.'}`,
      label: failed ? null : label,
      compound: failed ? null : compound,
      positive: failed ? null : Math.max(0, compound) * 0.6,
      neutral: failed ? null : 0.4,
      negative: failed ? null : Math.max(0, -compound) * 0.6,
      tokens: failed ? null : tokens,
      truncated: failed ? null : truncated && index % 50 === 7,
      error_code: failed ? 'too_large' : null,
      error: failed ? 'The text is longer than 65536 bytes.' : null,
    };
  });
}

const binCount = 20;

/** `by`: a published model; none: VADER. */
export function makeReport(job, results, by) {
  const scored = results.filter((row) => row.error === null);
  const failed = results.filter((row) => row.error !== null);
  const scores = scored.map((row) => row.compound);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length;
  const labelled = (label) => scored.filter((row) => row.label === label).length;
  const extreme = ({ index, custom_id, compound, text }) => ({ index, custom_id, compound, text });
  const ordered = scored.toSorted((a, b) => a.compound - b.compound);
  const place = (score) => Math.min(binCount - 1, Math.floor(((score + 1) / 2) * binCount));
  return {
    job_id: job.id,
    kind: 'sentiment',
    created_at: job.finished_at ?? job.created_at,
    items: { total: results.length, ok: scored.length, failed: failed.length },
    summary: {
      goal: null,
      policy: null,
      choices: [],
      devices: by ? [{ device: 'desk-1/opencl:pocl:0', name: 'cpu-haswell-AMD EPYC', processor_class: 'AVX2', items: scored.length }] : [{ device: 'desk-1/host', name: null, processor_class: null, items: scored.length }],
      compared: null,
      by_source: null,
      by_group: null,
      over_time: null,
      model: by ?? 'vader',
      model_hash: by ? '5d1f4b0a8a0f4f6b1a3f0d6d9f3f1d3b5a7c9e0f2b4d6f8a1c3e5f7a9b0c2d4e' : null,
      form: by ? 'int8' : null,
      proofs: by ? [{ model: by, model_hash: '5d1f4b0a8a0f4f6b1a3f0d6d9f3f1d3b5a7c9e0f2b4d6f8a1c3e5f7a9b0c2d4e', proof }] : [],
      accuracies: [],
      reading: by ? { tokens: 28_114, truncated: results.filter((row) => row.truncated).length, windowed: 3, windows: 11, duplicates: 12 } : null,
      labels: { positive: labelled('positive'), neutral: labelled('neutral'), negative: labelled('negative') },
      compound: { mean, standard_deviation: Math.sqrt(variance), minimum: Math.min(...scores), maximum: Math.max(...scores) },
      histogram: Array.from({ length: binCount }, (_, bin) => ({
        from: -1 + (bin * 2) / binCount,
        to: -1 + ((bin + 1) * 2) / binCount,
        count: scores.filter((score) => place(score) === bin).length,
      })),
      most_positive: ordered.slice(-10).reverse().map(extreme),
      most_negative: ordered.slice(0, 10).map(extreme),
      least_certain: by ? scored.slice(0, 10).map((row, place) => ({ ...extreme(row), certainty: 0.34 + place / 100 })) : [],
      errors: failed.slice(0, 20).map(({ index, line, custom_id, error_code, error }) => ({ index, line, custom_id, error_code, error })),
    },
  };
}

export const models = {
  default: 'finbert',
  items: [
    { name: 'vader', hash: null, family: 'vader', labels: ['positive', 'neutral', 'negative'], parameters: 0, longest_text: null, licence: 'MIT', source: 'pypi.org/project/vaderSentiment', added_at: null, added_by: null, audience: 'all', bytes: null, proofs: [], accuracies: [], speeds: [{ form: null, seconds_per_text: 0.00008, texts: 4800 }], devices: ['desk-1/host'], files: [] },
    { name: 'finbert', hash: '5d1f4b0a8a0f4f6b1a3f0d6d9f3f1d3b5a7c9e0f2b4d6f8a1c3e5f7a9b0c2d4e', family: 'bert', labels: ['positive', 'negative', 'neutral'], parameters: 109_484_547, longest_text: 512, licence: 'Apache-2.0', source: 'ProsusAI/finbert', added_at: '2026-02-04T09:30:00Z', added_by: 'ada', audience: 'all', bytes: 438_226_000, proofs: [proof], accuracies: [], speeds: [{ form: 'fp32', seconds_per_text: 0.0204, texts: 3200 }], devices: ['desk-1/opencl:pocl:0'], files: [{ name: 'config.json', bytes: 758, sha256: '0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9' }] },
  ],
};

const silent = {
  utilization_percent: null, memory_total_bytes: null, memory_free_bytes: null, own_memory_bytes: null,
  temperature_celsius: null, power_watts: null, power_limit_watts: null, clock_mhz: null, memory_clock_mhz: null,
  uncorrected_memory_errors: null, fault: null,
};
const machine = {
  ...silent, utilization_percent: 34.2, memory_total_bytes: 25_277_000_000, memory_free_bytes: 21_090_000_000,
  own_memory_bytes: 58_000_000, clock_mhz: 2895,
};
const gpu = {
  ...silent, utilization_percent: 97, memory_total_bytes: 150_754_820_096, memory_free_bytes: 12_754_820_096,
  own_memory_bytes: 6_000_000_000, temperature_celsius: 88, power_watts: 671.3, power_limit_watts: 700,
  clock_mhz: 1980, memory_clock_mhz: 3201, uncorrected_memory_errors: 0,
};

const pocl = {
  platform: 'Portable Computing Language', device_version: 'OpenCL 3.0 PoCL HSTR', driver_version: '3.1', memory_source: 'MemAvailable', compute_units: 4,
  local_memory_bytes: 1_048_576, self_tests_passed: ['fp32_fma', 'half_load', 'reduction'], self_tests_failed: [{ name: 'amx_bf16', failure: 'The processor has no AMX.' }],
};
const cuda = {
  platform: 'NVIDIA CUDA', device_version: 'OpenCL 3.0 CUDA', driver_version: '550.54.15', memory_source: 'nvml', compute_units: 132,
  local_memory_bytes: 49_152, self_tests_passed: ['fp32_fma', 'half_load', 'reduction', 'mma_bf16'], self_tests_failed: [{ name: 'fp16', failure: 'The device has no cl_khr_fp16.' }],
};

export const devices = [
  { node: 'dock-1', device: 'host', device_class: 'host', processor_class: null, name: 'Host work', state: 'busy', reason: null, last_exit: null, copy_mode: null, capability: null, memory_bytes: null, tasks_running: 2, last_seen_at: new Date().toISOString(), telemetry: machine, warnings: [], cleanup: null },
  { node: 'dock-1', device: 'opencl:0:0', device_class: 'cpu', processor_class: 'AVX512-VNNI', name: 'pthread-Intel Xeon Processor', state: 'ready', reason: null, last_exit: null, copy_mode: 'in_place', capability: pocl, memory_bytes: 8_214_000_000, tasks_running: 0, last_seen_at: new Date().toISOString(), telemetry: machine, warnings: [], cleanup: { state: 'done', requested_by: 'ada', requested_at: new Date(Date.now() - 120_000).toISOString(), finished_at: new Date(Date.now() - 119_000).toISOString(), kept_bytes: 1_420_000_000, freed_bytes: 1_435_500_544 } },
  { node: 'crane-7', device: 'opencl:0:0', device_class: 'gpu', processor_class: 'Hopper', name: 'NVIDIA H200', state: 'busy', reason: null, last_exit: 'A task ran too long (predicted: 0.25 s, allowed: 10 s): its worker process was stopped.', copy_mode: 'second_queue', capability: cuda, memory_bytes: 150_754_820_096, tasks_running: 1, last_seen_at: new Date().toISOString(), telemetry: gpu, warnings: [{ code: 'temperature', message: 'It is at 88 °C; the limit is 85 °C.' }], cleanup: null },
  { node: 'crane-7', device: 'opencl:0:1', device_class: 'gpu', processor_class: null, name: 'NVIDIA H200', state: 'failed', reason: 'The self-test kernel gave a wrong sum.', last_exit: null, copy_mode: null, capability: null, memory_bytes: 150_754_820_096, tasks_running: 0, last_seen_at: new Date(Date.now() - 3_600_000).toISOString(), telemetry: null, warnings: [], cleanup: null },
];

export const tokens = [
  { id: 'tok_1', version: '1', name: 'nightly script', hint: 'plm_api_2nHs', user: { id: 'usr_1', version: '1', name: 'ada' }, scopes: ['jobs:read', 'jobs:write', 'reports:read'], created_at: '2025-03-04T09:00:00.000Z', expires_at: null, last_used_at: new Date(Date.now() - 7_200_000).toISOString() },
  { id: 'tok_2', version: '1', name: 'notebook', hint: 'plm_api_9qLw', user: { id: 'usr_2', version: '1', name: 'grace' }, scopes: ['jobs:read'], created_at: '2025-03-05T09:00:00.000Z', expires_at: new Date(Date.now() + 12 * 86_400_000).toISOString(), last_used_at: null },
];

export const webhooks = [
  { id: 'hook_1', version: '1', name: 'nightly pipeline', url: 'https://hooks.example.com/services/plimsoll/with-a-rather-long-path?key=abc', format: 'plimsoll', labels: {}, user: { id: 'usr_1', version: '1', name: 'ada' }, created_at: '2025-03-04T09:00:00.000Z' },
  { id: 'hook_2', version: '1', name: 'chat', url: 'https://chat.example.org/in', format: 'slack', labels: { desk: 'energy' }, user: { id: 'usr_2', version: '1', name: 'grace' }, created_at: '2025-03-05T09:00:00.000Z' },
];

export const deliveries = [
  { id: 'msg_3', type: 'job.finished', job_id: 'job_000000000002', state: 'pending', attempts: 2, status: 500, error: 'The receiver responded with 500.', created_at: '2025-03-06T09:00:00.000Z', next_attempt_at: '2025-03-06T09:00:17.000Z', finished_at: null },
  { id: 'msg_2', type: 'job.finished', job_id: 'job_000000000003', state: 'failed', attempts: 8, status: null, error: 'The receiver did not respond within 10 s.', created_at: '2025-03-05T09:00:00.000Z', next_attempt_at: null, finished_at: '2025-03-05T19:00:00.000Z' },
  { id: 'msg_1', type: 'webhook.test', job_id: null, state: 'delivered', attempts: 1, status: 204, error: null, created_at: '2025-03-04T09:00:00.000Z', next_attempt_at: null, finished_at: '2025-03-04T09:00:01.000Z' },
];

const classOf = (device_class, fields = {}) => ({
  device_class, half_life_seconds: 604_800, entry_limit_seconds: 10, devices: 0, tasks_ready: 0, tasks_running: 0, tasks_waiting: 0, version: '1', ...fields,
});

export const emptyQueue = () => ({
  classes: [classOf('cpu'), classOf('gpu'), classOf('accelerator'), classOf('host')],
  shares: [],
  limits: [],
  holds: [],
  warnings: [],
});

/** Amounts that depend on their place alone; every seventh time nothing was used. */
const amountsAt = (place) => (place % 7 === 3 ? null : { device_seconds: 40 + ((place * 977) % 800) / 4, jobs: 1 + (place % 5), tasks: 30 + place * 3, items: 20_000 + place * 977 });

/** What GET /v1/usage answers about a team that was at work all the time. */
export function usage(query) {
  const by = query.group_by.split(',');
  const blank = { start: null, team: null, user: null, kind: null, model: null };
  const step = { hour: 3_600_000, day: 86_400_000, month: 31 * 86_400_000 }[by[0]];
  const starts = [];
  for (let at = Date.parse(query.from); step && at < Date.parse(query.to); at += step) {
    const time = new Date(at);
    if (by[0] === 'month') time.setUTCDate(1);
    starts.push({ ...blank, start: time.toISOString() });
  }
  const rows = {
    kind: [{ ...blank, kind: 'sentiment' }, { ...blank, kind: 'waves' }, { ...blank, kind: 'ancient' }],
    user: [{ ...blank, user: { id: 'usr_1', name: 'ada' } }, { ...blank, user: { id: 'usr_9', name: null } }],
    team: [{ ...blank, team: { id: team.id, name: team.name } }, { ...blank, team: trading }],
  }[by[0]] ?? starts;
  const items = rows.flatMap((row, place) => (amountsAt(place) ? [{ ...row, ...amountsAt(place) }] : []));
  const total = Object.fromEntries(['device_seconds', 'jobs', 'tasks', 'items'].map((name) => [name, items.reduce((sum, item) => sum + item[name], 0)]));
  return { from: query.from, to: query.to, group_by: by, items, total };
}

const shareOf = (team, fields) => ({
  team, device_class: 'gpu', weight: 1, cap: null, devices_used: 0, tasks_ready: 0, used_seconds: 0, used_share: 0, fair_share: 0, quota: null, paused: false, version: '1', ...fields,
});
const trading = { id: 'team_2', name: 'trading of grain, ore and everything else that floats' };

/** A hold as the server answers a HoldCreate. */
export const makeHold = (id, { team_id, device_class = null, node = null, device = null, mode, reason }) => ({
  id,
  scope: team_id ? 'team' : device_class ? 'device_class' : device ? 'device' : 'node',
  team: team_id ? (team_id === team.id ? { id: team.id, name: team.name } : trading) : null,
  device_class,
  node,
  device,
  mode,
  reason,
  created_by: user.name,
  created_by_administrator: true,
  created_at: new Date(Date.now() - 600_000).toISOString(),
  tasks_running: mode === 'drain' ? 2 : 0,
});

/** Two teams at work, one beyond its due, and each kind of hold. */
export function busyQueue() {
  const own = { id: team.id, name: team.name };
  const renews_at = new Date(Date.now() + 5 * 3_600_000).toISOString();
  return {
    classes: [classOf('cpu', { devices: 2, tasks_ready: 12, tasks_running: 2 }), classOf('gpu', { devices: 4, tasks_ready: 501_200, tasks_running: 12, tasks_waiting: 10_000 }), classOf('accelerator'), classOf('host', { devices: 2 })],
    shares: [
      shareOf(own, { weight: 2, cap: 4, devices_used: 3, tasks_ready: 1200, used_seconds: 5231.5, used_share: 0.38, fair_share: 0.667, quota: { seconds: 36_000, period: 'day', used_seconds: 8123.3, renews_at, exhausted: false } }),
      shareOf(trading, { devices_used: 1, tasks_ready: 500_000, used_seconds: 8412, used_share: 0.62, fair_share: 0.333, quota: { seconds: 8400, period: 'week', used_seconds: 8399.8, renews_at, exhausted: true }, paused: true }),
      shareOf(own, { device_class: 'cpu', tasks_ready: 12, used_seconds: 12, used_share: 1, fair_share: 1 }),
    ],
    limits: [{ team_id: team.id, queued_jobs: 5000, queued: 412, jobs_per_minute: 600, version: '1' }],
    warnings: [],
    holds: [
      makeHold('hold_3', { team_id: trading.id, mode: 'pause', reason: 'They ask for a model that is being replaced.' }),
      makeHold('hold_2', { node: 'crane-2', mode: 'drain', reason: 'A fan is replaced.' }),
      makeHold('hold_1', { device_class: 'cpu', mode: 'pause', reason: 'Benchmarks run until noon.' }),
    ],
  };
}

export const members = [
  { user, role: 'owner', version: '1' },
  { user: { ...person, id: 'usr_2', name: 'grace', second_factor: true }, role: 'member', version: '1' },
  { user: { ...person, id: 'usr_3', name: 'linus of the very long family name', provider_sign_in: true }, role: 'viewer', version: '1' },
];

export const serviceAccounts = [
  { id: 'usr_90', name: 'nightly build', role: 'member', disabled: false, version: '1', created_at: '2026-01-03T08:00:00.000Z' },
  { id: 'usr_91', name: 'dashboard of the trading floor', role: 'viewer', disabled: true, version: '1', created_at: '2026-02-03T08:00:00.000Z' },
];
