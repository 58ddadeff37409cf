import type { components } from '../api/schema';
import { api } from './client';
import type { PageAnswer } from './pages';

export type AuditEvent = components['schemas']['AuditEvent'];

export interface AuditFilter {
  /** A noun, or noun.verb; empty: any. */
  action: string;
  allTeams: boolean;
}

const asQuery = ({ action, allTeams }: AuditFilter) => ({ ...(action ? { action } : {}), ...(allTeams ? { all_teams: true } : {}) });

/** Newest first. */
export async function listAudit(filter: AuditFilter, cursor: string | undefined, signal?: AbortSignal): Promise<PageAnswer<AuditEvent>> {
  const { data } = await api.GET('/v1/audit-events', { params: { query: { ...asQuery(filter), ...(cursor ? { cursor } : {}), limit: 50 } }, signal });
  return data!;
}

export const auditTable = (filter: AuditFilter): string =>
  `/v1/audit-events.csv?${new URLSearchParams(Object.entries(asQuery(filter)).map(([name, value]) => [name, String(value)]))}`;
