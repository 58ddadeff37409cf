import type { components } from '../api/schema';
import { api } from './client';

export type Usage = components['schemas']['Usage'];
export type UsageItem = components['schemas']['UsageItem'];

/** Times as RFC 3339; `from` is inclusive, `to` exclusive. */
export interface UsageQuery {
  from: string;
  to: string;
  group_by: string;
}

export async function readUsage(query: UsageQuery, signal?: AbortSignal): Promise<Usage> {
  const { data } = await api.GET('/v1/usage', { params: { query }, signal });
  return data!;
}

export const usageTable = (query: UsageQuery): string => `/v1/usage.csv?${new URLSearchParams({ ...query })}`;
