// Links that open one report each.
import { user } from './data.mjs';

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

const shown = ({ secret: _, ...link }) => link;

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
