// A report shared by a link: made, opened by somebody without an account, revoked.
import assert from 'node:assert/strict';
import { makeJob } from './fake/data.mjs';
import { makeLink } from './fake/links.mjs';
import { trainingJob } from './fake/training.mjs';
import { visit } from './support/setting.mjs';

visit('a report is shared by a link, which whoever has it opens until it is revoked', { arrange: (server) => server.add(trainingJob()) }, async ({ page, server, go }) => {
  await go('/#/jobs/job_training0000');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Expires after').selectOption('30 days');
  await dialog.getByLabel('Note (optional)').fill('For the desk');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const address = await dialog.getByLabel('Link', { exact: true }).inputValue();
  assert.equal(address, `${server.url}/#/shared/plm_report_new0`);
  const { expires_at, note } = server.calls.findLast(({ name }) => name === 'POST /v1/jobs/job_training0000/report-links').body;
  assert.equal(note, 'For the desk');
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 30 * 86_400_000) < 600_000);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  const context = await page.context().browser().newContext();
  const stranger = await context.newPage();
  await stranger.goto(address);
  await stranger.getByRole('heading', { level: 1, name: 'Early curriculum' }).waitFor();
  await stranger.getByText('Shared by ada: For the desk').waitFor();
  await stranger.getByRole('heading', { name: 'Layers' }).waitFor();
  assert.equal(await stranger.getByRole('slider', { name: 'Batch', exact: true }).count(), 0, 'nothing to ask the server');
  const asked = server.calls.filter(({ headers }) => headers['x-report-link']).map(({ name }) => name);
  assert.deepEqual([...new Set(asked)], ['GET /v1/linked-report']);

  await go('/#/settings/report-links');
  await page.getByRole('link', { name: 'Early curriculum' }).waitFor();
  await page.getByRole('button', { name: 'Revoke the link For the desk' }).click();
  await page.getByText('No shared reports').waitFor();
  await stranger.reload();
  await stranger.getByText('This link is invalid, has expired or was revoked.').waitFor();
  await context.close();
});

visit('the rows of a shared report come by its link', { signedOut: true, arrange: (server) => (server.reportLinks = [makeLink(server.add(makeJob('job_r', { name: 'Texts', state: 'succeeded', finished_at: new Date().toISOString(), progress: { items_total: 40, items_done: 40 } })))]) }, async ({ page, server, go }) => {
  await go('/#/shared/plm_report_good');
  await page.getByRole('table', { name: 'Results' }).getByRole('row').nth(5).waitFor();
  const call = server.calls.find(({ name }) => name === 'GET /v1/linked-report/results.jsonl');
  assert.equal(call.headers['x-report-link'], 'plm_report_good');
  assert.ok(server.calls.every(({ headers, name }) => name.startsWith('GET /v1/linked-report') || !headers['x-report-link']), 'the secret goes nowhere else');
});
