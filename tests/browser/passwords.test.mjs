// Passwords: signing in with one, setting and changing one's own, and the links that system admins hand out.
import assert from 'node:assert/strict';
import { heard } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const boat = 'a boat that floats';
const horse = 'the horse of yesterday';
const having = (password) => ({ arrange: (server) => { server.password = password; } });

visit('a name and a password sign in', { signedOut: true, ...having(boat) }, async ({ page, server, go }) => {
  await go('/#/devices');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter your email address or name and your password, or paste').waitFor();
  await page.getByLabel('Email address or name').fill('ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter both your email address or name and your password.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(horse);
  await page.keyboard.press('Enter');
  await page.getByText('The name or the password is wrong.').waitFor();
  assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '');
  await page.getByLabel('Password', { exact: true }).fill(boat);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/sessions').body, { credentials: { user: 'ada', password: boat } });
});

visit('a first password is set, and changed with the present one', having(null), async ({ page, server, go }) => {
  await go('/#/settings/password');
  await page.getByText('You have none.').waitFor();
  assert.equal(await page.getByLabel('Current password').count(), 0);
  await page.getByLabel('New password').fill('short');
  await page.getByLabel('Confirm password').fill('other');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('The two passwords differ.').waitFor();
  await page.getByLabel('Confirm password').fill('short');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('must have at least 12 characters').waitFor();
  for (const field of ['New password', 'Confirm password']) await page.getByLabel(field).fill(boat);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await heard(page, 'Password set');

  await page.getByLabel('Current password').fill(horse);
  for (const field of ['New password', 'Confirm password']) await page.getByLabel(field).fill(horse);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('is not your current password').waitFor();
  await page.getByLabel('Current password').fill(boat);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByLabel('Current password').evaluate((input) => new Promise((done) => {
    const look = () => (input.value === '' ? done() : requestAnimationFrame(look));
    look();
  }));
  assert.equal(server.password, horse);
});

visit('a second factor is added, and removed with a code', having(boat), async ({ page, server, go }) => {
  await go('/#/settings/password');
  await page.getByLabel('Your password').fill(horse);
  await page.getByRole('button', { name: 'Add a second factor' }).click();
  await page.getByText('is not your current password').waitFor();
  await page.getByLabel('Your password').fill(boat);
  await page.getByRole('button', { name: 'Add a second factor' }).click();
  await page.getByRole('img', { name: 'QR code of the secret below' }).waitFor();
  assert.equal(await page.getByLabel('Secret', { exact: true }).inputValue(), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Confirm the code' }).click();
  await page.getByText('is not the current code').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('287082');
  await page.getByRole('button', { name: 'Confirm the code' }).click();
  await page.getByText('MFRG-GZDF-MZTW-Q2LK').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('10 recovery codes are left').waitFor();
  assert.equal(server.secondFactor.code, '287082');
  await page.getByLabel('Code', { exact: true }).fill('287082');
  await page.getByRole('button', { name: 'Remove the second factor' }).click();
  await page.getByRole('button', { name: 'Add a second factor' }).waitFor();
  assert.equal(server.secondFactor.code, null);
});

const protectedByCode = { signedOut: true, arrange: (server) => { server.password = boat; server.secondFactor.code = '287082'; } };

visit('a sign-in asks for the code', protectedByCode, async ({ page, server, go }) => {
  await go('/#/devices');
  await page.getByLabel('Email address or name').fill('ada');
  await page.getByLabel('Password', { exact: true }).fill(boat);
  await page.keyboard.press('Enter');
  const code = page.getByLabel('Code', { exact: true });
  await code.waitFor();
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await page.getByText('This code is wrong or has already been used').waitFor();
  assert.equal(await code.inputValue(), '');
  await page.keyboard.type('287082');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/sessions').body, { credentials: { user: 'ada', password: boat, code: '287082' } });
});

visit('a system admin removes a lost second factor', async ({ page, server, go }) => {
  await go('/#/settings/people');
  await page.getByRole('button', { name: 'Disable grace' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Remove second factor' }).count(), 1, 'only of who has one');
  await page.getByRole('button', { name: 'Remove second factor of grace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await heard(page, 'Second factor of grace removed');
  assert.ok(server.calls.some(({ name }) => /^DELETE \/v1\/users\/[^/]+\/second-factor$/.test(name)));
});

visit('a system admin hands out a link', async ({ page, go }) => {
  await go('/#/settings/people');
  await page.getByRole('button', { name: 'Password link for grace' }).click();
  const dialog = page.getByRole('dialog', { name: 'Password link for grace' });
  assert.match(await dialog.getByLabel('Link').inputValue(), /#\/set-password\/plm_password_fresh$/);
});

const linked = { signedOut: true, arrange: (server) => { server.passwordLinks = new Set(['plm_password_good']); } };

visit('a link sets a password, with which its user signs in', linked, async ({ page, server, go }) => {
  await go('/#/set-password/plm_password_good');
  await page.getByLabel('New password').fill(boat);
  assert.ok(!page.url().includes('plm_password'), 'the secret must leave the address');
  await page.getByLabel('Confirm password').fill(boat);
  await page.getByLabel('Revoke my API tokens, too').check();
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('All your sessions and tokens have ended.').waitFor();
  assert.equal(server.calls.findLast(({ name }) => name === 'POST /v1/passwords').body.end_tokens, true);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email address or name').fill('ada');
  await page.getByLabel('Password', { exact: true }).fill(boat);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'What fits on your GPU?' }).waitFor();
});

visit('a used link says so', linked, async ({ page, go }) => {
  await go('/#/set-password/plm_password_spent');
  for (const field of ['New password', 'Confirm password']) await page.getByLabel(field).fill(boat);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('has already been used or has expired').waitFor();
});

const withProvider = (fields = {}) => ({ signedOut: true, arrange: (server) => Object.assign(server, { provider: 'Example Login', ...fields }) });

visit('the identity provider signs in, and the page that was wanted follows', withProvider(), async ({ page, server, go }) => {
  await go('/#/devices');
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/sessions').body, {
    provider: { code: 'good', state: 'state', iss: 'https://login.example.com' },
  });
  assert.equal(page.url(), `${server.url}/#/devices`, 'the code must leave the address');
});

visit('a provider that does not sign in leads back to the form', withProvider({ providerReturns: 'error=access_denied&state=state' }), async ({ page, server, go }) => {
  await go('/');
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
  await page.getByText('The identity provider did not sign you in.').waitFor();
  assert.equal(page.url(), `${server.url}/`);
  assert.ok(!server.calls.some(({ name }) => name === 'POST /v1/sessions'));
  await page.getByLabel('Email address or name').waitFor();
});

visit('a response that the server refuses says so', withProvider({ providerReturns: 'code=stolen&state=state' }), async ({ page, go }) => {
  await go('/');
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
  await page.getByText('This sign-in failed or took too long. Try again.').waitFor();
  await page.getByRole('button', { name: 'Sign in with Example Login' }).waitFor();
});

visit('an unreachable provider is reported', withProvider(), async ({ page, server, go }) => {
  server.faults.set('POST /v1/provider-sign-ins', { status: 503, title: 'Service unavailable', detail: 'The identity provider is unavailable at the moment.' });
  await go('/');
  await page.getByRole('button', { name: 'Sign in with Example Login' }).click();
  await page.getByText('The identity provider is unavailable at the moment.').waitFor();
});

visit('without a provider there is no button', { signedOut: true }, async ({ page, go }) => {
  await go('/');
  await page.getByLabel('Password').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Sign in with/ }).count(), 0);
});
