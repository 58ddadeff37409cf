// Model policies: made, changed and removed, and named by a job.
import assert from 'node:assert/strict';
import { models } from './fake/data.mjs';
import { byGoal } from './fake/sentiment-reports.mjs';
import { desk } from './fake/policies.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const dialog = (page) => page.getByRole('dialog');
const week = (page) => page.getByRole('region', { name: 'Chosen models' });

visit('a policy is created, with a preview of its week', async ({ page, server, go }) => {
  server.models = models;
  await go('/#/settings/policies');
  await page.getByRole('button', { name: 'New policy' }).click();
  await dialog(page).getByRole('textbox', { name: 'ID' }).and(page.locator(':focus')).waitFor();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('Use up to 64 characters').waitFor();
  await dialog(page).getByRole('textbox', { name: 'ID' }).fill('wire');
  await week(page).getByText('finbert now: the market is open, rule 1 matches.').waitFor();
  await dialog(page).getByRole('group', { name: 'Markets of rule 1' }).getByLabel('open', { exact: true }).uncheck();
  await week(page).getByText('vader now: the market is open, and no rule matches.').waitFor();
  await dialog(page).getByRole('button', { name: 'Add a rule' }).click();
  await dialog(page).getByRole('button', { name: 'Remove rule 1' }).click();
  await dialog(page).getByLabel('Sources').fill('reuters, businesswire');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('article', { name: 'wire' }).getByText('source reuters or businesswire').waitFor();
  const { body } = server.calls.find(({ name }) => name === 'PUT /v1/policies/wire');
  assert.deepEqual(body, {
    model: 'vader',
    rules: [{ markets: ['pre_market', 'regular', 'after_hours'], sources: ['reuters', 'businesswire'], model: 'finbert' }],
    fallback: ['finbert', 'distilbert', 'vader'],
    calendar: 'nyse',
  });

  await page.getByRole('button', { name: 'New policy' }).click();
  await dialog(page).getByRole('textbox', { name: 'ID' }).fill('wire');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('A resource with this ID already exists.').waitFor();
});

visit('a change keeps members that the editor does not show', async ({ page, server, go }) => {
  const custom_calendar = { time_zone: 'Europe/Berlin', weekdays: ['monday'], open: '09:00', close: '17:30' };
  const overrides = [{ from: '2026-03-02T10:00:00Z', until: '2026-03-02T11:00:00Z', market_status: 'closed' }];
  server.policies = [{ ...desk, definition: { ...desk.definition, custom_calendar, overrides } }];
  await go('/#/settings/policies');
  await page.getByRole('button', { name: 'Edit desk' }).click();
  await dialog(page).getByText('This policy has its own calendar').waitFor();
  await dialog(page).getByLabel('Purpose').fill('For the desk');
  server.faults.set('PUT /v1/policies/desk', { status: 422, title: 'Invalid', errors: [{ pointer: '/rules/1/model', detail: 'is unknown' }, { pointer: '/overrides/0', detail: 'is too long' }] });
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('model is unknown').waitFor();
  await dialog(page).getByRole('alert').getByText('/overrides/0: is too long').waitFor();
  server.faults.clear();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('article', { name: 'desk' }).getByText('For the desk').waitFor();
  const { definition } = server.policies[0];
  assert.deepEqual([definition.custom_calendar, definition.overrides, definition.hold_minutes, 'calendar' in definition], [custom_calendar, overrides, 10, false]);
});

visit('the usage of models is compared with a fixed one', async ({ page, server, go }) => {
  server.models = { ...models, items: [...models.items, { ...models.items[1], name: 'distilbert' }] };
  await go('/#/settings/policies');
  await page.getByText('75 % less device time than with finbert alone, estimated from the size of both models. The guide expects 75 % less.').waitFor();
  await page.getByRole('table', { name: 'Usage by model' }).getByRole('rowheader', { name: 'distilbert' }).waitFor();
  await page.getByLabel('Fixed model').selectOption('distilbert');
  await page.getByText('than with distilbert alone').waitFor();
});

