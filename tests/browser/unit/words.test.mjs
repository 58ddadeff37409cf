import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

const format = await load('design/text/format.ts');
const { formatAddress, matchPath, parseAddress } = await load('routes/address.ts');
const { parseLabels } = await load('routes/new/typed.ts');
const { patternWords, when } = await load('jobs/waves/words.ts');
const profileWords = await load('jobs/profile/words.ts');
const { asHere, reasonText } = await load('routes/schedules/times.ts');
const { actionWords, clientName } = await load('routes/settings-words.ts');
const { nextSort, sortRows } = await load('design/tables/table.ts');

test('times are written to the minute, dates as they are', () => {
  assert.equal(when('2024-03-01T09:30:00+01:00'), '2024-03-01 09:30');
  assert.equal(when('2024-03-01T09:30:15Z'), '2024-03-01 09:30:15');
  assert.equal(when('2024-03-01'), '2024-03-01');
  assert.equal(when('1593'), '1593');
});

test('a pattern is named as the engine names it', () => {
  const names = { flat_regular: 'regular flat up', leading_diagonal: 'leading diagonal up', corrective: 'correction up', zigzag: 'zigzag up' };
  for (const [rule, words] of Object.entries(names)) assert.equal(patternWords(rule, 'up'), words);
});

test('an audited action is said in words', () => {
  const said = { 'report_link.open': 'Report link opened', 'job.cancel': 'Job cancelled', 'job.redrive': 'Job run again', 'user.update': 'User updated', 'member.set': 'Member set' };
  for (const [action, words] of Object.entries(said)) assert.equal(actionWords(action), words);
});

test('a session is named by its browser and system, a program by itself', () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
  assert.equal(clientName(windows), 'Chrome on Windows');
  assert.equal(clientName(`${windows} Edg/142.0.0.0`), 'Edge on Windows');
  assert.equal(clientName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'), 'Safari on macOS');
  assert.equal(clientName('Mozilla/5.0 (Linux; Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0'), 'Firefox on Android');
  assert.equal(clientName('Mozilla/5.0'), 'Browser');
  assert.equal(clientName('plimsoll/0.9.0'), 'plimsoll/0.9.0');
  assert.equal(clientName(null), 'Unknown client');
});

test('shares are never rounded to 0 % or 100 %', () => {
  assert.equal(format.percent(0, 10), '0\u00a0%');
  assert.equal(format.percent(1, 1000), '< 1\u00a0%');
  assert.equal(format.percent(9999, 10000), '> 99\u00a0%');
  assert.equal(format.percent(10, 10), '100\u00a0%');
  assert.equal(format.percent(0, 0), '–');
});

test('decimals are shown only if needed', () => {
  assert.equal(format.decimal(5, 1), '5');
  assert.equal(format.decimal(0.25, 2), '0.25');
  assert.equal(format.decimal(0.25, 1), '0.3');
});

test('signed numbers have a sign unless they are zero', () => {
  assert.equal(format.signed(0.5, 2), '+0.50');
  assert.equal(format.signed(-0.5, 2), '−0.50');
  assert.equal(format.signed(-0.001, 2), '0.00');
});

test('durations have two units at most', () => {
  assert.deepEqual([12, 1000, 61_000, 3_600_000, 93_784_000].map(format.duration), ['12\u00a0ms', '1\u00a0s', '1\u00a0min 1\u00a0s', '1\u00a0h', '1\u00a0d 2\u00a0h']);
});

test('times past and to come', () => {
  const now = new Date('2025-03-04T12:00:00Z');
  const at = (text) => format.relative(new Date(text), now);
  assert.equal(at('2025-03-04T11:59:55Z'), 'just now');
  assert.equal(at('2025-03-04T11:59:15Z'), '45 s ago');
  assert.equal(at('2025-03-04T09:00:00Z'), '3 h ago');
  assert.equal(at('2025-03-14T12:00:00Z'), 'in 10 d');
});

test('addresses round trip through the fragment', () => {
  const address = parseAddress('#/jobs?state=failed&label=a%3Db');
  assert.equal(address.path, '/jobs');
  assert.equal(address.query.get('label'), 'a=b');
  assert.equal(formatAddress(address), '#/jobs?state=failed&label=a%3Db');
  assert.equal(parseAddress('').path, '/');
});

test('patterns name their parameters', () => {
  assert.deepEqual(matchPath('/jobs/:id/report', '/jobs/a%20b/report'), { id: 'a b' });
  assert.deepEqual(matchPath('/jobs/:id', '/jobs/100%'), { id: '100%' });
  assert.equal(matchPath('/jobs/:id', '/jobs'), null);
});

test('labels are pairs', () => {
  assert.deepEqual(parseLabels('desk=energy, quarter = 3,').labels, { desk: 'energy', quarter: '3' });
  assert.match(parseLabels('desk').error, /desk/);
  assert.match(parseLabels('=x').error, /name=value/);
});

test('sorting keeps missing values last in both directions', () => {
  const columns = [{ key: 'n', numeric: true, value: (row) => row.n }];
  const rows = [{ n: 2 }, { n: null }, { n: 10 }];
  const sorted = (descending) => sortRows(rows, columns, { key: 'n', descending }).map(({ n }) => n);
  assert.deepEqual(sorted(false), [2, 10, null]);
  assert.deepEqual(sorted(true), [10, 2, null]);
  assert.deepEqual(nextSort(columns[0], null), { key: 'n', descending: true });
  assert.deepEqual(nextSort(columns[0], { key: 'n', descending: true }), { key: 'n', descending: false });
  assert.equal(nextSort(columns[0], { key: 'n', descending: false }), null);
});

test('sorting words counts the numbers in them, and keeps the order of equal ones', () => {
  const columns = [{ key: 'w', value: (row) => row.w }];
  const rows = [{ w: 'run 10', n: 0 }, { w: 'run 9', n: 1 }, { w: null, n: 2 }, { w: 'run 10', n: 3 }, { w: 8, n: 4 }];
  const sorted = (descending) => sortRows(rows, columns, { key: 'w', descending }).map(({ n }) => n);
  assert.deepEqual(sorted(false), [4, 1, 0, 3, 2]);
  assert.deepEqual(sorted(true), [0, 3, 1, 4, 2]);
});

test('axis labels abbreviate thousands and millions consistently', () => {
  const { short } = profileWords;
  assert.deepEqual([0, 0.5, 999, 1000, 19_003, 4_228_784, 2e9].map(short), ['0', '0.5', '999', '1k', '19k', '4.23M', '2G']);
});

test('a part of a profile and the argument that stopped a run are named in words', () => {
  assert.deepEqual(['engine/peak', 'sentiment/short', 'llm/50', 'other'].map(profileWords.partText), ['Device, peak rates', 'Sentiment model, short texts', 'Language model, 50 tokens', 'other']);
  assert.equal(reasonText('/dataset: The dataset was not found.'), 'Dataset: The dataset was not found.');
  assert.equal(reasonText('/training/sequence_length: It is too long.'), 'Sequence length: It is too long.');
  assert.equal(reasonText('No server was running.'), 'No server was running.');
});

test('a schedule shows the reader\'s time only where it differs', () => {
  assert.equal(asHere('2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00', 'utc'), false);
  assert.equal(asHere('2026-03-29T01:00:00Z', '2026-03-29T01:00:00+00:00', 'utc'), true);
});
