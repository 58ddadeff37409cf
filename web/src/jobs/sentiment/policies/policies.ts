import type { components } from '../../../api/schema';
import { api, dataOf, ifAbsent, ifMatch } from '../../../services/client';
import { everything } from '../../../services/pages';

export type Policy = components['schemas']['SentimentPolicy'];
export type PolicyDefinition = components['schemas']['SentimentPolicyUpdate'];
export type PolicyRule = components['schemas']['SentimentPolicyRule'];
export type Preview = components['schemas']['SentimentPolicyPreview'];
export type Span = components['schemas']['SentimentPolicySpan'];
export type Savings = components['schemas']['SentimentPolicyReport'];
export type MarketStatus = components['schemas']['SentimentMarketStatus'];

export const listPolicies = (signal?: AbortSignal): Promise<Policy[]> => everything((query) => api.GET('/v1/policies', { params: { query }, signal }));

/** `before`: the policy that is changed; none for a new one, which replaces no other. */
export const setPolicy = async (policy_id: string, body: PolicyDefinition, before: Policy | undefined) =>
  void (await api.PUT('/v1/policies/{policy_id}', { params: { path: { policy_id }, header: before ? ifMatch(before.version) : ifAbsent }, body }));

export const removePolicy = async (policy_id: string) => void (await api.DELETE('/v1/policies/{policy_id}', { params: { path: { policy_id } } }));

/** The choices of a policy, stored or draft, now and in the coming week. */
export const previewPolicy = (policy: { policy_id: string } | { definition: PolicyDefinition }, source: string, signal?: AbortSignal): Promise<Preview> =>
  dataOf(api.POST('/v1/policy-previews', { body: { ...policy, ...(source && { source }), days: 7 }, signal }));

/** Of the last 24 hours; `against` is the fixed model, empty: the server's. */
export const readSavings = (against: string, signal?: AbortSignal): Promise<Savings> => dataOf(api.GET('/v1/policy-report', { params: { query: against ? { against } : {} }, signal }));

/** Every model that a policy may choose. */
export const modelsOf = ({ definition }: Policy): string[] => [
  definition.model,
  ...(definition.rules ?? []).map(({ model }) => model),
  ...(definition.fallback ?? ['finbert', 'distilbert', 'vader']),
];

const statusNames: Record<string, string> = {
  open: 'open',
  extended: 'extended hours',
  pre_market: 'pre-market',
  regular: 'open',
  after_hours: 'after hours',
  closed: 'closed',
};

/** "after hours": a market's state, for people. */
export const statusText = (status: string): string => statusNames[status] ?? status;

export const markets: readonly MarketStatus[] = ['pre_market', 'regular', 'after_hours', 'closed'];

/** "the market is open, source reuters": when a rule matches. */
export function conditionOf({ markets, sources }: PolicyRule): string {
  return [markets && `the market is ${markets.map(statusText).join(' or ')}`, sources && `source ${sources.join(' or ')}`].filter(Boolean).join(', ');
}
