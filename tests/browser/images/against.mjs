// What the pages look like now, compared with how they looked at a commit: node against.mjs COMMIT [PATTERN-OF-NAMES] [WIDTHS]
// Pictures of two machines differ in every letter, so none are in the repository: this builds the commit's pages, and its
// own tests take the pictures here. They stay in build/pictures/COMMIT for the next time.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const [commit, ...choice] = process.argv.slice(2);
if (!commit) throw new Error('usage: node against.mjs COMMIT [PATTERN-OF-NAMES] [WIDTHS]');

const run = (folder, program, ...words) => execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
const told = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();

/** The packages of a folder, shared where the commit's are the same. */
async function install(tree, folder) {
  const lock = (place) => readFile(join(place, folder, 'package-lock.json'), 'utf8');
  const kept = join(root, folder, 'node_modules');
  if (existsSync(kept) && (await lock(tree)) === (await lock(root))) await symlink(kept, join(tree, folder, 'node_modules'));
  else run(join(tree, folder), 'npm', 'ci');
}

/** Builds the pages of a tree and takes their pictures. */
function take(tree, pictures) {
  run(join(tree, 'web'), 'npm', 'run', 'build');
  run(join(tree, 'tests/browser'), process.execPath, 'screenshots.mjs', pictures, ...choice);
}

const pictures = join(root, 'build/pictures');
const hash = told('rev-parse', '--verify', `${commit}^{commit}`);
const kept = join(pictures, [hash, ...choice.map(encodeURIComponent)].join('-'));
if (!existsSync(kept)) {
  const tree = await mkdtemp(join(tmpdir(), 'plimsoll-pictures-'));
  try {
    run(root, 'git', 'worktree', 'add', '--detach', tree, hash);
    for (const folder of ['web', 'tests/browser']) await install(tree, folder);
    const unfinished = `${kept}.part`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    take(tree, unfinished);
    execFileSync('mv', [unfinished, kept]);
  } finally {
    run(root, 'git', 'worktree', 'remove', '--force', tree);
  }
}
const [fresh, differences] = ['now', 'differences'].map((name) => join(pictures, name));
for (const folder of [fresh, differences]) await rm(folder, { recursive: true, force: true });
take(root, fresh);
try {
  run(import.meta.dirname, process.execPath, 'compare.mjs', kept, fresh, differences);
} catch {
  console.log(`what differs is marked in ${differences}`);
  process.exitCode = 1;
}
