import type { components } from '../../api/schema';
import { api, dataOf } from '../../services/client';
import { bytes, count, decimal } from '../../design/text/format';

export type Models = components['schemas']['SentimentModels'];
export type Model = components['schemas']['SentimentModel'];
export type Form = NonNullable<components['schemas']['SentimentArgs']['form']>;
export type Goal = NonNullable<components['schemas']['SentimentArgs']['goal']>;

export const vader = 'vader';

export const goals: readonly { goal: Goal; name: string; means: string; form: Form; about: string }[] = [
  { goal: 'no_gpu', name: 'No GPU', means: vader, form: 'fp32', about: 'VADER, which runs on CPUs.' },
  { goal: 'speed', name: 'Speed', means: 'distilbert', form: 'auto', about: 'DistilBERT, in its fastest form that passed its guard.' },
  { goal: 'balanced', name: 'Balanced', means: 'roberta', form: 'auto', about: 'RoBERTa, in its fastest form that passed its guard.' },
  { goal: 'accuracy', name: 'Accuracy', means: 'finbert', form: 'fp32', about: 'FinBERT, in fp32.' },
];

/** Forms that all of the models may score in. */
export const provenForms = (models: readonly Model[]): ('bf16' | 'int8')[] =>
  (['bf16', 'int8'] as const).filter((form) => models.every(({ proofs }) => proofs.some((proof) => proof.passed && proof.form === form)));

export const listModels = (signal?: AbortSignal): Promise<Models> => dataOf(api.GET('/v1/models', { signal }));

/** Milliseconds per text of the fastest form that the team used; null if it used none. */
export const speedOf = ({ speeds }: Model): number | null =>
  speeds.length === 0 ? null : 1000 * Math.min(...speeds.map(({ seconds_per_text }) => seconds_per_text));

export const speedText = (milliseconds: number): string => (milliseconds < 1 ? `${decimal(milliseconds, 3)} ms` : `${decimal(milliseconds, milliseconds < 10 ? 1 : 0)} ms`);

/** "finbert (default): 438 MB, 21 ms per text, int8 passed": a model in the list to choose from. */
export function choiceText(model: Model, isDefault: boolean): string {
  const { name, hash, parameters, bytes: size, proofs, devices } = model;
  const speed = speedOf(model);
  const facts = [
    hash !== null && (size === null ? `${count(parameters)} parameters` : bytes(size)),
    speed !== null && `${speedText(speed)} per text`,
    ...new Set(proofs.map(({ form, passed }) => `${form} ${passed ? 'passed' : 'failed'}`)),
    devices.length === 0 && 'not on any device now',
  ].filter(Boolean);
  return `${name}${isDefault ? ' (default)' : ''}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

/** A model in one line, for people who choose one. */
export function about({ name, family, labels, parameters, longest_text, licence, accuracies, proofs, speeds }: Model): string {
  const taken = speeds.map(({ form, seconds_per_text, texts }) => `${form ? `${form}: ` : ''}${speedText(1000 * seconds_per_text)} per text, over ${count(texts)} texts`).join('; ');
  const speed = taken ? ` On your team’s texts, ${taken}.` : ' Speed not measured here in the last 7 days.';
  if (name === vader) return `A lexicon and rules: the fastest, runs on CPUs, made for short English texts.${speed}`;
  const size = parameters >= 1e6 ? `${count(Math.round(parameters / 1e6))} million parameters` : `${count(parameters)} parameters`;
  const reads = longest_text === null ? '' : ` Reads the first ${count(longest_text)} tokens of a text.`;
  const exact = accuracies.find(({ form }) => form === 'fp32');
  const right = exact ? ` Accuracy ${decimal((100 * exact.right) / exact.texts, 1)} % on ${count(exact.texts)} texts of ${exact.texts_of}.` : ' Accuracy not measured here.';
  const guard = proofs.length === 0 ? ' No form besides fp32 is proven.' : ` Guard: ${[...new Set(proofs.map(({ form, passed }) => `${form} ${passed ? 'passed' : 'failed'}`))].join(', ')}.`;
  return `${family}, ${size}, labels ${labels.join(', ')}.${reads}${right}${speed}${guard}${licence ? ` Licence: ${licence}.` : ''}`;
}
