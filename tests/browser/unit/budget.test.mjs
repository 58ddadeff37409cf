// The budget of the pages' size: a build above it fails, and fails again.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';

const web = new URL('../../../web/', import.meta.url);
const { build, runnerImport } = await import(new URL('node_modules/vite/dist/node/index.js', web));
const { budget } = (await runnerImport(fileURLToPath(new URL('tools/budget.ts', web)), { configFile: false })).module;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-budget-'));
  const noise = Array.from({ length: 4000 }, (_, at) => `w${(at * 7919) % 100_003}`).join(' ');
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
  await writeFile(join(folder, 'main.js'), "document.body.onclick = () => Promise.all([import('./home.js'), import('./later.js')]);");
  await writeFile(join(folder, 'home.js'), 'export default document.title;');
  await writeFile(join(folder, 'later.js'), `export default ${JSON.stringify(noise)};`);
});
after(() => rm(folder, { recursive: true }));

const roomy = { first: ['/home.js'], firstKilobytes: 60, partKilobytes: 60, styleKilobytes: 1 };
const run = (limits) =>
  build({ root: folder, configFile: false, logLevel: 'silent', build: { modulePreload: false }, plugins: [budget({ ...roomy, ...limits })] });
const built = () => existsSync(join(folder, 'dist/index.html'));

test('a build within its budget passes', async () => {
  await run({});
  assert.ok(built());
});

test('a part that is too large fails every build, and leaves no output', async () => {
  for (const time of ['first', 'second']) {
    await assert.rejects(run({ partKilobytes: 5 }), /over budget \(gzip\): later \d+\.\d of 5 kB/, time);
    assert.ok(!built(), time);
  }
});

test('only what the first page shows counts towards it', async () => {
  await run({ firstKilobytes: 2 });
  await assert.rejects(run({ first: ['/later.js'], firstKilobytes: 2 }), /first page \d+\.\d of 2 kB/);
  await assert.rejects(run({ first: ['/moved.js'] }), /the first page has no \/moved\.js/);
});
