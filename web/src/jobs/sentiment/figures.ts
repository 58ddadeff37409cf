import type { components } from '../../api/schema';
import { count, percent, signed } from '../../design/text/format';
import type { Figure } from '../kind';

const score = (value: number | null): string => (value === null ? '–' : signed(value, 3));

export function figures({ summary, items }: components['schemas']['SentimentReport']): Figure[] {
  const { labels, compound } = summary;
  const share = (name: string, value: number): Figure => ({ name, value, text: `${count(value)}, ${percent(value, items.ok)}` });
  return [
    { name: 'Mean score', value: compound.mean, text: score(compound.mean) },
    share('Positive', labels.positive),
    share('Neutral', labels.neutral),
    share('Negative', labels.negative),
    { name: 'Standard deviation', value: compound.standard_deviation, text: compound.standard_deviation?.toFixed(3) ?? '–' },
    { name: 'Texts scored', value: items.ok, text: count(items.ok), better: 'more' },
    { name: 'Texts that failed', value: items.failed, text: count(items.failed), better: 'less' },
    ...summary.accuracies.map(({ model, accuracy: { right, texts } }): Figure => ({ name: 'Measured accuracy', value: right / texts, text: `${((100 * right) / texts).toFixed(1)} % of ${model}`, better: 'more' })),
    { name: 'Model', value: null, text: [summary.model ?? 'several', summary.form].filter(Boolean).join(', ') },
  ];
}
