// Invitations: making and revoking them, and joining by one as a new user or with an account.
import assert from 'node:assert/strict';
import { makeInvitation } from './fake/links.mjs';
import { heard } from './support/browser.mjs';
import { visit } from './support/setting.mjs';

const invited = (fields) => ({ arrange: (server) => { server.invitations = [makeInvitation(fields)]; } });

visit('an invitation is made, handed out and revoked', async ({ page, server, go }) => {
  await go('/#/settings/team');
  await page.getByText('No open invitation').waitFor();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Email address').fill('grace@example.com');
  await page.getByRole('radio', { name: 'viewer' }).check();
  await page.getByRole('button', { name: 'Create link' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Link' }).inputValue(), `${server.url}/#/join/plm_invite_new0`);
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/invitations').body, { role: 'viewer', email: 'grace@example.com' });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke the invitation for grace@example.com' }).click();
  await heard(page, 'Invitation revoked');
  await page.getByText('No open invitation').waitFor();
});

visit('a new user joins, and sets a password', { signedOut: true, ...invited({ role: 'viewer' }) }, async ({ page, server, go }) => {
  await go('/#/join/plm_invite_good');
  await page.getByText('ada invites you to the team press office as viewer.').waitFor();
  assert.ok(!page.url().includes('plm_invite'), 'the secret must leave the address');
  await page.getByLabel('Your name').fill('nora');
  await page.getByLabel('Email address').fill('nora@example.com');
  await page.getByRole('button', { name: 'Join the team' }).click();
  await page.getByLabel('New password').waitFor();
  assert.deepEqual(server.calls.findLast(({ name }) => name === 'POST /v1/sessions').body, {
    invitation: { secret: 'plm_invite_good', name: 'nora', email: 'nora@example.com' },
  });
});

visit('who is signed in joins with one click', invited({ email: 'ada@example.com' }), async ({ page, server, go }) => {
  await go('/#/join/plm_invite_good');
  await page.getByRole('button', { name: 'Join as ada' }).click();
  await page.getByRole('heading', { name: 'What fits on your GPU?' }).waitFor();
  assert.deepEqual(server.calls.find(({ name }) => name === 'POST /v1/users/me/teams').body, { invitation_token: 'plm_invite_good' });
  assert.deepEqual(server.calls.find(({ name }) => name === 'PUT /v1/sessions/current/team').body, { team_id: 'team_7' });
});

visit('a used invitation says so', { signedOut: true }, async ({ page, go }) => {
  await go('/#/join/plm_invite_spent');
  await page.getByText('This invitation has been used or revoked, or has expired.').waitFor();
});
