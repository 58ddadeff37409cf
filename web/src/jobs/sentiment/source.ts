import type { components } from '../../api/schema';
import type { Records } from '../../services/files/records';
import { bytes, count, counted } from '../../design/text/format';
import { bodySize, longestBody, longestId, mostTexts } from './limits';

type Item = components['schemas']['SentimentItem'];
export type Args = components['schemas']['SentimentArgs'];

/** Where texts stand in a file of records. `id` is -1 where records have no id of their own. */
export interface Columns {
  text: number;
  id: number;
}

const textNames = ['text', 'headline', 'title', 'content', 'body', 'message', 'review', 'comment'];
const idNames = ['custom_id', 'id', 'key', 'uuid'];

/** A first guess: the column with a telling name, else the one with the longest values. */
export function guessColumns({ columns, rows }: Pick<Records, 'columns' | 'rows'>): Columns {
  const find = (names: string[]) =>
    names.map((name) => columns.findIndex((column) => column.toLowerCase() === name)).find((at) => at >= 0) ?? -1;
  const sample = rows.slice(0, 50);
  const lengths = columns.map((_, at) => sample.reduce((sum, row) => sum + row[at]!.length, 0));
  const named = find(textNames);
  const text = named >= 0 ? named : Math.max(0, lengths.indexOf(Math.max(...lengths)));
  const id = find(idNames);
  return { text, id: id === text ? -1 : id };
}

/** One text a line; blank lines are layout, not texts. */
export const fromLines = (pasted: string): string[] =>
  pasted.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);

/** What scores the texts: a model, a policy that chooses one, or several models to compare; empty: the server's default. */
export type By = Pick<Args, 'model' | 'policy' | 'models'>;

/** With the columns that a policy or a comparison looks at. */
export function fromRecords({ columns, rows }: Records, { text, id }: Columns, by: By = {}): Item[] {
  const looked = by.policy ? (['source', 'time'] as const) : by.models ? (['label'] as const) : [];
  const places = looked.map((name) => [name, columns.indexOf(name)] as const);
  return rows.map((row) => ({
    ...(id >= 0 && row[id] && { custom_id: row[id] }),
    ...Object.fromEntries(places.filter(([, place]) => place >= 0 && row[place]).map(([name, place]) => [name, row[place]])),
    text: row[text]!,
  }));
}

/** Why these texts cannot be sent in one request, in words; undefined if they can. */
export function whyNot(items: readonly (string | Item)[]): string | undefined {
  if (items.length === 0) return 'There is no text yet.';
  if (items.length > mostTexts) {
    return `These are ${counted(items.length, 'text')}; one request takes at most ${count(mostTexts)}.`;
  }
  const long = items.findIndex((item) => typeof item !== 'string' && (item.custom_id?.length ?? 0) > longestId);
  if (long >= 0) return `The id of record ${count(long + 1)} is longer than ${longestId} characters.`;
  const size = bodySize(items);
  if (size > longestBody - 4096) return `These are ${bytes(size)}; one request takes at most ${bytes(longestBody)}.`;
  return undefined;
}
