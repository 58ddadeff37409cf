import { bytes, count, decimal, duration } from '../../design/text/format';
import type { Figure } from '../../jobs/kind';

/** What several documents, inputs or reports, have at one place. */
export interface Line {
  title: string;
  /** One for each document; undefined where it does not have the place. */
  values: readonly (Scalar | undefined)[];
  /** The values in words. */
  texts: readonly string[];
  better?: Figure['better'];
}
export type Scalar = string | number | boolean | null;

/** Series such as curves say nothing line by line: of a list only so many are shown. */
const longestList = 12;
const longestText = 160;
/** By which of these members the entries of a list are told apart: the same card stands on one line, wherever it is listed. */
const naming = ['id', 'name', 'gpu', 'symbol', 'label', 'batch_size', 'model'];

const isScalar = (value: unknown): value is Scalar => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** What an entry of a list is called, by itself or by what it is about. */
function nameOf(entry: unknown): string | undefined {
  for (const key of naming) {
    const found = (entry as Record<string, unknown> | null)?.[key];
    const name = typeof found === 'object' ? (found as { id?: unknown } | null)?.id : found;
    if (typeof name === 'string' || typeof name === 'number') return String(name);
  }
  return undefined;
}

function* places(value: unknown, path: readonly string[]): Generator<[readonly string[], Scalar]> {
  if (isScalar(value)) {
    yield [path, value];
  } else if (Array.isArray(value)) {
    if (value.every(isScalar)) {
      const told = value.slice(0, longestList).map(String).join(', ');
      yield [path, value.length > longestList ? `${told} … (${count(value.length)})` : told];
      return;
    }
    if (value.length > longestList) {
      yield [[...path, 'entries'], value.length];
      return;
    }
    const names = value.map(nameOf);
    const telling = new Set(names).size === names.length && !names.includes(undefined);
    for (const [index, entry] of value.entries()) yield* places(entry, [...path, telling ? names[index]! : count(index + 1)]);
  } else if (typeof value === 'object') {
    for (const [key, member] of Object.entries(value as object)) yield* places(member, [...path, key]);
  }
}

/** The documents line by line, in the order in which their members first stand. */
export function linesOf(documents: readonly unknown[]): Line[] {
  const lines = new Map<string, { path: readonly string[]; values: (Scalar | undefined)[] }>();
  for (const [index, document] of documents.entries()) {
    for (const [path, value] of places(document, [])) {
      const key = JSON.stringify(path);
      if (!lines.has(key)) lines.set(key, { path, values: documents.map(() => undefined) });
      lines.get(key)!.values[index] = value;
    }
  }
  return [...lines.values()].map(({ path, values }) => ({ title: titleOf(path), values, texts: values.map((value) => textOf(path, value)) }));
}

/** The figures of several reports, each of which may lack some. */
export function linesOfFigures(reports: readonly (readonly Figure[])[]): Line[] {
  const names = new Set(reports.flatMap((figures) => figures.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = reports.map((figures) => figures.find((figure) => figure.name === name));
    const better = found.find((figure) => figure?.better)?.better;
    return { title: name, values: found.map((figure) => figure && (figure.value ?? figure.text)), texts: found.map((figure) => figure?.text ?? '–'), ...(better && { better }) };
  });
}

export const differs = ({ values }: Line): boolean => values.some((value) => value !== values[0]);

/** "memory › total_bytes" in words: its unit is said by the value. */
export const titleOf = (path: readonly string[]): string =>
  path.map((part) => (/^[a-z0-9]+(_[a-z0-9]+)*$/.test(part) ? part.replaceAll('_', ' ') : part)).join(' › ');

export function textOf(path: readonly string[], value: Scalar | undefined): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string') return value === '' ? '–' : value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  const name = path.at(-1) ?? '';
  if (/bytes$/.test(name)) return bytes(value);
  if (/(^|_)seconds$/.test(name)) return duration(value * 1000);
  return Number.isInteger(value) ? count(value) : value !== 0 && Math.abs(value) < 0.001 ? value.toPrecision(3) : decimal(value, 4);
}

/** How far a number is from the one it is compared with: "+12 %", "+12 %, better". */
export function changeOf(base: Scalar | undefined, value: Scalar | undefined, better?: Line['better']): string {
  if (typeof base !== 'number' || typeof value !== 'number' || base === value || base === 0) return '';
  const percent = ((value - base) / Math.abs(base)) * 100;
  const size = Math.abs(percent);
  const judged = better ? (percent > 0 === (better === 'more') ? ', better' : ', worse') : '';
  return `${percent < 0 ? '−' : '+'}${size >= 1000 ? '> 1,000' : decimal(size, size < 10 ? 1 : 0)} %${judged}`;
}
