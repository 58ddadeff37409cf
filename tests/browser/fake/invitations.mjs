// Invitations into the team of the session, and what accepts them.
import { user } from './data.mjs';

export const makeInvitation = (fields = {}) => ({
  secret: 'plm_invite_good',
  id: 'inv_0000000000001',
  role: 'member',
  email: null,
  created_by: { id: user.id, name: user.name },
  created_at: new Date(Date.now() - 3_600_000).toISOString(),
  expires_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  ...fields,
});

const shown = ({ secret: _, ...invitation }) => invitation;
const gone = { title: 'Not found', detail: 'This invitation is invalid, has been used or revoked, or has expired.' };

/** Uses up the invitation with this secret. */
export function takeInvitation(fake, secret) {
  const found = fake.invitations.find((one) => one.secret === secret);
  fake.invitations = fake.invitations.filter((one) => one !== found);
  return found;
}

export const invitationRoutes = [
  [/^GET \/v1\/invitations$/, (fake, { response, json }) => json(response, 200, { items: fake.invitations.map(shown), next_cursor: null })],
  [/^POST \/v1\/invitations$/, (fake, { call, response, json }) => {
    const secret = `plm_invite_new${fake.invitations.length}`;
    const made = makeInvitation({ ...call.body, id: `inv_${fake.invitations.length}new`, secret });
    fake.invitations = [...fake.invitations, made];
    json(response, 201, { invitation: shown(made), secret, path: `/#/join/${secret}` });
  }],
  [/^DELETE \/v1\/invitations\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.invitations = fake.invitations.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^GET \/v1\/invitation-offer$/, (fake, { call, response, json, problem }) => {
    const found = fake.invitations.find(({ secret }) => secret === call.headers['x-invitation']);
    if (!found) return problem(response, 404, gone);
    const { role, email, created_by, expires_at } = found;
    json(response, 200, { team_name: 'press office', role, email, invited_by: created_by.name, expires_at });
  }],
  [/^POST \/v1\/users\/me\/teams$/, (fake, { call, response, json, problem }) => {
    const found = takeInvitation(fake, call.body.invitation_token);
    if (!found) return problem(response, 404, gone);
    const team = { id: 'team_7', name: 'press office', archived: false, created_at: new Date().toISOString() };
    fake.myTeams = [...fake.myTeams, { team, role: found.role }];
    json(response, 200, { team, role: found.role });
  }],
];
