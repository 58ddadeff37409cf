import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

const { detectDelimiter, parseCsv } = await load('services/files/csv.ts');
const { readRecords, UnreadableFile } = await load('services/files/records.ts');

const rows = (text) => parseCsv(text).rows;

test('plain records, with and without a last line break', () => {
  assert.deepEqual(rows('a,b\n1,2\n'), [['a', 'b'], ['1', '2']]);
  assert.deepEqual(rows('a,b\r\n1,2'), [['a', 'b'], ['1', '2']]);
  assert.deepEqual(rows(''), []);
});

test('quotes hold delimiters, line breaks and doubled quotes', () => {
  assert.deepEqual(rows('id,text\n1,"He said ""no"", twice\nand left"\n2,x'), [
    ['id', 'text'],
    ['1', 'He said "no", twice\nand left'],
    ['2', 'x'],
  ]);
});

test('empty fields stay, empty lines go', () => {
  assert.deepEqual(rows('a,,c\n\n,\n'), [['a', '', 'c'], ['', '']]);
  assert.deepEqual(rows('a,'), [['a', '']]);
  assert.deepEqual(rows('""\n'), []);
});

test('a byte order mark is not content', () => {
  assert.deepEqual(rows('\uFEFFid;text\n1;a'), [['id', 'text'], ['1', 'a']]);
});

test('the delimiter is found outside quotes', () => {
  assert.equal(detectDelimiter('"a,b,c";d\n'), ';');
  assert.equal(detectDelimiter('a\tb\n1,2,3,4'), '\t');
  assert.equal(detectDelimiter('a|b\n1,2,3,4'), '|');
  assert.equal(detectDelimiter('no delimiter at all'), ',');
  assert.deepEqual(rows('sep=;\r\na,b;c\r\n1;2'), [['a,b', 'c'], ['1', '2']]);
  assert.equal(parseCsv('sep=|\na|b\n"c').error.line, 3);
});

test('a broken quote is named by its line', () => {
  assert.deepEqual(parseCsv('a\nb\n"c').error, { line: 3, message: 'A quote is opened here but never closed.' });
  assert.equal(parseCsv('"a" b,c').error.line, 1);
});

test('reading stops at the limit', () => {
  assert.deepEqual(parseCsv('1\n2\n3\n', 2).rows, [['1'], ['2']]);
});

test('CSV columns are named by the header or by number', () => {
  assert.deepEqual(readRecords('id,text\n1,a,extra\n2', true), {
    format: 'CSV',
    columns: ['id', 'text', 'Column 3'],
    rows: [['1', 'a', 'extra'], ['2', '', '']],
  });
  assert.deepEqual(readRecords('a,b', false).columns, ['Column 1', 'Column 2']);
});

test('JSON lines: objects, plain texts, members that come and go', () => {
  assert.deepEqual(readRecords('{"id":1,"text":"a"}\n\n{"text":"b","note":null}\n', true), {
    format: 'JSONL',
    columns: ['id', 'text', 'note'],
    rows: [['1', 'a', ''], ['', 'b', '']],
  });
  assert.deepEqual(readRecords('"one"\n"two"', true).rows, [['one'], ['two']]);
});

test('a CSV file that begins with a quote is not taken for JSON', () => {
  assert.equal(readRecords('"id","text"\n"1","a"', true).format, 'CSV');
});

test('a line that is not JSON is named', () => {
  assert.throws(() => readRecords('{"text":"a"}\n{oops}', true), (error) => error instanceof UnreadableFile && /Line 2/.test(error.message));
  assert.throws(() => readRecords('{"text":"a"}\n[1]', true), /Line 2/);
});
