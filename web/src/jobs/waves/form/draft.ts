import { looksLikeJsonl, readRecords, UnreadableFile } from '../../../services/files/records';
import { Remembered } from '../../shared/remembered';
import type { Args } from '../words';

/** What the form holds: texts as they were typed. */
export const freshDraft = () => ({
  source: 'paste' as 'paste' | 'file' | 'dataset',
  pasted: '',
  file: undefined as { name: string; text: string } | undefined,
  dataset: '',
  preset: 'whole' as NonNullable<Args['preset']>,
  mode: 'standard' as NonNullable<Args['mode']>,
  patterns: 'all',
  symbols: '',
  topN: '10',
  surrogates: '100',
  method: 'shuffle' as NonNullable<Args['surrogate_method']>,
  seed: '1',
  days: '',
  zone: '',
  other: '',
});
export type Draft = ReturnType<typeof freshDraft>;

export const presets = [
  ['whole', 'Whole series, from every bar'],
  ['default', 'Windows of 12 weeks, 5 starts (default)'],
  ['high-perf', 'Windows of 12 weeks, 8 starts (high-perf)'],
  ['speed', 'Windows of 12 weeks, 1 start (speed)'],
] as const;
export const modes = [['standard', 'Standard'], ['compatible', 'Compatible with the old pipeline']] as const;
export const patterns = [['all', 'All patterns'], ['impulses', 'Five waves: impulses, diagonals'], ['correctives', 'Three waves: zigzags, flats']] as const;
export const methods = [['shuffle', 'Shuffled bars'], ['block_bootstrap', 'Shuffled blocks of bars'], ['random_walk', 'Fitted random walk']] as const;

const namesOf = <Name extends string>(choices: readonly (readonly [Name, string])[]) => choices.map(([name]) => name);
const { preset, mode, patterns: pattern, topN, surrogates, method, zone } = freshDraft();
/** How to count; what to count is chosen each time. */
export const remembered = new Remembered(
  'waves',
  { preset, mode, patterns: pattern, topN, surrogates, method, zone },
  { preset: namesOf(presets), mode: namesOf(modes), patterns: namesOf(patterns), method: namesOf(methods) },
);

/** The server takes no more in one request; a dataset may be longer. */
export const mostBytes = 8 * 1024 * 1024 - 64 * 1024;

export const pricesOf = (draft: Draft): string => (draft.source === 'file' ? (draft.file?.text ?? '') : draft.pasted);

const stem = (name: string) => name.replace(/\.[^.]*$/, '').slice(0, 60);
const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Several files of prices as one CSV; rows without a symbol get it from the file's name. Throws UnreadableFile. */
export function joined(files: readonly { name: string; text: string }[]): { name: string; text: string } {
  const tables = files.map(({ name, text }) => {
    try {
      const { columns, rows } = readRecords(text, true);
      const names = columns.map((column) => column.toLowerCase());
      // As yfinance writes it: the columns, the symbol, and the name of the index.
      if (rows[0]?.[0] === 'Ticker') {
        rows.splice(0, rows[1]?.[0] === 'Date' ? 2 : 1);
        names[0] = 'date';
      }
      return { symbol: stem(name), names, rows };
    } catch (caught) {
      throw caught instanceof UnreadableFile ? new UnreadableFile(`${name}: ${caught.message}`) : caught;
    }
  });
  const columns = ['symbol', ...new Set(tables.flatMap(({ names }) => names).filter((name) => name !== 'symbol'))];
  const lines = tables.flatMap(({ symbol, names, rows }) => rows.map((row) => columns.map((column) => field(row[names.indexOf(column)] || (column === 'symbol' ? symbol : ''))).join(',')));
  return { name: `${files.length} files`, text: [columns.join(','), ...lines].join('\n') };
}

/** What is missing or too long, before anything is sent. */
export function whyNot(draft: Draft): string | undefined {
  if (draft.source === 'dataset') return draft.dataset.trim() === '' ? 'Choose a dataset first.' : undefined;
  const prices = pricesOf(draft);
  if (prices.trim() === '') return draft.source === 'file' ? 'Choose a file first.' : 'Paste prices, or fill in the sample.';
  if (new TextEncoder().encode(prices).length > mostBytes) return 'These prices exceed 8 MB: drop them here as a file to upload them as a dataset.';
  return undefined;
}

/** Settings as `key: value` lines, which is how the pipeline's configuration files are written. */
export function parseSettings(text: string): { settings: Record<string, unknown>; problem?: string } {
  const settings: Record<string, unknown> = {};
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (line === '') continue;
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(colon, 0)).trim();
    if (!/^\w+$/.test(key)) return { settings: {}, problem: `Line ${index + 1} must have the form “key: value”.` };
    const value = line.slice(colon + 1).trim();
    try {
      settings[key] = JSON.parse(value);
    } catch {
      settings[key] = value;
    }
  }
  return { settings };
}

/** Numbers are sent as numbers; other text is sent unchanged, so that the server reports what is wrong. */
const numberOr = (text: string): number | undefined => (text.trim() === '' ? undefined : ((Number.isNaN(Number(text)) ? text : Number(text)) as number));

export function toArgs(draft: Draft): Args {
  const prices = pricesOf(draft);
  const name = draft.source === 'file' ? draft.file && stem(draft.file.name) : undefined;
  const input: Args =
    draft.source === 'dataset' ? { dataset: draft.dataset.trim() }
    : { prices, format: looksLikeJsonl(prices) ? 'jsonl' : 'csv', ...(name ? { symbol: name } : {}) };
  const symbols = draft.symbols.split(/[\s,;]+/).filter((symbol) => symbol !== '');
  const args: Args = {
    ...input,
    ...(parseSettings(draft.other).settings as Args),
    preset: draft.preset,
    mode: draft.mode,
    top_n: numberOr(draft.topN),
    surrogates: numberOr(draft.surrogates),
    surrogate_method: draft.method,
    seed: numberOr(draft.seed),
    days: numberOr(draft.days),
  };
  // A preset has patterns of its own.
  if (draft.patterns !== 'all') args.scan_pattern_types = draft.patterns;
  if (symbols.length > 0) args.symbols = symbols;
  if (draft.zone.trim() !== '') args.time_zone = draft.zone.trim();
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Args;
}
