// What changed between two sets of screenshots: node compare.mjs KEPT NEW DIFFERENCES
// Names each picture that is new, gone, of another size or different, the most different first, writes what differs to the
// folder DIFFERENCES, and fails if there is any.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const alike = 0.1; // of the distance between black and white: what smoothing of the same glyphs may differ by

const [kept, fresh, out] = process.argv.slice(2);
if (!out) throw new Error('usage: node compare.mjs KEPT NEW DIFFERENCES');
await mkdir(out, { recursive: true });

const picturesIn = async (folder) => new Set((await readdir(folder)).filter((name) => name.endsWith('.png')));
const read = async (folder, name) => PNG.sync.read(await readFile(join(folder, name)));

/** The picture on a canvas of this size, its lower and right rest empty. */
function onCanvas(picture, width, height) {
  const canvas = new PNG({ width, height });
  PNG.bitblt(picture, canvas, 0, 0, picture.width, picture.height, 0, 0);
  return canvas;
}

const before = await picturesIn(kept);
const after = await picturesIn(fresh);
if (before.size === 0) throw new Error(`no pictures in ${kept}`);
const found = [];
let same = 0;
for (const name of [...new Set([...before, ...after])].sort()) {
  if (!after.has(name)) found.push({ name, share: 1, words: 'gone' });
  else if (!before.has(name)) found.push({ name, share: 1, words: 'new' });
  else {
    const [one, other] = [await read(kept, name), await read(fresh, name)];
    const width = Math.max(one.width, other.width);
    const height = Math.max(one.height, other.height);
    const difference = new PNG({ width, height });
    const pixels = pixelmatch(onCanvas(one, width, height).data, onCanvas(other, width, height).data, difference.data, width, height, { threshold: alike });
    const size = one.width === other.width && one.height === other.height ? '' : `, ${one.width} x ${one.height} became ${other.width} x ${other.height}`;
    if (pixels === 0 && !size) {
      same += 1;
      continue;
    }
    const share = pixels / (width * height);
    found.push({ name, share, words: `${(100 * share).toFixed(2)} % of its pixels${size}` });
    await writeFile(join(out, name), PNG.sync.write(difference));
  }
}
for (const { name, words } of found.sort((one, other) => other.share - one.share)) console.log(`${name}: ${words}`);
console.log(`${same} of ${same + found.length} pictures are the same`);
process.exitCode = found.length > 0 ? 1 : 0;
