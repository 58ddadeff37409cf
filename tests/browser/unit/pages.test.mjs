// How a long list stays true while its pages are read again one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

const { renew, pageSize } = await load('services/pages.ts');
const items = (...names) => names.map((id) => ({ id }));
const ids = (pages) => pages.map((page) => [page.cursor, page.items.map(({ id }) => id).join('')]);
const two = [{ cursor: undefined, items: items('a', 'b', 'c') }, { cursor: 'c', items: items('d', 'e', 'f') }];

test('an unchanged page does not affect the others', () => {
  assert.deepEqual(ids(renew(two, 0, { items: items('a', 'b', 'c'), next_cursor: 'c' })), [[undefined, 'abc'], ['c', 'def']]);
});

test('entries pushed over the end move to the next page', () => {
  assert.deepEqual(ids(renew(two, 0, { items: items('x', 'a', 'b'), next_cursor: 'b' })), [[undefined, 'xab'], ['b', 'cdef']]);
  assert.deepEqual(ids(renew(two.slice(0, 1), 0, { items: items('x', 'a', 'b'), next_cursor: 'b' })), [[undefined, 'xab'], ['b', 'c']]);
});

test('a page never grows beyond one response', () => {
  const full = Array.from({ length: pageSize }, (_, place) => ({ id: `f${place}` }));
  const pages = renew([two[0], { cursor: 'c', items: full }], 0, { items: items('x', 'a', 'b'), next_cursor: 'b' });
  assert.deepEqual(pages.map((page) => page.items.length), [3, 1, pageSize]);
  assert.deepEqual(pages.map((page) => page.cursor), [undefined, 'b', 'c']);
});

test('entries pulled in leave the next page', () => {
  assert.deepEqual(ids(renew(two, 0, { items: items('a', 'c', 'd'), next_cursor: 'd' })), [[undefined, 'acd'], ['d', 'ef']]);
});

test('older pages are dropped if nothing continues the response', () => {
  assert.deepEqual(ids(renew(two, 0, { items: items('x', 'y', 'z'), next_cursor: 'z' })), [[undefined, 'xyz']]);
  assert.deepEqual(ids(renew(two, 0, { items: items('a', 'b'), next_cursor: null })), [[undefined, 'ab']]);
  assert.deepEqual(ids(renew(two, 0, { items: [], next_cursor: null })), [[undefined, '']]);
});

test('a later page is read again without the earlier ones', () => {
  assert.deepEqual(ids(renew(two, 1, { items: items('e', 'f'), next_cursor: null })), [[undefined, 'abc'], ['c', 'ef']]);
});

test('every entry appears once, in order, after any changes', () => {
  // A list that changes at random, paged by fours; the pages are read again in a random order.
  let seed = 7;
  const random = (below) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  let newest = 40;
  let all = Array.from({ length: 40 }, (_, place) => newest - place);
  const read = (cursor) => {
    const from = cursor === undefined ? 0 : all.findIndex((number) => number < cursor);
    const some = from < 0 ? [] : all.slice(from, from + 4);
    return { items: some.map((id) => ({ id })), next_cursor: from >= 0 && from + 4 < all.length ? some.at(-1) : null };
  };
  let pages = [{ cursor: undefined, items: read().items }];
  for (let cursor = read().next_cursor; cursor !== null && pages.length < 6; ) {
    const answer = read(cursor);
    pages.push({ cursor, items: answer.items });
    cursor = answer.next_cursor;
  }
  for (let round = 0; round < 2_000; round += 1) {
    if (random(3) === 0) all = [(newest += 1), ...all];
    if (random(3) === 0 && all.length > 20) all.splice(random(all.length), 1);
    const at = random(pages.length);
    const answer = read(pages[at].cursor);
    pages = renew(pages, at, answer);
    const shown = pages.flatMap((page) => page.items.map(({ id }) => id));
    assert.deepEqual(shown, [...new Set(shown)].sort((a, b) => b - a), `round ${round}`);
    assert.deepEqual(pages[at].items, answer.items);
  }
});
