// Links that let somebody in: invitations into the team of the session, and those that open one report each.
import { team as home, user } from './data.mjs';

const shown = ({ secret: _, ...link }) => link;

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
    const team = { ...home, id: 'team_7', name: 'press office' };
    fake.myTeams = [...fake.myTeams, { team, role: found.role }];
    json(response, 200, { team, role: found.role });
  }],
];

/** Of a job, as the list has it, with the secret that only its maker was told. */
export const makeLink = (job, fields = {}) => ({
  secret: 'plm_report_good',
  id: 'link_0000000000001',
  job_id: job.id,
  job_kind: job.kind,
  job_name: job.name,
  created_by: { id: user.id, name: user.name },
  note: null,
  created_at: new Date(Date.now() - 3_600_000).toISOString(),
  expires_at: new Date(Date.now() + 6 * 86_400_000).toISOString(),
  opened_at: null,
  opens: 0,
  ...fields,
});

/** `reportOf(fake, job)` and `lines(fake, context, job)`: as for whoever has an account. */
export const linkRoutes = (reportOf, lines) => {
  const linked = (answer) => (fake, context) => {
    const link = fake.reportLinks.find(({ secret }) => secret === context.call.headers['x-report-link']);
    if (!link) return context.problem(context.response, 404, { title: 'Not found', detail: 'This link is invalid, has expired or was revoked.' });
    return answer(fake, context, fake.job(link.job_id), link);
  };
  return [
    [/^GET \/v1\/report-links$/, (fake, { call, response, json }) => {
      const job = call.query.get('job_id');
      json(response, 200, { items: fake.reportLinks.filter((link) => !job || link.job_id === job).map(shown), next_cursor: null });
    }],
    [/^POST \/v1\/jobs\/([^/]+)\/report-links$/, (fake, { call, response, parameters, json }) => {
      const secret = `plm_report_new${fake.reportLinks.length}`;
      const link = makeLink(fake.job(parameters[0]), { ...call.body, id: `link_${fake.reportLinks.length}new`, secret });
      fake.reportLinks = [link, ...fake.reportLinks];
      json(response, 201, { report_link: shown(link), secret, path: `/#/shared/${secret}` });
    }],
    [/^DELETE \/v1\/report-links\/([^/]+)$/, (fake, { response, parameters, json }) => {
      fake.reportLinks = fake.reportLinks.filter(({ id }) => id !== parameters[0]);
      json(response, 204);
    }],
    [/^GET \/v1\/linked-report$/, linked((fake, { response, json }, job, { note, expires_at, created_by }) => {
      const { id, kind, name, args, created_at, finished_at } = job;
      json(response, 200, { shared_by: created_by.name, note, expires_at, job: { id, kind, name, args, created_at, finished_at }, report: reportOf(fake, job) });
    })],
    [/^GET \/v1\/linked-report\/results\.jsonl$/, linked(lines)],
  ];
};
