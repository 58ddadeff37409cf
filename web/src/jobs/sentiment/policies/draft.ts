import type { MarketStatus, Policy, PolicyDefinition, PolicyRule } from './policies';

/** A rule as in the form's fields. */
export interface DraftRule {
  markets: MarketStatus[];
  sources: string;
  model: string;
}

/** A policy as the editor holds it. */
export interface Draft {
  id: string;
  description: string;
  model: string;
  rules: DraftRule[];
  fallback: string;
  form: NonNullable<PolicyDefinition['form']>;
  calendar: 'nyse' | 'always_open';
  status: MarketStatus | '';
  hold: string;
}

const usualChain = 'finbert, distilbert, vader';
const namesOf = (text: string) => text.split(',').map((name) => name.trim()).filter(Boolean);

export const emptyRule = (): DraftRule => ({ markets: ['pre_market', 'regular', 'after_hours'], sources: '', model: 'finbert' });

/** "open" and "extended" as the states that they stand for. */
const statesOf = (markets: readonly MarketStatus[]): MarketStatus[] =>
  [...new Set(markets.flatMap((status): MarketStatus[] => (status === 'open' ? ['regular'] : status === 'extended' ? ['pre_market', 'after_hours'] : [status])))];

export function draftOf(policy: Policy | undefined): Draft {
  const definition = policy?.definition;
  const status = definition?.market_status;
  return {
    id: policy?.id ?? '',
    description: definition?.description ?? '',
    model: definition?.model ?? 'vader',
    rules: definition ? (definition.rules ?? []).map(({ markets, sources, model }) => ({ markets: statesOf(markets ?? []), sources: (sources ?? []).join(', '), model })) : [emptyRule()],
    fallback: definition?.fallback?.join(', ') ?? usualChain,
    form: definition?.form ?? 'fp32',
    calendar: definition?.calendar ?? 'nyse',
    status: status === undefined ? '' : statesOf([status]).at(-1)!,
    hold: definition?.hold_minutes === undefined ? '' : String(definition.hold_minutes),
  };
}

/** The definition to send; members that the editor does not show are unchanged. */
export function definitionOf(draft: Draft, before: PolicyDefinition | undefined): PolicyDefinition {
  const rules = draft.rules.map(({ markets, sources, model }): PolicyRule => ({
    ...(markets.length > 0 && { markets }),
    ...(namesOf(sources).length > 0 && { sources: namesOf(sources) }),
    model: model.trim(),
  }));
  const kept = before?.custom_calendar ? { custom_calendar: before.custom_calendar } : { calendar: draft.calendar };
  const hold = draft.hold.trim();
  return {
    model: draft.model.trim(),
    rules,
    fallback: namesOf(draft.fallback),
    ...(draft.form !== 'fp32' && { form: draft.form }),
    ...kept,
    ...(before?.overrides && { overrides: before.overrides }),
    ...(draft.description.trim() && { description: draft.description.trim() }),
    ...(draft.status && { market_status: draft.status }),
    ...(hold && { hold_minutes: Number(hold) }),
  };
}
