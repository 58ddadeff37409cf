// The log of a job's tasks, while it runs and in the drawer of its report.
import assert from 'node:assert/strict';
import { makeJob } from './fake/data.mjs';
import { until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

visit('the log of a running job is read when it is opened, filtered, copied and read on', { arrange: (server) => server.add(makeJob('job_l', { name: 'Long one', state: 'running', started_at: new Date().toISOString(), progress: { items_total: 40 } })) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_l');
  await until(() => server.followers('job_l') === 1, 'the event stream');
  const asked = () => server.calls.filter(({ name }) => name === 'GET /v1/jobs/job_l/logs').map(({ query }) => query.get('level') ?? query.get('task') ?? query.get('cursor'));
  assert.deepEqual(asked(), [], 'the log is read when somebody opens it');
  await page.getByText('What workers and the queue say about each attempt').press('Enter');
  const log = page.getByRole('group', { name: /^Log, / });
  await log.getByRole('heading', { name: 'Task 0, attempt 1' }).waitFor();
  assert.equal((await log.getByRole('listitem').nth(1).textContent()).replace(/.*Warning/s, 'Warning').replace(/\s+/g, ' ').trim(), 'Warning worker 2 of 10 texts failed: empty_text (2).');
  assert.equal(await log.getByText('Lost, and returned').count(), 0);
  await page.getByRole('button', { name: 'Show more lines' }).click();
  await log.getByText('The worker process ended: killed by SIGKILL').waitFor();
  await page.getByLabel('Level').selectOption('error');
  await until(async () => (await log.getByRole('listitem').count()) === 2, 'the errors alone');
  await page.getByLabel('Task', { exact: true }).fill('0');
  await page.getByText('No line matches.').waitFor();
  await page.getByLabel('Level').selectOption('info');
  await page.getByLabel('Task', { exact: true }).fill('1');
  await until(async () => (await log.getByRole('listitem').count()) === 2, 'one task alone');
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the log' }).click();
  assert.equal((await downloaded).suggestedFilename(), 'job_l.log');
  server.update('job_l', { progress: { items_done: 20 } });
  server.finish('job_l');
  await page.getByText('Mean score').waitFor();
  await page.getByRole('button', { name: 'Details' }).click();
  const drawer = page.getByRole('dialog', { name: 'Details' });
  await drawer.getByText('What workers and the queue say about each attempt').click();
  await drawer.getByRole('button', { name: 'Show more lines' }).click();
  await drawer.getByText('Attempt 2 started on node-a').waitFor();
});

visit('a log that cannot be read says why, and is read again', { arrange: (server) => server.add(makeJob('job_x', { state: 'running', started_at: new Date().toISOString() })) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_x');
  await until(() => server.followers('job_x') === 1, 'the event stream');
  await page.route('**/v1/jobs/job_x/logs*', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'Service unavailable', status: 503, detail: 'The database does not respond.' }) }));
  await page.getByText('What workers and the queue say about each attempt').click();
  await page.getByText('The database does not respond.').waitFor();
  await page.unroute('**/v1/jobs/job_x/logs*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('2 of 10 texts failed').waitFor();
});
