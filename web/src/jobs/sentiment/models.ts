import type { components } from '../../api/schema';
import { api } from '../../services/client';
import { count, decimal } from '../../design/text/format';

export type Models = components['schemas']['SentimentModels'];
export type Model = components['schemas']['SentimentModel'];
export type Form = NonNullable<components['schemas']['SentimentArgs']['form']>;

export const vader = 'vader';

/** Forms that all of the models may score in. */
export const provenForms = (models: readonly Model[]): ('bf16' | 'int8')[] =>
  (['bf16', 'int8'] as const).filter((form) => models.every(({ proofs }) => proofs.some((proof) => proof.passed && proof.form === form)));

export async function listModels(signal?: AbortSignal): Promise<Models> {
  const { data } = await api.GET('/v1/models', { signal });
  return data!;
}

/** A model in one line, for people who choose one. */
export function about({ name, family, labels, parameters, longest_text, licence, accuracies }: Model): string {
  if (name === vader) return 'A lexicon and rules: the fastest, runs on CPUs, made for short English texts.';
  const size = parameters >= 1e6 ? `${count(Math.round(parameters / 1e6))} million parameters` : `${count(parameters)} parameters`;
  const reads = longest_text === null ? '' : ` Reads the first ${count(longest_text)} tokens of a text.`;
  const exact = accuracies.find(({ form }) => form === 'fp32');
  const right = exact ? ` Accuracy ${decimal((100 * exact.right) / exact.texts, 1)} % on ${count(exact.texts)} texts of ${exact.texts_of}.` : ' Accuracy not measured here.';
  return `${family}, ${size}, labels ${labels.join(', ')}.${reads}${right}${licence ? ` Licence: ${licence}.` : ''}`;
}
