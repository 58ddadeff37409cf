// What the pages of jobs make of jobs, attempts and reports.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

globalThis.location = { origin: 'http://plimsoll.test' };
const { outcomeOf, ranFor, summaryOf, timeLine, waits } = await load('routes/jobs/attempts.ts');
const { faultOf, filterOf, filtered, readView, runOf, waitOf, writtenFilters } = await load('routes/jobs/jobs-view.ts');
const { changeOf, differs, linesOf, textOf, titleOf } = await load('routes/compare/flatten.ts');

const at = (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const job = (fields) => ({ state: 'running', created_at: at(0), run_at: null, started_at: at(2), finished_at: null, retries: 0, ...fields });
const attempt = (fields) => ({ task: 0, number: 1, merge: false, outcome: 'done', node: 'a', device: 'host', started_at: at(2), ended_at: at(4), seconds: 2, error: null, ...fields });

test('an attempt ran for its measured time, else for that between its ends, or until now', () => {
  assert.equal(ranFor(attempt({ seconds: 1.5 }), 0), 1500);
  assert.equal(ranFor(attempt({ seconds: null }), 0), 2000);
  assert.equal(ranFor(attempt({ seconds: null, ended_at: null }), Date.parse(at(7))), 5000);
  assert.equal(ranFor(attempt({ seconds: null, started_at: null }), 0), null);
});

test('a task waits from when the job could start, a retry since the attempt before, the merge for all', () => {
  const attempts = [
    attempt({}),
    attempt({ task: 1, outcome: 'retry', ended_at: at(5) }),
    attempt({ task: 1, number: 2, started_at: at(8), ended_at: at(9) }),
    attempt({ task: 2, merge: true, started_at: at(10), ended_at: at(11) }),
    attempt({ task: 3, started_at: null }),
  ];
  assert.deepEqual(waits(job(), attempts), [2000, 2000, 3000, 1000, null]);
  assert.deepEqual(waits(job({ run_at: at(1) }), attempts.slice(0, 1)), [1000]);
});

test('the time line has one lane for each device, and places within it', () => {
  const attempts = [attempt({}), attempt({ device: 'gpu', outcome: 'worker_lost', started_at: null, ended_at: at(5) }), attempt({ task: 1, outcome: 'running', ended_at: null, seconds: null })];
  const { lanes, begin, end } = timeLine(job(), attempts, Date.parse(at(10)));
  assert.deepEqual([begin, end], [Date.parse(at(0)), Date.parse(at(10))]);
  assert.deepEqual(lanes.map(({ name, bars }) => [name, ...bars.map(({ look, from, to }) => [look, from, to])]), [
    ['Waiting', ['wait', 0, 0.2]],
    ['a / host', ['done', 0.2, 0.4], ['running', 0.2, 1]],
    ['a / gpu', ['moment', 0.5, 0.5]],
  ]);
  assert.match(lanes[1].bars[0].text, /^Task 0, attempt 1 · Succeeded · /);
  assert.equal(outcomeOf(attempts[1]), 'Worker lost');
  assert.equal(summaryOf(job({ retries: 1 }), attempts, true), 'The first 3 attempts on 2 devices: 1 failed, 1 running. 1 task was tried again.');
});

test('the address of the jobs page is its filter; what is no filter is left out', () => {
  const query = new URLSearchParams('state=running&label=desk%3Denergy&since=1h&device=a%2Fhost&q=%20storm%20&kind=&by=ada');
  const view = readView(query);
  const now = Date.parse(at(3600));
  assert.deepEqual(filterOf(view, now), { kind: undefined, state: 'running', label: 'desk=energy', submitter: 'ada', device_class: undefined, device: 'a/host', text: 'storm', from: at(0), to: undefined });
  assert.ok(filtered(view));
  assert.ok(!filtered(readView(new URLSearchParams('state=nonsense&label=%3Dx&since=1y&device=a'))));
  assert.equal(writtenFilters(new URLSearchParams('state=running&page=3&q= x &kind=')), 'q=x&state=running');
});

test('a job waited until its start, or waits by now; a scheduled one does not wait yet', () => {
  const now = Date.parse(at(9));
  assert.equal(waitOf(job(), now), 2000);
  assert.equal(waitOf(job({ started_at: null }), now), 9000);
  assert.equal(waitOf(job({ state: 'scheduled', started_at: null }), now), null);
  assert.equal(waitOf(job({ started_at: null, finished_at: at(5) }), now), null);
  assert.deepEqual([runOf(job(), now), runOf(job({ finished_at: at(5) }), now), runOf(job({ started_at: null }), now)], [7000, 3000, null]);
});

test('a fault is shown of a job that has one', () => {
  const told = { error: null, last_error: 'out of memory', tasks_failed: 0 };
  assert.equal(faultOf({ ...told, state: 'running' }), null);
  assert.equal(faultOf({ ...told, state: 'failed' }), 'out of memory');
  assert.equal(faultOf({ ...told, state: 'succeeded', tasks_failed: 1 }), 'out of memory');
  assert.equal(faultOf({ ...told, state: 'failed', error: 'It was too late.' }), 'It was too late.');
});

test('reports are compared place by place, and entries of lists by their names', () => {
  const one = { gpus: [{ id: 'a', total_bytes: 1024 }, { id: 'b', total_bytes: 2048 }], goal: 'fill', curve: Array.from({ length: 20 }, (_, at) => at) };
  const other = { gpus: [{ id: 'b', total_bytes: 4096 }], goal: 'fill', extra: null };
  const lines = linesOf([one, other]);
  const found = Object.fromEntries(lines.map(({ title, values }) => [title, values]));
  assert.deepEqual(found['gpus › b › total bytes'], [2048, 4096]);
  assert.deepEqual(found['gpus › a › total bytes'], [1024, undefined]);
  assert.match(found.curve[0], / … \(20\)$/);
  assert.deepEqual(lines.filter(differs).map(({ title }) => title.split(' › ').at(-1)), ['id', 'total bytes', 'total bytes', 'curve', 'extra']);
});

test('values of reports are written with their units, and changes in percent', () => {
  assert.equal(titleOf(['memory', 'total_bytes', 'H200']), 'memory › total bytes › H200');
  assert.deepEqual([textOf([], undefined), textOf([], true), textOf([], ''), textOf(['n'], 12_345), textOf(['x'], 0.00012345)], ['–', 'Yes', '–', '12,345', '0.000123']);
  assert.match(textOf(['used_bytes'], 2048), /^2.*KiB$/);
  assert.equal(textOf([], 'x'.repeat(200)).length, 161);
  assert.deepEqual([changeOf(100, 112), changeOf(100, 95.5), changeOf(1, 100), changeOf(0, 5), changeOf('a', 1)], ['+12 %', '−4.5 %', '+> 1,000 %', '', '']);
  assert.deepEqual([changeOf(100, 112, 'more'), changeOf(100, 112, 'less'), changeOf(100, 80, 'less')], ['+12 %, better', '+12 %, worse', '−20 %, better']);
});
