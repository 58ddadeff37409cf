import type { Snippet } from 'svelte';

export interface Column<Row> {
  /** `actions` are buttons: in a card, they are below everything else, without their title. */
  key: string;
  title: string;
  cell: Snippet<[Row]>;
  /** The sort key; without it, the column cannot be sorted. Null always comes last. */
  value?: (row: Row) => string | number | null;
  /** Numbers are right-aligned. */
  numeric?: boolean;
  /** The subject of the row: takes the remaining width, and heads the card. */
  wide?: boolean;
}

export interface Sort {
  key: string;
  descending: boolean;
}

export function sortRows<Row>(rows: readonly Row[], columns: Column<Row>[], sort: Sort | null): readonly Row[] {
  const value = columns.find((column) => column.key === sort?.key)?.value;
  if (!sort || !value) return rows;
  const direction = sort.descending ? -1 : 1;
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return [...rows].sort((left, right) => {
    const a = value(left);
    const b = value(right);
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b));
    return order * direction;
  });
}

/** The first press sorts numbers in descending and words in ascending order, the second reverses the order, the third
    removes it. */
export function nextSort<Row>(column: Column<Row>, sort: Sort | null): Sort | null {
  const first = column.numeric === true;
  if (sort?.key !== column.key) return { key: column.key, descending: first };
  return sort.descending === first ? { key: column.key, descending: !first } : null;
}
