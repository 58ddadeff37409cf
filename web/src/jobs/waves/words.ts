import type { components } from '../../api/schema';
import type { Tone } from '../../design/feedback/Badge.svelte';
import { decimal } from '../../design/text/format';

type Schemas = components['schemas'];
export type Args = Schemas['WavesArgs'];
export type Summary = Schemas['WavesSummary'];
export type Ranked = Schemas['WavesRanked'];
export type Row = Schemas['WavesResult'];
export type SymbolReport = NonNullable<Schemas['WavesSymbol']>;
export type Count = Schemas['WavesCount'];

/** "flat_regular" and "up" as the engine says them: "regular flat up". */
export function patternWords(rule: string, direction: string): string {
  const flat = /^flat_(.+)$/.exec(rule)?.[1];
  const name = flat ? `${flat} flat` : rule === 'corrective' ? 'correction' : rule.replaceAll('_', ' ');
  return `${name} ${direction}`;
}

/** The significance in a word, as in the engine. */
export const verdictTones: Record<string, Tone> = {
  'chance level': 'waiting',
  weak: 'waiting',
  unusual: 'caution',
  'very unusual': 'good',
};

export const notCompared = 'not compared';

export const score = (value: number): string => value.toFixed(3);

/** How rare a count is, as people write it; a dash where counts are ranked by their scores. */
export const rarityText = (value: number | null | undefined): string => (typeof value === 'number' ? (Math.round(value * 10) / 10 + 0).toFixed(1).replace('-', '−') : '–'); // never -0

/** What a count's rarity means; `rare` are the engine's words for it. */
export const rarityWords = (value: number | null | undefined, rare: string | null | undefined): string =>
  typeof value === 'number' && rare ?
    `Rarity ${rarityText(value)}: ${rare}, of the same pattern and direction with at least this score, in the same number of bars.`
  : 'Counts are ranked by score: rarity is available only in standard mode with default weights.';

/** A p-value as people write it: never 0. */
export const pText = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(p < 0.1 ? 3 : 2));

/** A date, or a time of day to the minute, as people write it; its zone stands once beside all of them. */
export const when = (date: string): string =>
  date.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::00|(:\d{2}))(?:Z|[+-]\d{2}:\d{2})$/, '$1 $2$3');

/** Prices to five or six digits, which is what charts and tables need. */
export const price = (value: number): string =>
  decimal(value, Math.max(0, 5 - Math.max(1, Math.ceil(Math.log10(Math.abs(value) || 1)))));

export const partNames: Record<string, [string, string]> = {
  fibonacci: ['Fibonacci', 'ratios of wave lengths, compared with Fibonacci ratios'],
  time: ['Time', 'ratios of wave durations, compared with Fibonacci ratios'],
  alternation: ['Alternation', 'how much waves 2 and 4 differ'],
  channel: ['Channel', 'distance of the end from the parallel line'],
  margins: ['Margins', 'margin of the weakest rule'],
  rules: ['Rules', '1 if every rule holds'],
  complexity: ['Complexity', 'the old pipeline’s measure: 0.95 for a plain count'],
};

const methods: Record<string, string> = {
  shuffle: 'the same bars in random order',
  block_bootstrap: 'blocks of its bars in random order',
  random_walk: 'a random walk fitted to it',
};
export const methodWords = (method: string): string => methods[method] ?? method;

/** Whether all waves of its pattern are finished. */
export const isWhole = ({ rule_name, waves_done }: Count): boolean => waves_done === (['impulse', 'leading_diagonal'].includes(rule_name) ? 5 : 3);

/** The meaning of a count's comparison with chance, for readers who do not know p-values. */
export function plainWords(count: Count): string {
  const chance = count.chance;
  if (!chance) return 'This count was not compared with chance series: request some to assess its score.';
  const often = `${chance.k} of ${chance.surrogates} chance series have a count that ${typeof count.rarity === 'number' ? 'is at least as rare' : 'scores at least as high'}.`;
  if (chance.verdict === 'chance level') return `Chance produces such counts: ${often} This count is not significant.`;
  if (chance.verdict === 'weak') return `Chance often comes close: ${often} This count is not reliable.`;
  return `Chance rarely does as well: ${often} The series differs from the chance series in a way that this count shows; it does not follow that the count will come true.`;
}
