// What forms send, what they refuse before they send it, and the commands that do the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

globalThis.location = { origin: 'http://plimsoll.test' };
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
const training = await load('jobs/training-config/form/draft.ts');
const { presets, readConfig, usualLength } = await load('jobs/training-config/presets.ts');
const waves = await load('jobs/waves/form/draft.ts');
const { asCommand, asCurl, asPython } = await load('routes/new/equivalent.ts');

const fresh = training.freshDraft();
/** The arguments of a fresh form in which these options, by pointer, were filled in. */
const trainingArgs = (values, fields) => {
  const fresh = training.freshDraft();
  return training.toArgs({ ...fresh, ...fields, values: { ...fresh.values, ...values } });
};

test('an untouched training form sends what has no default, and leaves the rest to the server', () => {
  assert.deepEqual(trainingArgs({}), { model: { preset: 'bert-base' }, training: { precision: 'auto', sequence_length: 128 }, goal: 'batch' });
});

test('text that is not a number is sent unchanged, for the server to name the rule', () => {
  const { training: sent } = trainingArgs({ '/training/sequence_length': ' 256 ', '/training/batch': 'many' });
  assert.deepEqual([sent.sequence_length, sent.batch], [256, 'many']);
});

test('a batch that is asked about leaves no goal', () => {
  const goal = training.options.find(({ pointer }) => pointer === '/goal');
  const [other] = goal.words.map(([word]) => word).filter((word) => word !== goal.usual);
  assert.equal(trainingArgs({ '/goal': other }).goal, other);
  assert.ok(!('goal' in trainingArgs({ '/goal': other, '/training/batch': '8' })));
});

test('lengths of texts are pairs, with blanks or commas between', () => {
  assert.deepEqual(trainingArgs({ '/training/length_histogram': '64:900, 256:100' }).training.length_histogram, [{ tokens: 64, samples: 900 }, { tokens: 256, samples: 100 }]);
});

test('sharding needs several GPUs or an offload, which has no kernel of the form’s', () => {
  assert.deepEqual(trainingArgs({ '/cluster/cards': '4', '/cluster/sharding': 'zero2' }).cluster, { cards: 4, sharding: 'zero2' });
  assert.ok(!('cluster' in trainingArgs({ '/cluster/sharding': 'zero2' })));
  const offloaded = trainingArgs({ '/cluster/offload': 'optimizer', '/training/optimizer_kernel': 'foreach' });
  assert.deepEqual(offloaded.cluster, { offload: 'optimizer' });
  assert.ok(!('optimizer_kernel' in offloaded.training));
});

test('the guide’s model says that it has no adapters and no curriculum, which the server would assume', () => {
  const bare = trainingArgs({}, { preset: 'naics-4ch' });
  assert.deepEqual([bare.training.lora, bare.stages], [{ rank: 0 }, []]);
  const usual = training.toArgs(training.draftOf('naics-4ch'));
  assert.equal(usual.training.lora.rank, 8);
  assert.equal(usual.stages.length, 2);
});

test('a model of its own dimensions has heads unless it is an LSTM', () => {
  const asked = (family) => trainingArgs({ '/model/dimensions/family': family, '/model/dimensions/layers': '2' }, { source: 'dimensions' }).model.dimensions;
  assert.deepEqual(asked('gpt2'), { family: 'gpt2', layers: 2, hidden: 768, heads: 12 });
  assert.ok(!('heads' in asked('lstm')));
});

test('a config.json is an object, or the form says why not', () => {
  assert.deepEqual(readConfig('{"layers": 2}'), { config: { layers: 2 } });
  for (const [text, why] of [['', /Paste/], ['[1]', /must be an object/], ['{', /not JSON/]]) assert.match(readConfig(text).problem, why);
});

test('every preset has a usual length of its kind', () => {
  for (const [, names] of presets) for (const name of names) assert.match(usualLength(name), /^\d*$/, name);
  assert.deepEqual(['vit-base', 'gpt2', 't5-small', 'bert-base'].map(usualLength), ['', '1024', '512', '128']);
});

const wavesDraft = (fields) => ({ ...waves.freshDraft(), ...fields });

