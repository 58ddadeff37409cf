// The documentation: everything is there, is found, and keeps its address.
import assert from 'node:assert/strict';
import { contract } from './fake/contract.mjs';
import { heard, until } from './support/browser.mjs';
import { load } from './support/modules.mjs';
import { visit } from './support/setting.mjs';

const { topics } = await load('routes/docs/topics/index.ts');
const title = (page, name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const index = (page) => page.getByRole('navigation', { name: 'Documentation' });
const operations = Object.values(contract.paths).flatMap((item) => Object.values(item).filter(({ operationId }) => operationId));

/** Runs in the page, since 640 waits from outside take half a minute more: opens each page and returns those that did not become
    what they should: its title, one second heading of that name, and a curl line where `curl` says so. None is drawn, which takes
    longer than to make it. */
async function pagesThatFail(expected) {
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  const heading = (level, name) => [...document.querySelectorAll(`h${level}`)].some(({ textContent }) => textContent.trim() === name);
  const failed = [];
  document.documentElement.style.display = 'none';
  for (const { address, title, section, curl } of expected) {
    location.hash = address;
    const shown = () =>
      heading(1, title) && heading(2, section) && document.querySelectorAll('main [aria-label="the curl line"]').length === curl;
    const until = performance.now() + 10_000;
    while (!shown() && performance.now() < until) await turn();
    if (!shown()) failed.push(address);
  }
  return failed;
}

visit('every operation and every schema has a page of its own', { signedOut: true }, async ({ page, go, server }) => {
  await go('/#/docs');
  await index(page).waitFor();
  const expected = [
    ...operations.map(({ operationId, summary }) => ({ address: `#/docs/${operationId}`, title: summary, section: 'Responses', curl: 1 })),
    ...Object.keys(contract.components.schemas).map((name) => ({ address: `#/docs/schemas/${name}`, title: name, section: 'Members', curl: 0 })),
  ];
  assert.deepEqual(await page.evaluate(pagesThatFail, expected), []);
  assert.equal(server.calls.length, 1, 'the contract is fetched once');
});

visit('the search finds operations and schemas, with the keyboard alone', async ({ page, go }) => {
  await go('/#/docs');
  await index(page).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('canceljob job_id}/cancellation');
  await index(page).getByRole('link').nth(1).waitFor({ state: 'detached' });
  await index(page).getByRole('link', { name: 'Cancel a job' }).waitFor();
  await page.keyboard.press('Enter');
  await title(page, 'Cancel a job');
  await page.getByPlaceholder('Search the documentation').fill('histogrambin');
  await index(page).getByRole('link', { name: 'HistogramBin', exact: true }).click();
  await title(page, 'HistogramBin');
  await page.getByRole('link', { name: "Read a job's report" }).waitFor();
  await page.getByPlaceholder('Search the documentation').fill('xyzzyqq');
  await page.getByText('Nothing matches').waitFor();
});

visit('on a phone the overview lists its pages once, and the API page its operations', { signedOut: true, width: 375 }, async ({ page, go }) => {
  await go('/#/docs');
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Quick start', exact: true }).waitFor();
  assert.equal(await main.getByRole('link', { name: 'Quick start', exact: true }).count(), 1);
  assert.equal(await index(page).count(), 0);
  await page.getByPlaceholder('Search the documentation').fill('cancel a job');
  await index(page).getByRole('link', { name: 'Cancel a job' }).waitFor();
  await page.getByPlaceholder('Search the documentation').fill('');
  await main.getByRole('link', { name: 'REST API', exact: true }).click();
  await title(page, 'REST API');
  await index(page).getByText('jobs', { exact: true }).waitFor();
});

visit('on a phone a page that shows nothing of the contract does not load it, and the search does', { signedOut: true, width: 375 }, async ({ page, go, server }) => {
  await go('/#/docs/quick-start');
  await page.getByRole('heading', { level: 2 }).nth(1).waitFor();
  await page.getByRole('link', { name: 'Documentation', exact: true }).first().click();
  await title(page, 'Documentation');
  assert.deepEqual(server.calls, []);
  await page.getByPlaceholder('Search the documentation').fill('cancel a job');
  await index(page).getByRole('link', { name: 'Cancel a job' }).waitFor();
  assert.deepEqual(server.calls.map(({ name }) => name), ['GET /openapi.json']);
});

visit('every page of the documentation opens, and its sections have addresses', { signedOut: true }, async ({ page, go }) => {
  await go('/#/docs');
  for (const { name, title: heading } of topics) {
    await page.evaluate((topic) => (location.hash = `#/docs/${topic}`), name);
    await title(page, heading);
    await page.locator('.section').first().waitFor();
    const part = page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last();
    if (name === 'architecture') continue; // short enough to have no list
    const href = await part.getAttribute('href');
    await part.click();
    await until(() => page.evaluate((id) => document.activeElement?.id === id, href.slice('#/docs/'.length).replace('/', '-')), `the focus at ${href}`);
  }
});

visit('the search finds sections of pages, whose titles come first', async ({ page, go }) => {
  await go('/#/docs');
  await page.getByPlaceholder('Search the documentation').fill('GPU_MIN_FREE_VRAM_MB');
  await index(page).getByRole('link', { name: 'Devices Settings' }).waitFor();
  await page.getByPlaceholder('Search the documentation').fill('cupy');
  assert.equal(await index(page).getByRole('link').first().innerText(), '“CuPy not found” Troubleshooting');
  await page.keyboard.press('Enter');
  await title(page, 'Troubleshooting');
});

visit('the type of a problem leads to its entry', async ({ page, go }) => {
  await go('/docs/problems/unavailable');
  await title(page, 'Problems');
  await until(() => page.evaluate(() => document.activeElement?.id === 'problems-unavailable'), 'the focus at the entry');
});

visit('a page that does not load is requested again', { ofItsOwn: true }, async ({ page, go }) => {
  await go('/#/docs');
  await index(page).waitFor();
  await page.route(/\/assets\/GLOSSARY.*\.js/, (route) => route.abort());
  await index(page).getByRole('link', { name: 'Glossary' }).click();
  await page.getByText('Cannot load the page').waitFor();
  await page.unroute(/\/assets\/GLOSSARY.*\.js/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('dead letter').waitFor();
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

visit('narrow windows list the operations on the page of the API and lead back to the overview', async ({ page, go }) => {
  await page.setViewportSize({ width: 375, height: 800 });
  await go('/#/docs/api');
  await index(page).getByText('jobs', { exact: true }).click();
  await index(page).getByRole('link', { name: 'Cancel a job' }).click();
  await title(page, 'Cancel a job');
  assert.equal(await index(page).isVisible(), false);
  await page.getByRole('link', { name: 'Documentation', exact: true }).last().click();
  await title(page, 'Documentation');
});

visit('a guide that does not load is requested again', { ofItsOwn: true }, async ({ page, go }) => {
  await go('/#/docs');
  await index(page).waitFor();
  await page.route(/\/assets\/Guide-.*\.js/, (route) => route.abort());
  await page.evaluate(() => (location.hash = '#/docs/guides/training-config'));
  await page.getByText('Cannot load the guide').waitFor();
  await page.unroute(/\/assets\/Guide-.*\.js/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('fits on RTX 4090').first().waitFor();
});

visit('the training example waits for the session', async ({ page, go, server }) => {
  let tell;
  server.faults.set('GET /v1/users/me', new Promise((resolve) => (tell = resolve)));
  await go('/#/docs/guides/training-config');
  await title(page, 'Training advice');
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/estimates'), 'nobody is known yet');
  assert.equal(await page.getByText('Sign in to see it.').count(), 0);
  tell();
  await page.getByText('fits on RTX 4090').first().waitFor();
});

visit('the training example requires sign-in', { signedOut: true }, async ({ page, go }) => {
  await go('/#/docs/guides/training-config');
  await page.getByText('Sign in to see it.').waitFor();
});
