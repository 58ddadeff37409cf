import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

globalThis.location = { origin: 'http://plimsoll.test' };
const { follow, parseBlock } = await load('services/event-stream.ts');
const { readRows } = await load('services/results.ts');
const { Speed } = await load('services/speed.ts');

const stream = (...pieces) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
  );

test('a block of an event stream', () => {
  assert.deepEqual(parseBlock('id: 7\nevent: job\ndata: {"a":\ndata:1}'), {
    event: { id: '7', type: 'job', data: '{"a":\n1}' },
    retry: undefined,
  });
  assert.deepEqual(parseBlock(': still here'), { event: undefined, retry: undefined });
  assert.equal(parseBlock('retry: 250').retry, 250);
});

test('events are followed over broken connections, from the last one seen', async () => {
  const asked = [];
  const answers = [
    () => stream('retry: 1\n\nid: 1\nda', 'ta: a\n\nid: 2\ndata: b\n\nid: 3\nda'),
    () => { throw new TypeError('connection refused'); },
    () => new Response('{}', { status: 503 }),
    () => stream('id: 3\r\ndata: c\r\n\r\n'),
  ];
  globalThis.fetch = async (request) => {
    asked.push(request.headers.get('Last-Event-ID'));
    return answers[asked.length - 1]();
  };
  const seen = [];
  const options = { signal: new AbortController().signal, onConnection: () => {}, finished: () => seen.includes('c') };
  for await (const event of follow('/events', options)) seen.push(event.data);
  assert.deepEqual(seen, ['a', 'b', 'c']);
  assert.deepEqual(asked, [null, '2', '2', '2']);
});

test('a refusal ends the event stream', async () => {
  globalThis.fetch = async () => new Response('{"title":"Not found"}', { status: 404, headers: { 'Content-Type': 'application/problem+json' } });
  const options = { signal: new AbortController().signal, onConnection: () => {}, finished: () => false };
  await assert.rejects(follow('/events', options).next(), { title: 'Not found' });
});

test('rows are read up to the limit, however the stream is cut', async () => {
  globalThis.fetch = async () => stream('{"n":1}\n{"n"', ':2}\n{"n":3}\n{"n":4}');
  const signal = new AbortController().signal;
  assert.deepEqual(await readRows('/results', 10, signal), [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  globalThis.fetch = async () => stream('{"n":1}\n{"n":2}\n', '{"n":3}\n');
  assert.deepEqual(await readRows('/results', 2, signal), [{ n: 1 }, { n: 2 }]);
});

test('speed is measured over the last ten seconds', () => {
  const speed = new Speed();
  assert.equal(speed.perSecond(), null);
  speed.add(0, 0);
  speed.add(100, 1_000);
  assert.equal(speed.perSecond(), 100);
  for (let second = 2; second <= 30; second += 1) speed.add(100 + second * 10, second * 1_000);
  assert.equal(Math.round(speed.perSecond()), 10);
});
