// Models of the pool, and what system admins do with them.

export const operation = (changes) => ({
  id: 'modelop_00000001d5v3g', action: 'pull', model: 'finbert', source: 'finbert', audience: 'all', state: 'running', stage: 'Fetching ProsusAI/finbert',
  bytes_done: 131_000_000, bytes_total: 438_226_000, error: null, started_by: 'ada', started_at: '2026-05-04T09:29:00.000Z', finished_at: null, ...changes,
});

const change = (fake, id, changes) => {
  fake.modelOperations = fake.modelOperations.map((one) => (one.id === id ? { ...one, ...changes } : one));
  return fake.modelOperations.find((one) => one.id === id);
};

export const modelRoutes = [
  [/^GET \/v1\/models$/, (fake, { response, json }) => json(response, 200, fake.models)],
  [/^GET \/v1\/models\/([^/]+)\/use$/, (fake, { response, parameters: [model], json }) => {
    const detail = fake.modelUses.get(model);
    const none = { count: 0, items: [], elsewhere: 0 };
    json(response, 200, { model, used: detail !== undefined, detail: detail ?? `Nothing uses the model ${model}.`, settings: [], jobs: none, policies: none, schedules: none });
  }],
  [/^DELETE \/v1\/models\/([^/]+)$/, (fake, { call, response, parameters: [model], json, problem }) => {
    const detail = fake.modelUses.get(model);
    if (detail !== undefined && call.query.get('force') !== 'true') {
      return problem(response, 409, { title: 'Conflict', detail: `${detail} Set force to true to remove it anyway.` });
    }
    fake.models = { ...fake.models, default: 'vader', items: fake.models.items.filter(({ name }) => name !== model) };
    json(response, 204);
  }],
  [/^GET \/v1\/model-operations$/, (fake, { response, json }) => json(response, 200, { items: fake.modelOperations })],
  [/^POST \/v1\/model-operations$/, (fake, { call, response, json, problem }) => {
    const { action, model, name = model, audience = 'all' } = call.body;
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
      const detail = `A model's name must have 1 to 64 characters (a-z, 0-9, '.', '_', '-') `
        + 'and begin with a letter or digit: choose one with "name".';
      return problem(response, 422, { title: 'Invalid', errors: [{ pointer: '/model', detail }] });
    }
    const made = operation({ id: `modelop_${fake.modelOperations.length + 1}`, action, model: name, source: action === 'pull' ? model : null, audience, stage: null, bytes_done: 0, bytes_total: 0 });
    fake.modelOperations = [made, ...fake.modelOperations];
    json(response, 202, made);
  }],
  [/^POST \/v1\/model-operations\/([^/]+)\/cancellation$/, (fake, { response, parameters: [id], json }) => json(response, 202, change(fake, id, { state: 'cancelling' }))],
];
