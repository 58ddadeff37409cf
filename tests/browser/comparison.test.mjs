// Several models on the same texts: asked for in the form, told in the report.
import assert from 'node:assert/strict';
import { compare } from './fake/sentiment-reports.mjs';
import { models } from './fake/data.mjs';
import { visit } from './support/setting.mjs';

const sent = (server) => server.calls.filter(({ name }) => name === 'POST /v1/jobs').map(({ body }) => body.args);

visit('a job compares the models that are ticked, the default first', { arrange: (server) => (server.models = models) }, async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByText('109 million parameters').waitFor();
  await page.getByLabel('Texts', { exact: true }).fill('one');
  await page.getByRole('button', { name: 'Score now' }).waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('compare');
  const group = page.getByRole('group', { name: 'Models to compare' });
  await group.getByText('finbert (in use)').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Score now' }).count(), 0, 'a comparison is a job');
  const others = group.getByRole('checkbox', { name: /^(?!finbert)/ });
  for (let left = await others.count(); left > 0; --left) await others.nth(left - 1).uncheck();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Choose at least two models.').waitFor();
  assert.equal(sent(server).length, 0);
  await group.getByLabel('vader').check();
  server.faults.set('POST /v1/jobs', { status: 422, title: 'Invalid body', errors: [{ pointer: '/args/models/1', detail: 'is gone' }] });
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('is gone', { exact: true }).waitFor();
  server.faults.clear();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 1 text').waitFor();
  assert.deepEqual(sent(server).at(-1), { models: ['finbert', 'vader'], texts: ['one'] });
});

visit('a form that passed its guard can be selected, and windows for long texts', { arrange: (server) => (server.models = models) }, async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByText('109 million parameters').waitFor();
  await page.getByLabel('Form', { exact: true }).selectOption('int8');
  await page.getByText('of 512 labels match fp32').waitFor();
  await page.getByLabel('Read long texts to their end').check();
  await page.getByLabel('Texts', { exact: true }).fill('one');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 1 text').waitFor();
  assert.deepEqual(sent(server).at(-1), { model: 'finbert', form: 'int8', long_texts: 'windows', texts: ['one'] });
  await go('/#/new/sentiment');
  await page.getByLabel('Form', { exact: true }).waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('model vader');
  await page.getByText('A lexicon and rules').waitFor();
  assert.equal(await page.getByLabel('Form', { exact: true }).count(), 0);
  assert.equal(await page.getByLabel('Read long texts to their end').count(), 0);
});

visit('the report recommends a model and shows agreement and disagreement', { arrange: (server) => compare(server) }, async ({ page, go }) => {
  await go('/#/jobs/job_c');
  await page.getByText('finbert: the most accurate (84.8 %)').waitFor();
  await page.getByText('5 texts with unknown labels (mixed)').waitFor();
  const table = page.getByRole('table', { name: 'Compared models' });
  assert.match(await table.getByRole('row', { name: /finbert/ }).textContent(), /84\.8 %.*80\.5 % – 88\.6 %/);
  assert.match(await table.getByRole('row', { name: /distilbert/ }).textContent(), /–.*172/);
  await page.getByText('distilbert has no neutral label').waitFor();
  await page.getByText('62.3 %').first().waitFor();
  await page.getByRole('radio', { name: 'Kappa' }).check({ force: true });
  await page.getByText('0.492').first().waitFor();
  const labels = page.getByRole('table', { name: /Labels predicted by finbert/ });
  assert.match(await labels.getByRole('row', { name: /neutral/ }).last().textContent(), /9.*85.*7/);
  await page.getByRole('table', { name: /disagree the most/ }).getByRole('row').nth(1).waitFor();
});
