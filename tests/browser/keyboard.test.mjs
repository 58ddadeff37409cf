// Everything without a mouse.
import assert from 'node:assert/strict';
import { manyJobs } from './fake/data.mjs';
import { trainingJob } from './fake/training.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const sixty = { arrange: (server) => (server.jobs = manyJobs(60)) };
const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.ariaLabel);

visit('a job is submitted with the keyboard alone', async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByText('No jobs yet').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New job' }).waitFor();
  await page.keyboard.press('j');
  assert.equal(await focused(page), 'Training memory', 'the kind that home asks about comes first');
  await page.keyboard.press('j');
  assert.equal(await focused(page), 'Sentiment');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New sentiment job' }).waitFor();
  assert.equal(await focused(page), 'New sentiment job', 'the new page takes focus on its title');
  await page.getByLabel('Texts', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('A calm sea? n, j and k are only letters here.');
  await page.keyboard.press('Tab');
  for (const text of ['', '', 'Typed', '', '', '', '']  /* model, score now, name, labels, priority, when, limits */) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  assert.equal(await focused(page), 'Submit job');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Typed' }).waitFor();
  assert.equal(server.jobs.length, 1);
});

visit('j and k move through lists', sixty, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('Port authority notices').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  assert.match(await focused(page), /^Reviews of the spring fair/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Reviews of the spring fair' }).waitFor();
});

visit('slash goes to the search, g d to the devices', sixty, async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('Port authority notices').first().waitFor();
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.placeholder), 'Name, ID or label');
  assert.equal(await page.getByPlaceholder('Name, ID or label').inputValue(), '');
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
});

visit('the help opens, closes, gives focus back, and can switch the keys off', async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('No jobs yet').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Single-key shortcuts are on').uncheck();
  await page.keyboard.press('Escape');
  await until(async () => (await focused(page)) === 'Keyboard shortcuts', 'the focus on the button that opened the help');
  await page.keyboard.press('n');
  await page.keyboard.press('?');
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.match(page.url(), /#\/jobs$/);
});

visit('the first Tab offers to skip the navigation', async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByText('No jobs yet').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
});

visit('the account menu opens and closes', async ({ page, go }) => {
  await go('/#/jobs');
  await page.getByLabel('Account').first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
});

visit('the values of a chart are walked with the arrows, in every chart over the same axis', { arrange: (server) => server.add(trainingJob()) }, async ({ page, go }) => {
  await go('/#/jobs/job_training0000');
  const memory = page.getByRole('slider', { name: 'Memory by batch size' });
  await memory.focus();
  await page.keyboard.press('End');
  const last = await memory.getAttribute('aria-valuetext');
  await page.keyboard.press('Home');
  const first = await memory.getAttribute('aria-valuetext');
  const [smallest, largest] = [first, last].map((words) => Number(/^Batch (\d+): .*\sGiB/.exec(words)[1]));
  assert.ok(smallest < largest, `${first}, ${last}`);
  // What is heard stands above the drawing, and the chart beside it shows the same batch.
  const pointed = page.locator('figcaption strong', { hasText: new RegExp(`^Batch ${smallest}$`) });
  assert.equal(await pointed.count(), 2);
  await page.getByRole('slider', { name: 'Memory over the first steps' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('figcaption', { hasText: /(allocates|frees) .* of / }).waitFor();
  assert.equal(await pointed.count(), 0, 'left, the chart shows its name again');
});
