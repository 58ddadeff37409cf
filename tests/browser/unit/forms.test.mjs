// What forms send, what they refuse before they send it, and the commands that do the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { load } from '../support/modules.mjs';

globalThis.location = { origin: 'http://plimsoll.test' };
globalThis.localStorage = { getItem: () => null, setItem() {}, removeItem() {} };
const training = await load('jobs/training-config/form/draft.ts');
const waves = await load('jobs/waves/form/draft.ts');
const { asCommand, asCurl, asPython } = await load('routes/new/equivalent.ts');

const trainingArgs = (fields) => training.toArgs({ ...training.freshDraft(), ...fields }, undefined);

test('an untouched training form sends its defaults, and nothing that has no effect', () => {
  const args = trainingArgs({});
  assert.deepEqual(args.model, { preset: 'bert-base' });
  assert.equal(args.goal, 'fill');
  for (const name of ['cluster', 'allocator', 'observed', 'stages', 'learning_rate']) assert.ok(!(name in args), name);
  assert.ok(!('lora' in args.training));
});

test('text that is not a number is sent unchanged, for the server to name the rule', () => {
  const { training: sent, workload } = trainingArgs({ sequence: ' 256 ', batch: 'many', epochs: '' });
  assert.equal(sent.sequence_length, 256);
  assert.equal(sent.batch, 'many');
  assert.ok(!('epochs' in workload));
});

test('a batch that is asked about leaves no goal', () => {
  assert.ok(!('goal' in trainingArgs({ batch: '8' })));
});

test('lengths of texts are pairs, with blanks or commas between', () => {
  assert.deepEqual(trainingArgs({ lengths: '64:900, 256:100' }).training.length_histogram, [{ tokens: 64, samples: 900 }, { tokens: 256, samples: 100 }]);
});

test('several GPUs, or an offload, make a cluster; its kernel is not the form’s', () => {
  assert.deepEqual(trainingArgs({ cards: '4', sharding: 'zero2' }).cluster, { cards: 4, sharding: 'zero2' });
  const offloaded = trainingArgs({ offload: 'optimizer' });
  assert.deepEqual(offloaded.cluster, { cards: 1, sharding: 'ddp', offload: 'optimizer' });
  assert.ok(!('optimizer_kernel' in offloaded.training));
});

test('the guide’s model says that it has no adapters and no curriculum, which the server would assume', () => {
  const bare = trainingArgs({ preset: 'naics-4ch' });
  assert.deepEqual([bare.training.lora, bare.stages], [{ rank: 0 }, []]);
  const usual = trainingArgs({ preset: 'naics-4ch', ...training.usualSettings('naics-4ch') });
  assert.deepEqual(usual.training.lora, { rank: 8, targets: 'all_linear' });
  assert.equal(usual.stages.length, 2);
});

test('a model of its own dimensions has heads unless it is an LSTM', () => {
  const dimensions = { source: 'dimensions', layers: '2', hidden: '64', heads: '4' };
  assert.deepEqual(trainingArgs({ ...dimensions, family: 'gpt2' }).model.dimensions, { family: 'gpt2', layers: 2, hidden: 64, heads: 4 });
  assert.ok(!('heads' in trainingArgs({ ...dimensions, family: 'lstm' }).model.dimensions));
});

test('a config.json is an object, or the form says why not', () => {
  assert.deepEqual(training.readConfig('{"layers": 2}'), { config: { layers: 2 } });
  for (const [text, why] of [['', /Paste/], ['[1]', /must be an object/], ['{', /not JSON/]]) assert.match(training.readConfig(text).problem, why);
});

test('every preset has settings of its own kind', () => {
  for (const [, names] of training.presets) for (const name of names) assert.ok('sequence' in training.usualSettings(name), name);
  assert.equal(training.usualSettings('vit-base').sequence, '');
  assert.equal(training.usualSettings('gpt2').sequence, '1024');
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
