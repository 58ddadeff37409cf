// The way of a job through the pages: sign in, submit, watch, read.
import assert from 'node:assert/strict';
import { manyJobs, makeJob, models } from './fake/data.mjs';
import { heard, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

visit('from the sign-in link to the report', { signedOut: true }, async ({ page, server, go }) => {
  await go('/#/sign-in/plm_signin_good');
  await page.getByRole('link', { name: 'New job' }).first().click();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/sessions').body, { sign_in_token: 'plm_signin_good' });
  assert.ok(!page.url().includes('plm_signin'), 'the secret must leave the address');

  await page.getByRole('link', { name: 'Sentiment' }).click();
  await page.getByRole('button', { name: 'Fill in five sample headlines' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('First try');
  await page.getByLabel('Labels').fill('desk=energy');
  await page.getByRole('button', { name: 'Submit job' }).click();

  await page.getByRole('heading', { name: 'First try' }).waitFor();
  const { body, headers } = server.calls.find(({ name }) => name === 'POST /v1/jobs');
  assert.equal(body.args.texts.length, 5);
  assert.deepEqual(body.labels, { desk: 'energy' });
  assert.equal(headers['x-csrf-token'], 'csrf');
  assert.match(headers['idempotency-key'], /^[0-9a-f]{32}$/);

  const [{ id }] = server.jobs;
  await until(() => server.followers(id) === 1, 'the event stream');
  server.update(id, { state: 'running', started_at: new Date().toISOString(), progress: { items_done: 2 } });
  await page.getByText('2 of 5 texts').waitFor();
  assert.equal(await page.getByRole('progressbar').getAttribute('aria-valuenow'), '40');
  server.finish(id);
  await heard(page, 'First try: succeeded');

  await page.getByText('Mean score').waitFor();
  await page.getByRole('table', { name: 'Results' }).getByRole('row').nth(5).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'JSONL' }).click();
  assert.equal((await download).suggestedFilename(), `${id}.jsonl`);
});

visit('a used link says so and offers the token', { signedOut: true }, async ({ page, go }) => {
  await go('/#/sign-in/plm_signin_spent');
  await page.getByText('has already been used or has expired').waitFor();
  await page.getByLabel('Sign-in link or API token').fill('plm_api_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('This token or sign-in link is not valid').waitFor();
  await page.getByLabel('Sign-in link or API token').fill('plm_api_good');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'What fits on your GPU?' }).waitFor();
});

visit('signing in leads back to the requested page', { signedOut: true }, async ({ page, go }) => {
  await go('/#/devices');
  await page.getByLabel('Sign-in link or API token').fill('plm_api_good');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
});

visit('a page opened while the server is down returns by itself', { ofItsOwn: true }, async ({ page, server, go }) => {
  server.faults.set('GET /v1/users/me', 503);
  await page.clock.install();
  await go('/#/devices');
  await page.getByRole('heading', { level: 1, name: 'Service unavailable' }).waitFor();
  await page.getByText('This page comes back when the server does.').waitFor();
  server.faults.delete('GET /v1/users/me');
  await page.clock.runFor(5_000);
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
});

visit('the end of a session leads to the sign-in page', async ({ page, go }) => {
  await go('/#/settings'); // which asks the server nothing by itself
  await page.getByRole('heading', { name: 'This browser' }).waitFor();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Devices' }).click();
  await page.getByLabel('Sign-in link or API token').waitFor();
});

visit('signing out ends the session on the server', async ({ page, server, go }) => {
  await go('/#/jobs');
  await page.getByLabel('Account').first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Sign-in link or API token').waitFor();
  assert.ok(server.calls.some(({ name }) => name === 'DELETE /v1/sessions/current'));
  assert.ok(server.calls.some(({ name }) => name === 'POST /v1/provider-sign-outs'));
});

const oneRunning = {
  arrange: (server) => server.add(makeJob('job_r', { name: 'Long one', state: 'running', started_at: new Date().toISOString() })),
};

