// The documentation's own words and lines, made of the real contract.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contract } from '../fake/contract.mjs';
import { load } from '../support/modules.mjs';

const { ApiReference, rulesOf } = await load('routes/docs/model.ts');
const { curlOf } = await load('routes/docs/curl.ts');
const { paragraphs, runsOf } = await load('routes/docs/prose.ts');
const { pieces } = await load('design/text/code.ts');
const { topicOf } = await load('../tools/documents/markdown.ts');
const { commandsPage } = await load('../tools/documents/commands.ts');
const { settingsPage } = await load('../tools/documents/settings.ts');
const { accuracyPage, measuredPage, speedPage } = await load('../tools/documents/measured.ts');

const reference = new ApiReference(contract);

test('every operation of the contract is there, in a group', () => {
  const ids = Object.values(contract.paths).flatMap((item) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
  assert.deepEqual(reference.calls.map(({ id }) => id).sort(), ids.sort());
  assert.equal(reference.find('').flatMap(({ calls }) => calls).length, ids.length);
});

test('a search matches all of its words', () => {
  const found = (search) => reference.find(search).flatMap(({ calls }) => calls.map(({ id }) => id));
  assert.deepEqual(found('cancelJOB job_id}/cancellation'), ['cancelJob']);
  assert.ok(found('stop').includes('cancelJob'), 'by its summary, too');
  assert.ok(found('idempotency-key').includes('createJob'));
  assert.deepEqual(found('no such words'), []);
  assert.deepEqual(reference.findSchemas('sentimentreport'), ['SentimentReport']);
  assert.ok(reference.findSchemas('custom_id').includes('SentimentItem'), 'by its members, too');
});

test('a schema knows the operations that use it, however deep', () => {
  const users = reference.usersOf('SentimentLabels').map(({ id }) => id);
  assert.ok(users.includes('getJobReport') && !users.includes('getJob'), users.join());
});

test('every failure is listed once', () => {
  const told = reference.failures().map(({ status, name }) => `${status} ${name}`);
  assert.ok(told.includes('401 unauthenticated'), told);
  assert.equal(new Set(reference.failures().map(({ status, description }) => status + description)).size, told.length);
});

test('rules are described in words', () => {
  assert.deepEqual(rulesOf({ minLength: 1, maxLength: 64 }), ['1 to 64 characters']);
  assert.deepEqual(rulesOf({ minimum: 0, exclusiveMinimum: true }), ['more than 0']);
  assert.deepEqual(rulesOf({ maxItems: 10_000, minItems: 1 }), ['1 to 10,000 elements']);
  assert.deepEqual(rulesOf({ enum: ['a', 'b'], default: 'a' }), ['one of a, b', 'default: "a"']);
  assert.deepEqual(rulesOf({ pattern: '^x', 'x-message': 'must begin with x' }), ['must begin with x']);
});

test('every curl line is one command with the arguments that it shows', () => {
  for (const call of reference.calls) {
    const line = curlOf(call, 'http://plimsoll.example');
    const script = `curl() { printf '%s\\0' "$@"; }; PLIMSOLL_TOKEN=secret; ${line}`;
    const given = execFileSync('bash', ['-euc', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
    assert.ok(given.some((argument) => argument.startsWith('http://plimsoll.example/') && !argument.includes('{')), line);
    assert.equal(given.includes('Authorization: Bearer secret'), !call.open, line);
    const json = call.body.find(({ type }) => type === 'application/json');
    if (json) assert.deepEqual(JSON.parse(given[given.indexOf('-d') + 1]), json.example);
  }
});

test('descriptions become paragraphs of plain, fixed-width and strong text', () => {
  assert.deepEqual(paragraphs('**Jobs.** Send\n`POST`.\n\nThen <b>wait</b>.').map(runsOf), [
    [{ text: 'Jobs.', as: 'strong' }, { text: ' Send ', as: 'text' }, { text: 'POST', as: 'code' }, { text: '.', as: 'text' }],
    [{ text: 'Then <b>wait</b>.', as: 'text' }],
  ]);
});

test('coloured code is still the same text', () => {
  for (const [language, text] of [
    ['json', '{\n  "a\\"b": [1, -2.5e3, true, null, "x: 1"]\n}'],
    ['shell', '# first\ncurl "#no remark"\n'],
    ['python', '"""What."""\n# why\nx = "#"'],
    ['text', 'plain "text"'],
  ]) {
    assert.equal(pieces(text, language).map((piece) => piece.text).join(''), text);
  }
  const kinds = pieces('{"a": 1, "b": "c"}', 'json').flatMap(({ text, kind }) => (kind ? [[text, kind]] : []));
  assert.deepEqual(kinds, [['"a"', 'name'], ['1', 'value'], ['"b"', 'name'], ['"c"', 'text']]);
});

test('Markdown becomes sections of plain data, without HTML', () => {
  const { title, lead, sections } = topicOf('# A & B\n\nThe `lead`.\n\n## First one\n\nSee [here](#/docs/api), [there](src/x.md), <b>.\n\n## Two {#second}\n\n| a | b |\n|---|---|\n| `x` | **y** |\n\n```sh\nls <in\n```\n');
  assert.deepEqual([title, lead], ['A & B', 'The lead.']);
  assert.deepEqual(sections.map(({ id }) => id), ['first-one', 'second']);
  assert.deepEqual(sections[0].blocks[0].line.slice(0, 4), ['See ', { as: 'link', text: 'here', href: '#/docs/api' }, ', ', 'there']);
  assert.equal(sections[0].text, 'See here, there, <b>.');
  assert.deepEqual(sections[1].blocks, [
    { as: 'table', head: [['a'], ['b']], rows: [[[{ as: 'code', text: 'x' }], [{ as: 'strong', text: 'y' }]]] },
    { as: 'code', text: 'ls <in', language: 'shell' },
  ]);
  const [, , continued] = topicOf('# A\n\nLead.\n\n## B\n\n1. one\n\n```sh\nls\n```\n\n2. two\n').sections[0].blocks;
  assert.deepEqual(continued, { as: 'list', ordered: true, start: 2, items: [['two']] });
  assert.throws(() => topicOf('# A\n\nLead.\n\nText before a section.'), /before the first section/);
  assert.throws(() => topicOf('# A\n\nLead.\n\n## B\n\n> quoted'), /cannot show/);
});

test('a table whose row has more cells than headings is refused, as its last cells would be lost', () => {
  const page = (row) => topicOf(`# A\n\nLead.\n\n## B\n\n| a | b |\n|---|---|\n${row}\n`).sections[0].text;
  assert.equal(page('| `ls \\| grep` | c |'), 'a b ls | grep c');
  assert.throws(() => page('| `ls \\\\| grep` | c |'), /3 cells below 2 headings/);
});

test('patterns of addresses are code, not links', () => {
  const setting = { key: 'llm.endpoints', value: '', environment: 'LLM', unit: 'https://host[/path], …', help: 'Empty: https://example.org' };
  const { blocks } = topicOf(settingsPage({ settings: [setting], without_effect: [] })).sections[1];
  assert.deepEqual(blocks[0].rows[0].slice(2), [
    [{ as: 'code', text: 'https://host[/path]' }, ', …'],
    ['Empty: ', { as: 'code', text: 'https://example.org' }, '. ', { as: 'code', text: 'LLM' }],
  ]);
});

test('commands are described with their subcommands, settings by their page', () => {
  const option = (names, more = {}) => ({ names, type: 'TEXT:{a,b}', help: 'One | other', positional: false, required: false, ...more });
  const commands = [
    { command: '', help: 'Does things', options: [option('--json')], commands: ['queue'] },
    { command: 'queue', help: 'The queue', options: [], commands: ['share'] },
    { command: 'queue share', help: 'Change a share', options: [option('team', { positional: true, required: true }), option('--http.port')], commands: [] },
  ];
  const { sections } = topicOf(commandsPage({ commands, exit_status: 'Exit status:\n  0  done\n  70 a bug' }));
  assert.deepEqual(sections.map(({ id }) => id), ['plimsoll', 'exit-status', 'queue']);
  assert.match(sections[1].text, /70 a bug/);
  const { blocks, text } = sections[2];
  assert.ok(blocks.some((block) => block.as === 'heading' && block.id === 'queue-share'));
  assert.ok(blocks.some((block) => block.as === 'code' && block.text === 'plimsoll queue share TEAM'));
  assert.match(text, /TEAM \{a,b\}, required One \| other/);
  assert.match(text, /as flags: --http\.port\.$/, 'named, and described by the page of settings');
});

test('what is not measured is listed separately', () => {
  const one = { name: 'speed', area: 'road', ours: 12345.6, unit: 'us/s', peer: 'theirs', peer_value: 2, ratio: 3, must: 4, stretch: 5, met: 'no', machine: 'a machine' };
  const { sections } = topicOf(measuredPage([one, { ...one, name: 'heat', ours: null, met: null, machine: 'not measured: no device' }]));
  assert.deepEqual(sections.map(({ id }) => id), ['reading', 'not-measured', 'road']);
  assert.match(sections[1].text, /heat no device/);
  assert.match(sections[2].text, /speed 12,350\sµs\/s theirs: 2 3 missed \(≥\s4\)/);
});

test('every comparison with another program is on the page of speed, and every error on that of accuracy', () => {
  const results = JSON.parse(readFileSync(new URL('../../bench/results.json', import.meta.url), 'utf8')).filter(({ ours }) => ours !== null);
  const missing = (page, found) => {
    const words = topicOf(page).sections.map(({ text }) => text).join(' ').replace(/\s+/g, ' ');
    return results.filter(found).map(({ name }) => name).filter((name) => !words.includes(name));
  };
  assert.deepEqual(missing(speedPage(results), ({ peer, area }) => area !== 'against an earlier state' && / \d+\.\d+/.test(peer ?? '')), []);
  assert.deepEqual(missing(accuracyPage(results), ({ name }) => /error of|logit/.test(name)), []);
});
