// The page of models: pulled with progress, cancelled, verified and removed by system admins, read by all.
import assert from 'node:assert/strict';
import { everyScope, models } from './fake/data.mjs';
import { visit } from './support/setting.mjs';

const dialog = (page) => page.getByRole('dialog');
const operations = (page) => page.getByRole('list', { name: 'Pulls and verifications' });
const bodies = (server) => server.calls.filter(({ name }) => name === 'POST /v1/model-operations').map(({ body }) => body);

visit('a model is pulled with its progress shown, and cancelled', async ({ page, server, go }) => {
  await go('/#/settings/models');
  await page.getByText('No models besides vader yet').waitFor();
  await page.getByRole('button', { name: 'Pull a model' }).click();
  await dialog(page).getByRole('button', { name: 'Pull', exact: true }).click();
  await dialog(page).getByText('Enter a model.').waitFor();
  await dialog(page).getByLabel('Model').fill('desk/tiny');
  await dialog(page).getByRole('button', { name: 'Pull', exact: true }).click();
  await dialog(page).getByText('choose one with "name"').waitFor();
  await dialog(page).getByLabel('Name').fill('tiny');
  await dialog(page).getByRole('radio', { name: /^Only/ }).check();
  await dialog(page).getByRole('button', { name: 'Pull', exact: true }).click();
  await operations(page).getByText('Contacting the hub: starting').waitFor();
  assert.deepEqual(bodies(server).at(-1), { action: 'pull', model: 'desk/tiny', name: 'tiny', audience: 'team' });
  const [running] = server.modelOperations;
  server.modelOperations = [{ ...running, stage: 'Fetching desk/tiny', bytes_done: 1 << 20, bytes_total: 1 << 21 }];
  await operations(page).getByText('Fetching desk/tiny: 1 MiB of 2 MiB').waitFor();
  assert.equal(await operations(page).getByRole('progressbar').getAttribute('aria-valuenow'), '50');
  assert.equal(await page.getByRole('button', { name: 'Pull a model' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Cancel Pull of tiny' }).click();
  await operations(page).getByText('cancelling').waitFor();
  server.modelOperations = [{ ...running, state: 'failed', error: 'The hub does not respond.', finished_at: running.started_at }];
  await operations(page).getByText('The hub does not respond.').waitFor();
});

visit('a pulled model appears with what is known of it', async ({ page, server, go }) => {
  await go('/#/settings/models');
  await page.getByText('No models besides vader yet').waitFor();
  server.models = models;
  await page.getByRole('button', { name: 'Pull a model' }).click();
  await dialog(page).getByLabel('Model').fill('finbert');
  await dialog(page).getByRole('button', { name: 'Pull', exact: true }).click();
  const row = page.getByRole('row', { name: /^finbert/ });
  await row.getByText('20 ms', { exact: true }).waitFor();
  await row.getByText('desk-1', { exact: true }).waitFor();
  await page.getByText('Details of finbert').click(); // in a row below its own
  const proof = models.items[1].proofs[0];
  const details = page.getByRole('row').filter({ hasText: 'of finbert' }).filter({ hasText: 'Hash' });
  await details.getByText(`of ${proof.texts} labels match fp32`).first().waitFor();
  await details.getByText('by ada').waitFor();
});

visit('a model is verified', async ({ page, server, go }) => {
  server.models = models;
  await go('/#/settings/models');
  await page.getByRole('button', { name: 'Verify finbert' }).click();
  await operations(page).getByRole('strong').getByText('Verification of finbert').waitFor();
  assert.deepEqual(bodies(server), [{ action: 'verify', model: 'finbert' }]);
});

visit('a model that is used is removed only when that is asked for', async ({ page, server, go }) => {
  server.models = models;
  server.modelUses.set('finbert', 'The model finbert is used by the policy desk.');
  await go('/#/settings/models');
  await page.getByRole('button', { name: 'Remove finbert' }).click();
  await dialog(page).getByText('used by the policy desk').waitFor();
  await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog(page).getByRole('alert').getByText('Set force to true').waitFor();
  await dialog(page).getByLabel('Remove it anyway').check();
  await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No models besides vader yet').waitFor();
});

visit('members read and change nothing', async ({ page, server, go }) => {
  server.models = models;
  server.scopes = everyScope.filter((scope) => scope !== 'sys:admin');
  await go('/#/settings/models');
  await page.getByRole('row', { name: /finbert/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: /Pull|Verify|Remove/ }).count(), 0);
});
