import type { components } from '../api/schema';
import { api, dataOf } from './client';
import type { Job } from './jobs';
import { everything } from './pages';

export type ReportLink = components['schemas']['ReportLink'];
export type ReportLinkSpec = components['schemas']['ReportLinkSpec'];
export type LinkedReport = components['schemas']['LinkedReport'];

/** Those that still open a report, newest first; of one job, or of the team. */
export const listReportLinks = (job?: string, signal?: AbortSignal): Promise<ReportLink[]> =>
  everything((query) => api.GET('/v1/report-links', { params: { query: { ...query, job_id: job } }, signal }));

/** Returns the address of the page that shows the report; only this once. */
export async function createReportLink(job: string, link: ReportLinkSpec): Promise<string> {
  const { data } = await api.POST('/v1/jobs/{job_id}/report-links', { params: { path: { job_id: job } }, body: link });
  return new URL(data!.path, location.origin).href;
}

export const revokeReportLink = async (id: string) => void (await api.DELETE('/v1/report-links/{report_link_id}', { params: { path: { report_link_id: id } } }));

export const readLinkedReport = (secret: string, signal?: AbortSignal): Promise<LinkedReport> =>
  dataOf(api.GET('/v1/linked-report', { params: { header: { 'X-Report-Link': secret } }, signal }));

/** The job of a linked report as reports take it: members that only the team may see are empty. */
export function jobOf({ job, report, shared_by }: LinkedReport): Job {
  const { total, ok, failed } = report.items;
  const none = '';
  return {
    ...job,
    state: 'succeeded',
    labels: {},
    priority: 0,
    device_class: null,
    unique_key: null,
    run_at: null,
    deadline: null,
    timeout_seconds: null,
    schedule: null,
    started_at: null,
    submitter: { id: none, name: shared_by },
    progress: { items_total: total, items_done: ok + failed, items_failed: failed, fraction: 1, eta_seconds: null },
    tasks_failed: 0,
    retries: 0,
    last_error: null,
    error: null,
    links: { self: none, events: none, tasks: none, attempts: none, logs: none, report: none, results: '/v1/linked-report/results', cancellation: none, redrive: none, wait_reason: none },
  };
}
