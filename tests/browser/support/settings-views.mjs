// The settings: of the user, of the team, and of the installation.
import { makeInvitation } from '../fake/links.mjs';
import { customCard } from '../fake/training.mjs';
import { fails, hangs, heading, loading, opened, profileCompared, text } from './arrangements.mjs';

/** Chooses a webhook and waits for what its deliveries say. */
const deliveries = (words) => async (page) => {
  await page.getByRole('button', { name: 'Deliveries to chat' }).click();
  await page.getByText(words).waitFor();
};
const ownCard = (server) => (server.cards = [customCard('lab_card', { name: 'Lab card' })]);
const invited = (server) => (server.invitations = [makeInvitation({ email: 'grace@example.com' })]);
const linked = (server) => (server.passwordLinks = new Set(['plm_password_good']));
const field = (label) => (page) => page.getByLabel(label).waitFor();

export const settingsViews = [
  { name: 'preferences', address: '/#/settings', ready: text('This browser') },
  { name: 'tokens-full', address: '/#/settings/tokens', ready: text('nightly script') },
  { name: 'tokens-loading', address: '/#/settings/tokens', arrange: hangs('GET /v1/tokens'), ready: loading },
  { name: 'tokens-failed', address: '/#/settings/tokens', arrange: fails('GET /v1/tokens'), ready: text('Service unavailable') },
  { name: 'tokens-new', address: '/#/settings/tokens', ready: opened('New token') },
  { name: 'tokens-empty', address: '/#/settings/tokens', arrange: (server) => (server.tokens = []), ready: text('No tokens yet') },
  { name: 'service-accounts-full', address: '/#/settings/service-accounts', ready: text('nightly build') },
  { name: 'service-accounts-empty', address: '/#/settings/service-accounts', arrange: (server) => (server.accounts = []), ready: text('No service accounts yet') },
  { name: 'service-accounts-loading', address: '/#/settings/service-accounts', arrange: hangs('GET /v1/service-accounts'), ready: loading },
  { name: 'service-accounts-failed', address: '/#/settings/service-accounts', arrange: fails('GET /v1/service-accounts'), ready: text('Service unavailable') },
  { name: 'service-accounts-new', address: '/#/settings/service-accounts', ready: opened('New account') },
  { name: 'webhooks-full', address: '/#/settings/webhooks', ready: deliveries('The receiver responded with 500.') },
  { name: 'webhooks-no-deliveries', address: '/#/settings/webhooks', arrange: (server) => (server.deliveries = []), ready: deliveries('Nothing sent yet') },
  { name: 'webhooks-deliveries-failed', address: '/#/settings/webhooks', arrange: fails('GET /v1/webhooks/hook_2/deliveries'), ready: deliveries('Service unavailable') },
  { name: 'webhooks-loading', address: '/#/settings/webhooks', arrange: hangs('GET /v1/webhooks'), ready: loading },
  { name: 'webhooks-failed', address: '/#/settings/webhooks', arrange: fails('GET /v1/webhooks'), ready: text('Service unavailable') },
  { name: 'webhooks-new', address: '/#/settings/webhooks', ready: opened('New webhook') },
  { name: 'webhooks-empty', address: '/#/settings/webhooks', arrange: (server) => (server.webhooks = []), ready: text('No webhooks yet') },
  { name: 'gpu-profiles', address: '/#/settings/gpu-profiles', arrange: ownCard, ready: text('Lab card') },
  { name: 'gpu-profiles-loading', address: '/#/settings/gpu-profiles', arrange: hangs('GET /v1/gpu-profiles'), ready: loading },
  { name: 'gpu-profiles-failed', address: '/#/settings/gpu-profiles', arrange: fails('GET /v1/gpu-profiles'), ready: text('Service unavailable') },
  {
    name: 'gpu-profiles-new',
    address: '/#/settings/gpu-profiles',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add a GPU profile' }).click();
      await page.getByRole('dialog', { name: 'Add a GPU profile' }).getByRole('button', { name: 'Save' }).click();
      await page.getByText('This is required.').first().waitFor();
    },
  },
  { name: 'password', address: '/#/settings/password', ready: field('New password') },
  { name: 'password-present', address: '/#/settings/password', arrange: (server) => (server.password = 'a boat that floats'), ready: field('Current password') },
  { name: 'password-failed', address: '/#/settings/password', arrange: fails('GET /v1/users/me/password'), ready: text('Service unavailable') },
  { name: 'set-password', address: '/#/set-password/plm_password_good', signedOut: true, arrange: linked, ready: field('New password') },
  { name: 'set-password-no-link', address: '/#/set-password', signedOut: true, ready: text('This page needs the link') },
  { name: 'sessions', address: '/#/settings/sessions', ready: text('Your sessions') },
  { name: 'sessions-failed', address: '/#/settings/sessions', arrange: fails('GET /v1/sessions'), ready: text('Service unavailable') },
  { name: 'audit', address: '/#/settings/audit?all=teams', ready: (page) => page.getByRole('columnheader', { name: 'Team' }).waitFor() },
  { name: 'audit-empty', address: '/#/settings/audit?action=dataset', ready: text('No event matches') },
  { name: 'audit-loading', address: '/#/settings/audit', arrange: hangs('GET /v1/audit-events'), ready: loading },
  { name: 'audit-failed', address: '/#/settings/audit', arrange: fails('GET /v1/audit-events'), ready: text('Service unavailable') },
  { name: 'team-loading', address: '/#/settings/team', arrange: hangs('GET /v1/teams/team_1/members'), ready: loading },
  { name: 'team-failed', address: '/#/settings/team', arrange: fails('GET /v1/teams/team_1/members'), ready: text('Service unavailable') },
  { name: 'team-add', address: '/#/settings/team', ready: opened('Add a member') },
  { name: 'team-invitations', address: '/#/settings/team', arrange: invited, ready: text('grace@example.com') },
  { name: 'team-invitations-failed', address: '/#/settings/team', arrange: fails('GET /v1/invitations'), ready: text('Service unavailable') },
  { name: 'team-invite', address: '/#/settings/team', ready: opened('Invite') },
  { name: 'join', address: '/#/join/plm_invite_good', signedOut: true, arrange: invited, ready: field('Your name') },
  { name: 'join-signed-in', address: '/#/join/plm_invite_good', arrange: invited, ready: text('Join as ada') },
  { name: 'join-spent', address: '/#/join/plm_invite_spent', signedOut: true, ready: text('This invitation has been used') },
  { name: 'people', address: '/#/settings/people', ready: text('grace') },
  { name: 'people-new', address: '/#/settings/people', ready: opened('New user') },
  { name: 'people-loading', address: '/#/settings/people', arrange: hangs('GET /v1/users'), ready: loading },
  { name: 'people-failed', address: '/#/settings/people', arrange: fails('GET /v1/users'), ready: text('Service unavailable') },
  { name: 'teams', address: '/#/settings/teams', ready: async (page) => (await page.getByRole('button', { name: 'Members of research' }).click(), await text('grace')(page)) },
  { name: 'teams-failed', address: '/#/settings/teams', arrange: fails('GET /v1/teams'), ready: text('Service unavailable') },
  { name: 'baselines', address: '/#/settings/baselines', arrange: profileCompared, ready: (page) => page.getByRole('columnheader', { name: 'For reports of' }).waitFor() },
  { name: 'baselines-empty', address: '/#/settings/baselines', ready: text('No baselines yet') },
  { name: 'baselines-failed', address: '/#/settings/baselines', arrange: fails('GET /v1/baselines'), ready: text('Service unavailable') },
  { name: 'team', address: '/#/settings/team', ready: text('grace') },
];
