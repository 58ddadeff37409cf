// The documentation of the API: everything is there, is found, and keeps its address.
import assert from 'node:assert/strict';
import { contract } from './fake/contract.mjs';
import { heard } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const title = (page, name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const index = (page) => page.getByRole('navigation', { name: 'API' });
const operations = Object.values(contract.paths).flatMap((item) => Object.values(item).filter(({ operationId }) => operationId));

visit('every operation and every schema has a page of its own', { signedOut: true }, async ({ page, go, server }) => {
  await go('/#/docs');
  await index(page).waitFor();
  for (const { operationId, summary } of operations) {
    await page.evaluate((id) => (location.hash = `#/docs/${id}`), operationId);
    await title(page, summary);
    await page.getByRole('heading', { level: 2, name: 'Responses', exact: true }).waitFor();
    assert.equal(await page.getByRole('main').getByRole('group', { name: 'the curl line' }).count(), 1, operationId);
  }
  for (const name of Object.keys(contract.components.schemas)) {
    await page.evaluate((schema) => (location.hash = `#/docs/schemas/${schema}`), name);
    await title(page, name);
    await page.getByRole('heading', { level: 2, name: 'Members' }).waitFor();
  }
  assert.equal(server.calls.length, 1, 'the contract is fetched once');
});

visit('the search finds operations and schemas, with the keyboard alone', async ({ page, go }) => {
  await go('/#/docs');
  await index(page).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('canceljob cancellation');
  await index(page).getByRole('link').nth(1).waitFor({ state: 'detached' });
  await index(page).getByRole('link', { name: 'Cancel a job' }).waitFor();
  await page.keyboard.press('Enter');
  await title(page, 'Cancel a job');
  await page.getByPlaceholder('Search the API').fill('histogrambin');
  await index(page).getByRole('link', { name: 'HistogramBin', exact: true }).click();
  await title(page, 'HistogramBin');
  await page.getByRole('link', { name: "Read a job's report" }).waitFor();
  await page.getByPlaceholder('Search the API').fill('xyzzyqq');
  await page.getByText('Nothing matches').waitFor();
});

visit('members and errors open in place, and type names lead to their schema', async ({ page, go }) => {
  await go('/#/docs/createJob');
  await title(page, 'Submit a job');
  await page.getByText('Members of args').click();
  await page.getByText('1 to 10,000 elements').first().waitFor();
  await page.getByText('The body is valid JSON but does not match its schema').click();
  await page.getByText('/args/items/3/text').waitFor();
  await page.getByRole('region', { name: 'Body' }).getByRole('link', { name: 'JobSpec', exact: true }).click();
  await title(page, 'JobSpec');
  await page.goBack();
  await title(page, 'Submit a job');
});

visit('the clients’ page names this server, copies commands and saves programs', async ({ page, go, server }) => {
  await go('/#/docs/clients');
  await page.getByText(`export PLIMSOLL_SERVER=${server.url}`).waitFor();
  await page.getByRole('button', { name: 'Copy the commands for Python' }).click();
  await heard(page, 'Copied');
  const commands = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(commands, /^python3 -m venv .*\npip install openapi-python-client/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download score.py' }).click();
  assert.equal((await download).suggestedFilename(), 'score.py');
});

visit('narrow windows list everything on the overview and lead back to it', async ({ page, go }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await go('/#/docs');
  await index(page).getByRole('link', { name: 'Cancel a job' }).click();
  await title(page, 'Cancel a job');
  assert.equal(await index(page).isVisible(), false);
  await page.getByRole('link', { name: 'API', exact: true }).last().click();
  await title(page, 'API');
});

visit('a guide that does not load is asked for again', async ({ page, go }) => {
  await go('/#/docs');
  await index(page).waitFor();
  await page.route(/\/assets\/Guide-.*\.js/, (route) => route.abort());
  await page.evaluate(() => (location.hash = '#/docs/guides/training-config'));
  await page.getByText('Cannot load the guide').waitFor();
  await page.unroute(/\/assets\/Guide-.*\.js/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('fits on RTX 4090').first().waitFor();
});

visit('the training example waits for whoever looks at it to be known', async ({ page, go, server }) => {
  let tell;
  server.faults.set('GET /v1/users/me', new Promise((resolve) => (tell = resolve)));
  await go('/#/docs/guides/training-config');
  await title(page, 'Training advice');
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/estimates'), 'nobody is known yet');
  assert.equal(await page.getByText('Sign in to see it.').count(), 0);
  tell();
  await page.getByText('fits on RTX 4090').first().waitFor();
});

visit('the training example is for who is signed in', { signedOut: true }, async ({ page, go }) => {
  await go('/#/docs/guides/training-config');
  await page.getByText('Sign in to see it.').waitFor();
});
