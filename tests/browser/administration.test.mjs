// What system admins do: people, teams, device classes; and a team's baselines.
import assert from 'node:assert/strict';
import { busyQueue, makeJob } from './fake/data.mjs';
import { pinnedReport, profileJob, profileReport } from './fake/profile.mjs';
import { heard, until } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const rowOf = (page, table, name) => page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });

visit('people are made, disabled after a question, enabled, and made system admins', async ({ page, server, go }) => {
  await go('/#/settings/people');
  const grace = rowOf(page, 'People', 'grace');
  await grace.getByRole('button', { name: 'Disable grace' }).click();
  const question = page.getByRole('dialog', { name: 'Disable grace?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.ok(!server.calls.some(({ name }) => name.startsWith('PATCH')));
  await grace.getByRole('button', { name: 'Disable grace' }).click();
  await question.getByRole('button', { name: 'Disable' }).click();
  await grace.getByText('Disabled').waitFor();
  await grace.getByRole('button', { name: 'Enable grace' }).click();
  await grace.getByText('Active').waitFor();
  await grace.getByRole('button', { name: 'Make system admin grace' }).click();
  await page.getByRole('dialog', { name: 'Make grace a system admin?' }).getByRole('button', { name: 'Make system admin' }).click();
  await grace.getByText('system admin', { exact: true }).waitFor();
  assert.deepEqual(server.calls.filter(({ name }) => name === 'PATCH /v1/users/usr_2').map(({ body }) => body), [{ disabled: true }, { disabled: false }, { is_admin: true }]);
  await rowOf(page, 'People', 'ada').getByRole('button', { name: 'Remove system admin ada' }).click();
  await page.getByRole('dialog', { name: 'Remove ada as system admin?' }).getByRole('button', { name: 'Remove system admin' }).click();
  await heard(page, 'The last system admin must stay.');

  await page.getByRole('button', { name: 'New user' }).click();
  const dialog = page.getByRole('dialog', { name: 'New user' });
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill('barbara');
  await dialog.getByLabel('Email').fill('b@example.com');
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/users').body, { name: 'barbara', email: 'b@example.com' });

  // Who is disabled can be removed for good.
  assert.equal(await grace.getByRole('button', { name: 'Remove grace' }).count(), 0);
  await grace.getByRole('button', { name: 'Disable grace' }).click();
  await question.getByRole('button', { name: 'Disable' }).click();
  await grace.getByRole('button', { name: 'Remove grace' }).click();
  await page.getByRole('dialog', { name: 'Remove grace?' }).getByRole('button', { name: 'Remove for good' }).click();
  await grace.waitFor({ state: 'detached' });
  assert.ok(server.calls.some(({ name }) => name === 'DELETE /v1/users/usr_2'));
});

const leaver = (server) => {
  const grace = { id: 'usr_2', name: 'grace' };
  server.schedules = server.schedules.map((one) => ({ ...one, user: grace }));
  server.add(makeJob('job_left', { state: 'running', submitter: grace }));
};
visit('who disables somebody sees what is theirs, takes the schedules over and cancels the jobs', { arrange: leaver }, async ({ page, server, go }) => {
  await go('/#/settings/people');
  await rowOf(page, 'People', 'grace').getByRole('button', { name: 'Disable grace' }).click();
  const dialog = page.getByRole('dialog', { name: 'Disable grace?' });
  for (const line of ['1 schedule: Nightly headlines', '1 unfinished job', '1 token: notebook', '1 webhook: chat']) {
    await dialog.getByText(line).waitFor();
  }
  await dialog.getByLabel('Cancel their unfinished jobs').check();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await dialog.waitFor({ state: 'detached' });
  const sent = server.calls.map(({ name }) => name).filter((name) => !name.startsWith('GET'));
  assert.deepEqual(sent, ['PUT /v1/schedules/sched_1', 'POST /v1/cancellations', 'PATCH /v1/users/usr_2'], 'a paused schedule does nothing');
  assert.equal(server.calls.find(({ name }) => name.startsWith('PUT')).body.job.kind, 'sentiment');
});

visit('an identity at the provider is unlinked after a question', async ({ page, server, go }) => {
  await go('/#/settings/people');
  const linus = rowOf(page, 'People', 'linus');
  await linus.getByRole('button', { name: /^Unlink identity provider/ }).click();
  await page.getByRole('dialog', { name: /^Unlink linus/ }).getByRole('button', { name: 'Unlink' }).click();
  await heard(page, 'linus of the very long family name can no longer sign in with the identity provider');
  await linus.getByRole('button', { name: /^Unlink/ }).waitFor({ state: 'detached' });
  assert.deepEqual(server.identities, []);
});

/** Somebody else's change of an entry of the server, which the page has not seen. */
const meanwhile = (entry, change) => Object.assign(entry, change, { version: '7' });
const outdated = 'It has been changed or deleted since you opened it. Open it again to see the current version.';

visit('an edit of what somebody else has changed meanwhile is refused, and the lists show how it is now', async ({ page, server, go }) => {
  await go('/#/settings/people');
  const grace = rowOf(page, 'People', 'grace');
  await grace.getByText('Active').waitFor();
  meanwhile(server.members[1].user, { disabled: true });
  await grace.getByRole('button', { name: 'Make system admin grace' }).click();
  await page.getByRole('dialog', { name: 'Make grace a system admin?' }).getByRole('button', { name: 'Make system admin' }).click();
  await heard(page, outdated);
  await grace.getByText('Disabled').waitFor();
  assert.equal(server.members[1].user.is_admin, false);
  await grace.getByRole('button', { name: 'Enable grace' }).click();
  await grace.getByText('Active').waitFor();

  await go('/#/settings/team');
  const role = page.getByLabel('Role of grace');
  await role.waitFor();
  meanwhile(server.members[1], { role: 'viewer' });
  await role.selectOption('admin');
  await heard(page, outdated);
  await until(async () => (await role.inputValue()) === 'viewer');
  assert.equal(server.members[1].role, 'viewer');

  await go('/#/settings/service-accounts');
  const build = page.getByLabel('Role of nightly build');
  await build.waitFor();
  meanwhile(server.accounts[0], { disabled: true });
  await build.selectOption('viewer');
  await heard(page, outdated);
  assert.equal(server.accounts[0].role, 'member');
});

visit('an edit of shares, limits and classes that somebody else has changed meanwhile is refused', async ({ page, server, go }) => {
  server.queue = busyQueue();
  await go('/#/queue');
  const research = page.getByRole('table', { name: 'Shares' }).getByRole('row').filter({ hasText: 'research' }).first();
  for (const [button, title, entry, change] of [
    [research.getByRole('button', { name: /^Share of/ }), /on gpu$/, () => server.queue.shares[0], { weight: 9 }],
    [research.getByRole('button', { name: /^Limit the jobs/ }), /^Job limits/, () => server.queue.limits[0], { queued_jobs: 9 }],
    [page.getByRole('button', { name: 'Usage on class gpu' }), /^Usage settings of class/, () => server.queue.classes[1], { entry_limit_seconds: 9 }],
  ]) {
    await button.click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    meanwhile(entry(), change);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(outdated).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    for (const [name, value] of Object.entries(change)) assert.equal(entry()[name], value);
  }
});

visit('a team is made, and its members are shown', async ({ page, server, go }) => {
  await go('/#/settings/teams');
  await rowOf(page, 'Teams', 'trading').waitFor();
  await page.getByRole('button', { name: 'New team' }).click();
  const dialog = page.getByRole('dialog', { name: 'New team' });
  await dialog.getByLabel('Name').fill('ferries');
  await dialog.getByText('Share of the devices').click();
  await dialog.getByLabel('Weight').fill('2');
  await dialog.getByLabel('Quota').fill('3600');
  await dialog.getByRole('button', { name: 'Create team' }).click();
  await heard(page, 'Team ferries created; you own it');
  await page.getByRole('region', { name: 'ferries' }).getByText('grace', { exact: true }).first().waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/teams').body, { name: 'ferries' });
  assert.deepEqual(server.calls.find(({ name }) => /^PUT .*\/shares\/gpu$/.test(name)).body, { weight: 2, cap: null, quota: { seconds: 3600, period: 'day' } });

  const trading = rowOf(page, 'Teams', 'trading');
  await trading.getByRole('button', { name: 'Archive trading' }).click();
  await page.getByRole('dialog', { name: 'Archive trading?' }).getByRole('button', { name: 'Archive' }).click();
  await trading.getByText('Archived').waitFor();
  await trading.getByRole('button', { name: 'Restore trading' }).click();
  await trading.getByText('In use').waitFor();
  await trading.getByRole('button', { name: 'Rename trading' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename team' });
  await renaming.getByLabel('Name').fill('markets');
  await renaming.getByRole('button', { name: 'Rename' }).click();
  await rowOf(page, 'Teams', 'markets').waitFor();
  assert.deepEqual(server.calls.filter(({ name }) => name === 'PATCH /v1/teams/team_2').map(({ body }) => body), [{ archived: true }, { archived: false }, { name: 'markets' }]);
  // One does not archive the team that one is in.
  assert.equal(await page.getByRole('button', { name: 'Archive ferries' }).count(), 0);
});

visit('a service account is added with a token, disabled, demoted and removed', async ({ page, server, go }) => {
  await go('/#/settings/service-accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  const dialog = page.getByRole('dialog', { name: 'New service account' });
  await dialog.getByRole('button', { name: 'Add account' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill('release');
  await dialog.getByLabel('Role').selectOption('viewer');
  await dialog.getByRole('button', { name: 'Add account' }).click();
  const token = page.getByRole('dialog', { name: 'New token for release' });
  assert.equal(await token.getByLabel('Submit, cancel and delete jobs').count(), 0, 'a viewer submits nothing');
  await token.getByLabel('Name').fill('ci');
  await token.getByLabel('Lifetime').selectOption('');
  await token.getByRole('button', { name: 'Create token' }).click();
  await token.getByRole('button', { name: 'I have copied it' }).click();
  const added = server.accounts.at(-1);
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/service-accounts').body, { name: 'release', role: 'viewer' });
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/tokens').body, { name: 'ci', scopes: ['jobs:read', 'reports:read'], service_account_id: added.id });

  const row = rowOf(page, 'Service accounts', 'nightly build');
  await row.getByRole('button', { name: 'Disable nightly build' }).click();
  await row.getByText('Disabled', { exact: true }).waitFor();
  await row.getByLabel('Role of nightly build').selectOption('viewer');
  await heard(page, 'nightly build is now a viewer');
  assert.deepEqual(server.calls.filter(({ name }) => name === 'PATCH /v1/service-accounts/usr_90').map(({ body }) => body), [{ disabled: true }, { role: 'viewer' }]);
  await row.getByRole('button', { name: 'Remove nightly build' }).click();
  await page.getByRole('dialog', { name: 'Remove this account?' }).getByRole('button', { name: 'Remove the account' }).click();
  await row.waitFor({ state: 'detached' });
});

visit('how a class remembers usage is changed', { arrange: (server) => (server.queue = busyQueue()) }, async ({ page, server, go }) => {
  await go('/#/queue');
  await page.getByRole('button', { name: 'Usage on class gpu' }).click();
  const dialog = page.getByRole('dialog', { name: 'Usage settings of class gpu' });
  await dialog.getByLabel('Half-life, hours').fill('soon');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a number.').waitFor();
  await dialog.getByLabel('Half-life, hours').fill('12');
  await dialog.getByLabel('Entry limit, device-seconds').fill('30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'Device classes', 'gpu').getByText('12 h').waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'PUT /v1/device-classes/gpu').body, { half_life_seconds: 43_200, entry_limit_seconds: 30 });
});

visit('a stop is lifted, and put back', { arrange: (server) => (server.queue = busyQueue()) }, async ({ page, server, go }) => {
  await go('/#/queue');
  await page.getByRole('button', { name: 'Resume every device of class cpu' }).click();
  await heard(page, 'every device of class cpu resumed');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Resume every device of class cpu' }).waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/holds').body, { device_class: 'cpu', mode: 'pause', reason: 'Benchmarks run until noon.' });
});

const pinned = (server) => {
  const job = server.add(profileJob());
  server.baselines = [pinnedReport(job, profileReport(job))];
};
visit('the baselines of a team are listed and unpinned', { arrange: pinned }, async ({ page, server, go }) => {
  await go('/#/settings/baselines');
  await page.getByRole('table', { name: 'Baselines' }).getByRole('link', { name: 'Report' }).waitFor();
  await page.getByRole('button', { name: /^Unpin/ }).click();
  await page.getByText('No baselines yet').waitFor();
  await until(() => server.baselines.length === 0, 'no baseline at the server');
});

visit('who does not administrate is offered none of it', { arrange: (server) => (server.scopes = ['jobs:read', 'jobs:write', 'reports:read']) }, async ({ page, go }) => {
  await go('/#/settings');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Baselines' }).waitFor();
  assert.equal(await page.getByRole('link', { name: /^(People|Teams)$/ }).count(), 0);
  await go('/#/settings/people');
  await page.getByText('Your role has no access to this page').waitFor();
  await page.getByText('Only system admins can manage users and teams.').waitFor();
});

visit('a page for other roles says what they may do, and leads home', { arrange: (server) => (server.scopes = ['jobs:read']) }, async ({ page, go }) => {
  await go('/#/new');
  await page.getByText(/^Your role in .* does not let you submit jobs\./).waitFor();
  assert.doesNotMatch(await page.getByRole('main').innerText(), /jobs:write/);
  assert.equal(await page.getByRole('link', { name: 'What roles may do' }).getAttribute('href'), '#/docs/roles');
  await page.getByRole('main').getByRole('link', { name: 'Go home' }).click();
  await page.getByRole('heading', { name: 'What fits on your GPU?' }).waitFor();
});

visit('audit events are filtered, paged and downloaded', async ({ page, go }) => {
  await go('/#/settings/audit');
  const rows = page.getByRole('table', { name: 'Audit events' }).getByRole('row');
  await rows.nth(2).waitFor();
  assert.equal(await rows.count(), 3);
  await page.getByRole('button', { name: 'Older events' }).click();
  await rows.nth(3).waitFor();
  await rows.nth(1).getByText('name nightly script').waitFor();
  await page.getByLabel('Actions on').selectOption('token');
  await rows.filter({ hasText: 'Member set' }).waitFor({ state: 'detached' });
  assert.equal(await rows.count(), 3);
  assert.match(await page.getByRole('link', { name: 'CSV' }).getAttribute('href'), /audit-events\.csv\?action=token$/);
});

visit('the audit is filtered by person, object and days, which stand in the address', async ({ page, server, go }) => {
  await go('/#/settings/audit');
  const rows = page.getByRole('table', { name: 'Audit events' }).getByRole('row');
  await rows.nth(2).waitFor();
  await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('grace');
  await page.getByText('No event matches').waitFor();
  await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('ada');
  await page.getByLabel('Target').fill('tok_7');
  await page.getByLabel('Target').press('Enter');
  await rows.filter({ hasText: 'Token revoked' }).waitFor();
  assert.equal(await rows.count(), 2);
  // The event's own day is the last one of the range, then it lies before the range.
  await page.getByLabel('To', { exact: true }).fill('2025-03-04');
  await page.getByLabel('From', { exact: true }).fill('2025-03-04');
  await rows.filter({ hasText: 'Token revoked' }).waitFor();
  await page.getByLabel('To', { exact: true }).fill('2025-03-06');
  await page.getByLabel('From', { exact: true }).fill('2025-03-05');
  await page.getByText('No event matches').waitFor();
  assert.match(page.url(), /by=usr_1&target=tok_7&to=2025-03-06&from=2025-03-05$/);
  const table = new URL(await page.getByRole('link', { name: 'CSV' }).getAttribute('href'), server.url).searchParams;
  assert.deepEqual([table.get('user_id'), table.get('target')], ['usr_1', 'tok_7']);
  assert.equal(Date.parse(table.get('to')) - Date.parse(table.get('from')), 2 * 86_400_000);
});

visit('whoever the audit is filtered by has a name once it is known, and shows no ID before', async ({ page, server, go }) => {
  let release;
  server.faults.set('GET /v1/service-accounts', new Promise((resolve) => (release = resolve)));
  await go('/#/settings/audit?by=usr_1');
  const by = page.getByRole('combobox', { name: 'By', exact: true });
  await by.locator('option:checked').filter({ hasText: /^Loading…$/ }).waitFor({ state: 'attached' });
  release();
  await by.locator('option:checked').filter({ hasText: /^ada$/ }).waitFor({ state: 'attached' });
});