visit('a lost connection is shown and restored without losing events', oneRunning, async ({ page, server, go }) => {
  await go('/#/jobs/job_r');
  await until(() => server.followers('job_r') === 1, 'the event stream');
  server.update('job_r', { progress: { items_done: 300, tokens_done: 9100 } });
  await page.getByText('300 of 1,000 texts').waitFor();
  server.faults.set('GET /v1/jobs/job_r/events', 503);
  server.cut('job_r');
  await page.getByText('Connection lost').waitFor();
  server.faults.clear();
  await until(() => server.followers('job_r') === 1, 'the reconnect');
  const last = server.calls.findLast(({ name }) => name.endsWith('/events'));
  assert.equal(last.headers['last-event-id'], '2');
  server.update('job_r', { progress: { items_done: 700, tokens_done: 21_300 } });
  await page.getByText('21,300 tokens').waitFor();
  await page.getByText('700 of 1,000 texts').waitFor();
  const started = page.getByRole('listitem').filter({ hasText: 'Started' });
  await started.first().waitFor();
  assert.equal(await started.count(), 1, 'no event is reported twice');
  assert.equal(await page.getByText('Connection lost').count(), 0);
});

visit('cancelling', oneRunning, async ({ page, server, go }) => {
  await go('/#/jobs/job_r');
  await until(() => server.followers('job_r') === 1, 'the event stream');
  await page.getByRole('button', { name: 'Cancel job' }).click();
  await page.getByRole('button', { name: 'Cancelling…' }).waitFor();
  server.update('job_r', { state: 'cancelled', finished_at: new Date().toISOString() });
  await heard(page, 'Long one: cancelled');
});

visit('deleting requires confirmation', { arrange: (server) => (server.jobs = manyJobs(3)) }, async ({ page, server, go }) => {
  const id = server.jobs[2].id;
  await go(`/#/jobs/${id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.ok(server.job(id));
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  assert.ok(!server.job(id));
});

visit('a lost response is requested again with the same key', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByLabel('Texts', { exact: true }).fill('one\n\n two ');
  server.faults.set('POST /v1/jobs', 503);
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByRole('alert').getByText('Service unavailable').waitFor();
  server.faults.clear();
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 2 texts').waitFor();
  const keys = server.calls.filter(({ name }) => name === 'POST /v1/jobs').map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

visit('the pool\'s models can be chosen, and its default is', { arrange: (server) => (server.models = models) }, async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  const choice = page.getByRole('combobox', { name: 'Model' });
  await page.getByText('109 million parameters').waitFor();
  assert.equal(await choice.inputValue(), 'model finbert');
  assert.deepEqual((await choice.locator('option').allTextContents()).slice(0, 2), ['vader: 0.08 ms per text', 'finbert (default): 418\u00a0MiB, 20 ms per text, int8 passed']);
  await page.getByLabel('Texts', { exact: true }).fill('one');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('0 of 1 text').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/jobs').body.args, { model: 'finbert', texts: ['one'] });
  await go('/#/new/sentiment');
  await choice.selectOption('model vader');
  await page.getByText('A lexicon and rules').waitFor();
  await page.getByLabel('Texts', { exact: true }).fill('one');
  server.faults.set('POST /v1/jobs', { status: 422, title: 'Invalid body', errors: [{ pointer: '/args/model', detail: 'is gone' }] });
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('is gone', { exact: true }).waitFor();
  assert.equal(await choice.getAttribute('aria-invalid'), 'true');
});

visit('refusals are shown beside their field', async ({ page, server, go }) => {
  await go('/#/new/sentiment');
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Enter at least one text.').waitFor();
  await page.getByLabel('Texts', { exact: true }).fill('one\ntwo');
  server.faults.set('POST /v1/jobs', {
    status: 422,
    title: 'Invalid body',
    errors: [{ pointer: '/args/texts/1', detail: 'must be kinder' }, { pointer: '/name', detail: 'is taken' }],
  });
  await page.getByRole('button', { name: 'Submit job' }).click();
  await page.getByText('Text 2: must be kinder').waitFor();
  await page.getByText('is taken', { exact: true }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid'), 'true');
});
