import type { components } from '../api/schema';
import { api, dataOf } from './client';
import type { PageAnswer } from './pages';

export type AuditEvent = components['schemas']['AuditEvent'];

export interface AuditFilter {
  /** A noun, or noun.verb. */
  action?: string;
  /** The ID of a user or service account. */
  user_id?: string;
  /** The ID of an object, or its name if it has none. */
  target?: string;
  from?: string;
  to?: string;
  all_teams?: true;
}

/** Without what is empty. */
const asQuery = (filter: AuditFilter): AuditFilter => Object.fromEntries(Object.entries(filter).filter(([, value]) => value));

/** Newest first. */
export const listAudit = (filter: AuditFilter, cursor: string | undefined, signal?: AbortSignal): Promise<PageAnswer<AuditEvent>> =>
  dataOf(api.GET('/v1/audit-events', { params: { query: { ...asQuery(filter), ...(cursor ? { cursor } : {}), limit: 50 } }, signal }));

export const auditTable = (filter: AuditFilter): string =>
  `/v1/audit-events.csv?${new URLSearchParams(Object.entries(asQuery(filter)).map(([name, value]) => [name, String(value)]))}`;
