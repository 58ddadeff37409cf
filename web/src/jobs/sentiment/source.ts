import type { components } from '../../api/schema';
import type { Records } from '../../services/files/records';
import { bytes, count, counted } from '../../design/text/format';
import { bodySize, longestBody, longestId, mostTexts } from './limits';

type Item = components['schemas']['SentimentItem'];
export type Args = components['schemas']['SentimentArgs'];

/** The columns of texts and their attributes in a file of records; -1: none. */
export interface Columns {
  text: number;
  id: number;
  source: number;
  time: number;
  group: number;
  /** Returned with the results. */
  keep: readonly number[];
}
export const noColumns: Columns = { text: 0, id: -1, source: -1, time: -1, group: -1, keep: [] };

const textNames = ['text', 'headline', 'title', 'content', 'body', 'message', 'review', 'comment'];
const idNames = ['custom_id', 'id', 'key', 'uuid'];
const dated = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** A first guess: the column with a telling name, else the one with the longest values. Sources and times must look so. */
export function guessColumns({ columns, rows }: Pick<Records, 'columns' | 'rows'>): Columns {
  const find = (names: string[]) =>
    names.map((name) => columns.findIndex((column) => column.toLowerCase() === name)).find((at) => at >= 0) ?? -1;
  const sample = rows.slice(0, 50);
  const lengths = columns.map((_, at) => sample.reduce((sum, row) => sum + row[at]!.length, 0));
  const named = find(textNames);
  const text = named >= 0 ? named : Math.max(0, lengths.indexOf(Math.max(...lengths)));
  const where = (name: string, is: (value: string) => boolean) => {
    const at = find([name]);
    return at !== text && at >= 0 && sample.every((row) => row[at] === '' || is(row[at]!)) ? at : -1;
  };
  const id = find(idNames);
  return {
    ...noColumns,
    text,
    id: id === text ? -1 : id,
    source: where('source', (value) => value.length <= longestId),
    time: where('time', (value) => dated.test(value)),
  };
}

/** One text per line; blank lines are ignored. */
export const fromLines = (pasted: string): string[] =>
  pasted.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);

/** What scores the texts: a model, a goal or a policy that chooses one, or several to compare; empty: the server's default. */
export type By = Pick<Args, 'model' | 'form' | 'goal' | 'policy' | 'models' | 'long_texts'>;

/** The members of an item that are one column each, and where they stand. A comparison looks for labels, too. */
const members = (names: readonly string[], columns: Columns, by: By) => {
  const { id: custom_id, source, time, group } = columns;
  const all = { custom_id, source, time, group, label: by.models ? names.indexOf('label') : -1 };
  return Object.entries(all).filter(([, place]) => place >= 0);
};

export function fromRecords({ columns: names, rows }: Records, columns: Columns, by: By = {}): Item[] {
  const places = members(names, columns, by);
  return rows.map((row) => ({
    ...Object.fromEntries(places.filter(([, place]) => row[place]).map(([name, place]) => [name, row[place]])),
    ...(columns.keep.length > 0 && { kept: Object.fromEntries(columns.keep.map((place) => [names[place]!, row[place] ?? ''])) }),
    text: row[columns.text]!,
  }));
}

/** The same of a dataset, for the job's arguments. */
export const columnArgs = (names: readonly string[], columns: Columns): NonNullable<Args['columns']> => ({
  text: names[columns.text],
  ...Object.fromEntries(members(names, columns, {}).map(([name, place]) => [name, names[place]])),
  ...(columns.keep.length > 0 && { keep: columns.keep.map((place) => names[place]!) }),
});

/** Why these texts cannot be sent in one request, in words; undefined if they can. */
export function whyNot(items: readonly (string | Item)[]): string | undefined {
  if (items.length === 0) return 'Enter at least one text.';
  if (items.length > mostTexts) {
    return `There are ${counted(items.length, 'text')}; a request may have at most ${count(mostTexts)}.`;
  }
  const long = items.findIndex((item) => typeof item !== 'string' && (item.custom_id?.length ?? 0) > longestId);
  if (long >= 0) return `The ID of record ${count(long + 1)} is longer than ${longestId} characters.`;
  const size = bodySize(items);
  if (size > longestBody - 4096) return `The texts are ${bytes(size)}; a request may be at most ${bytes(longestBody)}.`;
  return undefined;
}
