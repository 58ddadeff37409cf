import type { components } from '../api/schema';
import { api, dataOf } from './client';

export type Usage = components['schemas']['Usage'];
export type UsageItem = components['schemas']['UsageItem'];

/** Times as RFC 3339; `from` is inclusive, `to` exclusive. */
export interface UsageQuery {
  from: string;
  to: string;
  group_by: string;
}

export const readUsage = (query: UsageQuery, signal?: AbortSignal): Promise<Usage> => dataOf(api.GET('/v1/usage', { params: { query }, signal }));

export const usageTable = (query: UsageQuery): string => `/v1/usage.csv?${new URLSearchParams({ ...query })}`;
