import type { Snippet } from 'svelte';

interface ColumnOf<Row> {
  /** `actions` are buttons: in a card, they are below everything else, without their title. */
  key: string;
  title: string;
  /** The sort key; without it, the column cannot be sorted. Null always comes last. */
  value?: (row: Row) => string | number | null;
  /** Numbers are right-aligned. */
  numeric?: boolean;
  /** The subject of the row: takes the remaining width, and heads the card. */
  wide?: boolean;
}
/** Its cells are words or something of their own. */
export type Column<Row> = ColumnOf<Row> &
  (
    | { text: (row: Row) => string | number; cell?: undefined; time?: undefined }
    | { cell: Snippet<[Row]>; text?: undefined; time?: undefined }
    /** A moment, by which the column can be sorted; nothing: never. */
    | { time: (row: Row) => string | null; cell?: undefined; text?: undefined }
  );

/** The same columns, with what they are sorted by. */
export const sortable = <Row,>(columns: readonly Column<Row>[]): Column<Row>[] =>
  columns.map((column) => {
    const { time } = column;
    return time ? { ...column, value: (row) => (time(row) === null ? null : Date.parse(time(row)!)) } : column;
  });

export interface Sort {
  key: string;
  descending: boolean;
}

export function sortRows<Row>(rows: readonly Row[], columns: Column<Row>[], sort: Sort | null): readonly Row[] {
  const value = columns.find((column) => column.key === sort?.key)?.value;
  if (!sort || !value) return rows;
  const direction = sort.descending ? -1 : 1;
  const keys = placesOf(rows.map(value));
  const order = rows.map((_, index) => index);
  order.sort((left, right) => {
    const a = keys[left]!;
    const b = keys[right]!;
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return (a - b) * direction;
  });
  return order.map((index) => rows[index]!);
}

/** Numbers that sort as the values do. Words are slow to compare, and few among many rows: each is placed once. */
function placesOf(values: readonly (string | number | null)[]): readonly (number | null)[] {
  if (!values.some((value) => typeof value === 'string')) return values as (number | null)[];
  const words = [...new Set(values.filter((value) => value !== null).map(String))];
  const places = new Map(words.sort(new Intl.Collator(undefined, { numeric: true }).compare).map((word, place) => [word, place]));
  return values.map((value) => (value === null ? null : places.get(String(value))!));
}

/** The first press sorts numbers in descending and words in ascending order, the second reverses the order, the third
    removes it. */
export function nextSort<Row>(column: Column<Row>, sort: Sort | null): Sort | null {
  const first = column.numeric === true;
  if (sort?.key !== column.key) return { key: column.key, descending: first };
  return sort.descending === first ? { key: column.key, descending: !first } : null;
}