test('prices are needed, and are not too many', () => {
  assert.match(waves.whyNot(wavesDraft({})), /Paste prices/);
  assert.match(waves.whyNot(wavesDraft({ source: 'file' })), /Choose a file/);
  assert.match(waves.whyNot(wavesDraft({ source: 'dataset', dataset: ' ' })), /Choose a dataset/);
  assert.match(waves.whyNot(wavesDraft({ pasted: 'é'.repeat(waves.mostBytes / 2 + 1) })), /exceed 8 MB/);
  assert.equal(waves.whyNot(wavesDraft({ pasted: 'close\n1\n' })), undefined);
});

test('settings are lines of key and value; a file names its symbol', () => {
  assert.deepEqual(waves.parseSettings('a: 1 # one\n\nb: x:y\nc: [1, 2]').settings, { a: 1, b: 'x:y', c: [1, 2] });
  assert.match(waves.parseSettings('a: 1\nnonsense').problem, /Line 2/);
  const args = waves.toArgs(wavesDraft({ source: 'file', file: { name: 'DAX.daily.csv', text: 'close\n1\n' }, symbols: 'DAX, MDAX', topN: '', other: 'min_bars: 5' }));
  assert.deepEqual([args.symbol, args.format, args.symbols, args.min_bars], ['DAX.daily', 'csv', ['DAX', 'MDAX'], 5]);
  assert.ok(!('top_n' in args) && !('scan_pattern_types' in args));
});

const spec = { kind: 'sentiment', name: "It's", labels: { desk: 'a b' }, priority: 2, args: { texts: ["It's", 'good'], model: null, deep: { yes: true } } };

test('several files of prices are one, told apart by their names', () => {
  const { text } = waves.joined([
    { name: 'AAPL.csv', text: 'Date,Close,Volume\n2024-01-02,185.6,1\n' },
    { name: 'SAP.DE.csv', text: 'Price,Close\nTicker,SAP.DE\nDate,\n2024-01-02,139.4\n' },
    { name: 'both.jsonl', text: '{"symbol": "A,B", "close": 1}\n{"close": 2}\n' },
  ]);
  assert.deepEqual(text.split('\n'), ['symbol,date,close,volume', 'AAPL,2024-01-02,185.6,1', 'SAP.DE,2024-01-02,139.4,', '"A,B",,1,', 'both,,2,']);
  assert.throws(() => waves.joined([{ name: 'bad.csv', text: 'close\n"1' }]), /bad\.csv: Line/);
});

test('commands hold every character of what they send', () => {
  const shell = (text) => execFileSync('sh', ['-c', text]).toString();
  const { commands } = asCommand(spec);
  const shown = commands.replace('plimsoll submit', 'printf "%s\\n"').replace('cat > args.json', 'cat > /dev/null');
  assert.deepEqual(shell(shown).trimEnd().split('\n'), ['sentiment', 'args.json', '--name', "It's", '--label', 'desk=a b', '--priority', '2', '--watch']);
  const sent = asCurl('/v1/jobs', spec).commands.replace(/^curl[^<]*/, 'cat ');
  assert.deepEqual(JSON.parse(shell(sent)), spec);
});

test('a long value goes into a file', () => {
  const long = { ...spec, args: { texts: ['x'.repeat(3_001)] } };
  for (const made of [asCommand(long), asPython(long)]) assert.deepEqual(made.file, { name: 'args.json', content: long.args });
  assert.deepEqual(asCurl('/v1/jobs', long).file, { name: 'body.json', content: long });
  assert.match(asPython(long).commands, /json\.load\(open\("args\.json"\)\)/);
});

test('a program in Python is Python', () => {
  const { commands } = asPython(spec);
  const parsed = execFileSync('python3', ['-c', 'import ast, sys; call = [n for n in ast.walk(ast.parse(sys.stdin.read())) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "submit"][0]; print(ast.literal_eval(call.args[1]))'], { input: commands }).toString();
  assert.equal(parsed.trim(), `{'texts': ["It's", 'good'], 'model': None, 'deep': {'yes': True}}`);
});
