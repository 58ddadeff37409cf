import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, Rollup } from 'vite';
import { closure } from './budget';

const file = 'early.js';
const gap = 'const scripts = {};';

/** Fills in the scripts that public/early.js asks for before anything else. `pages`: its names of pages, with the ends of
    the paths of the modules that each shows at once. */
export function early(pages: Record<string, readonly string[]>): Plugin {
  return {
    name: 'plimsoll-early',
    apply: 'build',
    async writeBundle(options, bundle) {
      const chunks = Object.values(bundle).filter((one): one is Rollup.OutputChunk => one.type === 'chunk');
      const ofFrame = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...closure(bundle, fileName)]));
      const scripts = Object.entries(pages).map(([name, ends]) => {
        const shown = ends.map((end) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(end)) ?? this.error(`no script begins with ${end}`));
        const needed = new Set(shown.flatMap(({ fileName }) => [...closure(bundle, fileName)]));
        // index.html asks for those of the frame.
        return [name, [...needed].filter((chunk) => !ofFrame.has(chunk)).map(({ fileName }) => `/${fileName}`)];
      });
      const path = join(options.dir!, file);
      const text = await readFile(path, 'utf8');
      if (!text.includes(gap)) this.error(`${file} has no "${gap}"`);
      await writeFile(path, text.replace(gap, `const scripts = ${JSON.stringify(Object.fromEntries(scripts))};`));
    },
  };
}
