// Policies that choose models, with a week that follows the hours of New York closely enough for pages.
import { makeResults } from './data.mjs';
import { edit, exists } from './edits.mjs';

const hash = '5d1f4b0a8a0f4f6b1a3f0d6d9f3f1d3b5a7c9e0f2b4d6f8a1c3e5f7a9b0c2d4e';
const hour = 3_600_000;

const builtIn = {
  id: 'server', builtin: true, missing: [], version: '1', updated_at: null,
  definition: { description: "The server's default model, or vader if no worker has it.", model: 'finbert', fallback: ['vader'] },
};
export const desk = {
  id: 'desk', builtin: false, missing: ['distilbert'], version: '1', updated_at: '2026-03-02T09:00:00.000Z',
  definition: {
    description: 'FinBERT for press releases and while the market trades.', model: 'vader', hold_minutes: 10,
    rules: [
      { sources: ['businesswire', 'globenewswire'], model: 'finbert' },
      { markets: ['pre_market', 'regular', 'after_hours'], model: 'distilbert' },
    ],
  },
};

function previewOf({ model, rules = [], market_status }) {
  const times = rules.findIndex(({ sources }) => !sources);
  const spanAt = (at) => {
    const now = new Date(at).getUTCHours();
    const weekend = [0, 6].includes(new Date(at).getUTCDay());
    const market = market_status ?? (weekend || now < 9 || now >= 21 ? 'closed' : now < 14 ? 'pre_market' : 'regular');
    const holds = times >= 0 && rules[times].markets.includes(market);
    return { market, rule: holds ? times + 1 : null, model: holds ? 'finbert' : model };
  };
  const begin = Date.parse('2026-03-02T15:00:00Z');
  const spans = [];
  for (let at = begin; at < begin + 168 * hour; at += hour) {
    const span = spanAt(at);
    const last = spans.at(-1);
    const until = new Date(at + hour).toISOString();
    if (last && last.market === span.market && last.model === span.model) last.until = until;
    else spans.push({ from: new Date(at).toISOString(), until, ...span });
  }
  const [first] = spans;
  return {
    at: first.from,
    choice: {
      market: first.market, market_until: first.until, rule: first.rule, asked: first.rule ? rules[first.rule - 1].model : model, model: first.model,
      model_hash: first.model === 'vader' ? null : hash, form: first.model === 'vader' ? null : 'fp32', reason: first.rule ? `rule ${first.rule}: market ${first.market}` : 'no rule matches',
      fallback: first.rule && rules[first.rule - 1].model === 'distilbert' ? 'no worker has distilbert' : null,
    },
    next_switch: spans.find((span) => span.model !== first.model) ?? null,
    spans,
  };
}

const mebibyte = 1 << 20;
/** A day of which a model scored in eight hours, and VADER in the others. */
export const savings = (against = 'finbert') => ({
  from: '2026-03-01T16:00:00.000Z', to: '2026-03-02T16:00:00.000Z', hours: 24, texts: 6400, device_seconds: 32, host_seconds: 1.6,
  mean_memory_bytes: 116 * mebibyte, promised_percent: 75,
  models: [
    { model: 'vader', resident: null, texts: 3200, seconds: 1.6, seconds_per_text: 0.0005, hours: 16, memory_bytes: 0 },
    { model: 'distilbert', resident: 'distilbert 0f1e2d3c4b5a', texts: 3200, seconds: 32, seconds_per_text: 0.01, hours: 8, memory_bytes: 348 * mebibyte },
  ],
  fixed: {
    model: against, seconds_per_text: 0.02, basis: 'scaled', device_seconds: 128, saved_percent: 75, memory_bytes: 489 * mebibyte, saved_memory_percent: 76.3,
  },
});
export const unused = { ...savings(), texts: 0, device_seconds: 0, host_seconds: 0, mean_memory_bytes: 0, models: [], fixed: null };

const all = (fake) => [builtIn, ...fake.policies];

export const policyRoutes = [
  [/^GET \/v1\/policies$/, (fake, { response, json }) => json(response, 200, { items: all(fake), next_cursor: null })],
  [/^PUT \/v1\/policies\/([^/]+)$/, (fake, context) => {
    const { call, parameters } = context;
    const definition = { updated_at: new Date().toISOString(), definition: call.body };
    const found = fake.policies.find(({ id }) => id === parameters[0]);
    if (exists(context, found)) return;
    if (found) {
      const changed = { ...found };
      edit(context, changed, definition);
      fake.policies = fake.policies.map((one) => (one === found ? changed : one));
      return;
    }
    const policy = { id: parameters[0], builtin: false, missing: [], version: '1', ...definition };
    fake.policies = [...fake.policies, policy];
    context.json(context.response, 200, policy);
  }],
  [/^DELETE \/v1\/policies\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.policies = fake.policies.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^POST \/v1\/policy-previews$/, (fake, { call, response, json }) => {
    const definition = call.body.definition ?? all(fake).find(({ id }) => id === call.body.policy_id).definition;
    json(response, 200, previewOf(definition));
  }],
  [/^GET \/v1\/policy-report$/, (fake, { call, response, json }) => json(response, 200, fake.savings ?? savings(call.query.get('against') ?? undefined))],
  [/^POST \/v1\/score$/, (fake, { call, response, json }) => {
    const { texts, model = 'vader', policy } = call.body;
    const chosen = policy && { model: 'finbert', model_asked: 'finbert', model_reason: 'rule 1: source businesswire' };
    const late = fake.unscored && { label: null, compound: null, positive: null, neutral: null, negative: null, error: fake.unscored, error_code: 'unfinished' };
    const items = makeResults(texts.length).map((row, index) => ({ ...row, text: texts[index], ...chosen, ...late }));
    json(response, 200, { job_id: null, model: policy ? null : model, model_hash: null, form: null, goal: null, items });
  }],
];
