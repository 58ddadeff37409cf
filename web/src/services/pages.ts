/** One page of a long list as it was last read, and the cursor that reads it again. */
export interface ListPage<T> {
  /** Undefined for the newest page. */
  cursor: string | undefined;
  items: readonly T[];
}

/** The server's response to a page's cursor. */
export interface PageAnswer<T> {
  items: T[];
  next_cursor: string | null;
}

/** As many as the server puts on a page. */
export const pageSize = 200;

/** The whole of a list that is short, page by page. */
export async function everything<T>(
  read: (query: { limit: number; cursor?: string }) => Promise<{ data?: { items: T[]; next_cursor?: string | null } }>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const { data } = await read({ limit: pageSize, ...(cursor ? { cursor } : {}) });
    items.push(...data!.items);
    cursor = data!.next_cursor;
  } while (cursor);
  return items;
}

/** The pages after page `at` was read again; no entry stands in two of them. Entries that came push others over its end, which go to the next page;
    entries that left pull others in, which leave the next one. Where the answer ends at none of the entries known,
    nothing tells how the older pages continue it: they are read anew when somebody asks. */
export function renew<T extends { id: string }>(pages: readonly ListPage<T>[], at: number, answer: PageAnswer<T>): ListPage<T>[] {
  const fresh: ListPage<T> = { cursor: pages[at]?.cursor, items: answer.items };
  const renewed = [...pages.slice(0, at), fresh];
  const last = answer.items.at(-1)?.id;
  if (answer.next_cursor === null) return renewed;
  // A search may find nothing on a page and go on: so it did before.
  if (last === undefined) return pages[at]?.items.length === 0 ? [...renewed, ...pages.slice(at + 1)] : renewed;
  for (const [place, page] of pages.entries()) {
    const found = place < at ? -1 : page.items.findIndex(({ id }) => id === last);
    if (found < 0) continue;
    const pushed = page.items.slice(found + 1);
    const [next, ...older] = pages.slice(place + 1);
    if (pushed.length === 0) return next ? [...renewed, next, ...older] : renewed;
    const merged = next && pushed.length + next.items.length <= pageSize;
    const moved = { cursor: answer.next_cursor, items: merged ? [...pushed, ...next.items] : pushed };
    return [...renewed, moved, ...(next && !merged ? [next] : []), ...older];
  }
  return renewed;
}
