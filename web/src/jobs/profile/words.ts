import type { components } from '../../api/schema';
import { count } from '../../design/text/format';

type Schemas = components['schemas'];
export type Summary = Schemas['ProfileSummary'];
export type Curve = Schemas['ProfileCurve'];
export type Rate = Schemas['ProfileRate'];
export type LanguageModel = Schemas['ProfileLlm'];
export type Prompt = Schemas['ProfilePrompt'];
export type Args = Schemas['ProfileArgs'];

const three = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** Three digits are as precise as a measurement. */
export const figure = (value: number): string => (value >= 1000 ? count(value) : three.format(value));

const thousands = ['', 'k', 'M', 'G', 'T'];

/** For the edge of a chart: "4M". Some locales write these in lower case, which means a thousandth. */
export function short(value: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), thousands.length - 1);
  return three.format(value / 1000 ** power) + thousands[power];
}

export function milliseconds(value: number): string {
  if (value >= 1000) return `${three.format(value / 1000)}\u00a0s`;
  return value >= 1 ? `${three.format(value)}\u00a0ms` : `${three.format(value * 1000)}\u00a0µs`;
}

/** "short texts, about 10 words". */
export const titleOf = (curve: Curve): string =>
  curve.words === undefined ? curve.name : `${curve.name} ${curve.items}, about ${count(curve.words)} words`;

const deviceParts: Record<string, string> = {
  peak: 'peak rates',
  products: 'matrix products',
  batches: 'batches',
  rows: 'row operations',
  attention: 'attention',
  launches: 'launching',
  overlap: 'copying',
};

/** "Device, peak rates" for "engine/peak". */
export function partText(part: string): string {
  const [area, name = ''] = part.split('/');
  if (area === 'engine') return `Device, ${deviceParts[name] ?? name}`;
  if (area === 'sentiment') return `Sentiment model, ${name} texts`;
  if (area === 'pair') return 'Sentiment model and language model at once';
  return area === 'llm' ? `Language model, ${name} tokens` : part;
}

/** All curves of a report, under names that are the same in every report. */
export const curvesOf = (summary: Summary): { key: string; curve: Curve }[] => [
  ...(summary.engine?.batches ? [{ key: 'engine', curve: summary.engine.batches }] : []),
  ...summary.results.flatMap((model) =>
    model.lengths.map((curve) => ({ key: `${model.model_name} ${curve.name}`, curve })),
  ),
];

export const ratesOf = (engine: Summary['engine']): { area: string; rate: Rate }[] =>
  engine
    ? [
        ...engine.peak.map((rate) => ({ area: 'Peak', rate })),
        ...engine.products.map((rate) => ({ area: 'Product', rate })),
        ...engine.rows.map((rate) => ({ area: 'Rows', rate })),
        ...engine.attention.map((rate) => ({ area: 'Attention', rate })),
      ]
    : [];
