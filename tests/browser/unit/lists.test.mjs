// What keeps a list or an upload going while the connection does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

globalThis.location = { origin: 'http://plimsoll.test' };
globalThis.document = { visibilityState: 'visible', hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.addEventListener = () => {};
const { PagedList, Problem, refusal, uploads } = await load(
  'services/paged-list.svelte.ts', 'services/files/uploads.svelte.ts', 'services/problem.ts',
);

/** Until this holds; what is awaited meanwhile goes on. */
async function until(holds) {
  for (let turn = 0; !holds(); turn += 1) {
    assert.ok(turn < 10_000, `never: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const named = (...ids) => ids.map((id) => ({ id }));
/** Pages by cursor, of which `asked` keeps the order. */
function listOf(pages, moves = () => false) {
  const asked = [];
  const read = async (cursor) => {
    asked.push(cursor);
    const page = pages.get(cursor);
    if (page instanceof Problem) throw page;
    return page;
  };
  return { asked, list: new PagedList({ read, moves }) };
}
const idsOf = (list) => list.items?.map(({ id }) => id);

test('older pages follow the newest, and an entry that moved between two reads is shown once', async () => {
  const pages = new Map([[undefined, { items: named('d', 'c'), next_cursor: 'c' }], ['c', { items: named('c', 'b', 'a'), next_cursor: null }]]);
  const { list, asked } = listOf(pages);
  await until(() => list.items);
  assert.deepEqual([idsOf(list), list.more], [['d', 'c'], true]);
  await Promise.all([list.loadMore(), list.loadMore()]);
  assert.deepEqual([idsOf(list), list.more], [['d', 'c', 'b', 'a'], false]);
  await list.loadMore();
  assert.deepEqual(asked, [undefined, 'c'], 'no page twice');
  list.stop();
});

test('an older page is polled while what is seen of it changes', async () => {
  const pages = new Map([[undefined, { items: named('d'), next_cursor: 'd' }], ['d', { items: named('running', 'a'), next_cursor: null }]]);
  const { list, asked } = listOf(pages, ({ id }) => id === 'running');
  await until(() => list.items);
  await list.loadMore();
  list.see(0, 1);
  list.retry();
  await until(() => asked.length === 3);
  await new Promise((resolve) => setImmediate(resolve)); // the poll ends
  list.see(0, 2);
  list.retry();
  await until(() => asked.length === 5);
  assert.deepEqual(asked, [undefined, 'd', undefined, undefined, 'd']);
  list.stop();
});

test('a list that cannot be read says why, keeps what it has, and recovers', async () => {
  const pages = new Map([[undefined, { items: named('a'), next_cursor: null }]]);
  const { list } = listOf(pages);
  await until(() => list.items);
  pages.set(undefined, Problem.unreachable());
  list.retry();
  await until(() => list.problem);
  assert.deepEqual(idsOf(list), ['a']);
  pages.set(undefined, { items: named('b', 'a'), next_cursor: null });
  list.retry();
  await until(() => !list.problem);
  assert.deepEqual(idsOf(list), ['b', 'a']);
  list.stop();
});

const json = (status, body) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
const problem = (status, detail) => new Response(JSON.stringify({ title: 'No', status, detail }), { status, headers: { 'Content-Type': 'application/problem+json' } });
const announced = (bytes_received, state = 'uploading') => ({ id: 'data_1', name: 'a.csv', format: 'csv', state, bytes_total: 700_000, bytes_received });
const file = () => new File([new Uint8Array(700_000)], 'a.csv');

/** The server of one upload: `answer` gets the offset of each part, or null where the dataset is read. */
function serve(answer) {
  globalThis.fetch = async (request) => {
    const at = new URL(request.url).searchParams.get('offset');
    return answer(at === null ? null : Number(at));
  };
}

test('a lost part is sent again from where the server stands', async () => {
  const offsets = [];
  let received = 0;
  serve((offset) => {
    if (offset === null) return json(200, announced(received));
    offsets.push(offset);
    if (offsets.length === 2) {
      received = 300_000; // a part of it arrived
      throw new TypeError('connection reset');
    }
    received = Math.min(700_000, offset + (offset === 0 ? 262_144 : 524_288));
    return json(200, announced(received, received === 700_000 ? 'ready' : 'uploading'));
  });
  const upload = uploads.continue(announced(0), file());
  await until(() => upload.state === 'waiting');
  assert.equal(uploads.of('data_1'), upload);
  upload.hurry();
  await until(() => upload.state === 'ended');
  assert.deepEqual(offsets, [0, 262_144, 300_000]);
  assert.deepEqual([upload.dataset.state, upload.trouble], ['ready', undefined]);
});

test('a refused offset is asked for at once, a refused upload ends, and a lost session pauses', async () => {
  let calls = 0;
  serve((offset) => {
    calls += 1;
    if (offset === null) return json(200, announced(700_000, 'ready'));
    return problem(409, 'The upload continues at byte 5.');
  });
  const moved = uploads.continue(announced(0), file());
  await until(() => moved.state === 'ended');
  assert.deepEqual([calls, moved.dataset.state], [2, 'ready']);
  serve(() => problem(404, 'The dataset was not found.'));
  const gone = uploads.continue(announced(0), file());
  await until(() => gone.state === 'ended');
  assert.equal(gone.trouble.detail, 'The dataset was not found.');
  serve(() => problem(401, 'Sign in.'));
  const signedOut = uploads.continue(announced(0), file());
  await until(() => signedOut.trouble);
  assert.equal(signedOut.state, 'paused');
});

test('a paused upload sends nothing until it is resumed, and another file is refused', async () => {
  let sent = 0;
  serve(async (offset) => {
    sent += 1;
    if (sent === 1) return new Promise(() => {});
    return json(200, announced(700_000, offset === null ? 'uploading' : 'ready'));
  });
  const upload = uploads.continue(announced(0), file());
  await until(() => sent === 1);
  upload.pause();
  assert.deepEqual([upload.state, upload.active], ['paused', false]);
  upload.resume();
  await until(() => upload.state === 'ended');
  assert.equal(sent, 2);
  const other = new File(['x'], 'a.csv');
  let words;
  try {
    uploads.continue(announced(0), other);
  } catch (caught) {
    words = refusal(caught);
  }
  assert.match(words, /1 bytes; the upload started with one of 700,000/);
});