visit('a policy is removed', async ({ page, server, go }) => {
  server.policies = [desk];
  await go('/#/settings/policies');
  await page.getByRole('button', { name: 'Remove desk' }).click();
  await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Your team has no policies yet').waitFor();
  assert.deepEqual(server.policies, []);
});

visit('a job names a policy instead of a model', async ({ page, server, go }) => {
  server.policies = [desk];
  server.models = models;
  await go('/#/new/sentiment');
  await page.getByLabel('Model').selectOption('policy desk');
  await page.getByLabel('Texts', { exact: true }).fill('Shares soar.');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const { body } = server.calls.find(({ name }) => name === 'POST /v1/jobs');
  assert.deepEqual(body.args, { policy: 'desk', texts: ['Shares soar.'] });
  // It is remembered, for as long as it exists.
  await go('/#/new/sentiment');
  await page.getByText('vader otherwise').waitFor();
  assert.equal(await page.getByLabel('Model').inputValue(), 'policy desk');
  server.policies = [];
  await page.reload();
  await until(async () => (await page.getByLabel('Model').inputValue()) === 'model finbert', 'the default');
});

visit('a few texts are scored immediately, by the chosen model', async ({ page, server, go }) => {
  server.models = models;
  server.policies = [desk];
  const scores = page.getByRole('list', { name: 'Scores' });
  const button = page.getByRole('button', { name: 'Score now' });
  await go('/#/new/sentiment');
  assert.equal(await button.isDisabled(), true);
  await page.getByLabel('Texts', { exact: true }).fill('A brilliant quarter\nA storm');
  await page.getByLabel('Model').selectOption('model finbert');
  await button.click();
  await scores.getByText('by finbert').first().waitFor();
  assert.equal(await scores.getByRole('listitem').count(), 2);
  await page.getByLabel('Model').selectOption('policy desk');
  await scores.waitFor({ state: 'detached' });
  await button.click();
  await scores.first().waitFor();
  const bodies = server.calls.filter(({ name }) => name === 'POST /v1/score').map(({ body }) => body);
  const texts = ['A brilliant quarter', 'A storm'];
  assert.deepEqual(bodies, [{ model: 'finbert', texts }, { policy: 'desk', texts }]);
  server.faults.set('POST /v1/score', { status: 429, title: 'Too many requests', detail: 'Too many calls wait for scores.' });
  await button.click();
  await page.getByRole('alert').getByText('Too many calls wait for scores.').waitFor();
  await page.getByLabel('Texts', { exact: true }).fill('a\n'.repeat(65));
  await page.getByText('For up to 64 texts').waitFor();
  assert.equal(await button.isDisabled(), true);
});

visit('a job names a goal instead of a model', { arrange: (server) => (server.models = models) }, async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByText('On your team’s texts, fp32: 20 ms per text, over 3,200 texts. Guard: int8 passed.').waitFor();
  await page.getByLabel('Model').selectOption('goal accuracy');
  await page.getByText('FinBERT, in fp32. The report gives the reason').waitFor();
  await page.getByLabel('Model').selectOption('goal balanced');
  await page.getByText('No worker has it now').waitFor();
  await page.getByLabel('Texts', { exact: true }).fill('Shares soar.');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 1 text').waitFor();
  const { body } = server.calls.find(({ name }) => name === 'POST /v1/jobs');
  assert.deepEqual(body.args, { goal: 'balanced', texts: ['Shares soar.'] });
  await go('/#/new/sentiment');
  await page.getByText('No worker has it now').waitFor();
});

visit('the report says why a goal chose the model', { arrange: (server) => byGoal(server) }, async ({ page, go }) => {
  await go('/#/jobs/job_goal');
  const panel = page.getByRole('region', { name: 'Why this model' });
  await panel.getByText('The goal balanced means roberta, which no worker has').waitFor();
  const table = panel.getByRole('table', { name: 'Models that the goals choose from' });
  assert.match(await table.getByRole('row', { name: /finbert \(chosen\)/ }).textContent(), /int8\s*12 ms, over 3,200 texts\s*1\.7\s*87\.1 %, on 1,000 texts/);
  assert.match(await table.getByRole('row', { name: /vader/ }).textContent(), /–\s*not measured\s*–\s*–/);
});
