import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, Rollup } from 'vite';
import { closure } from './budget';

const file = 'early.js';
const gap = 'const scripts = {};';

/** The report of a job kind. */
const report = /\/src\/jobs\/([\w-]+)\/.*Report\.svelte$/;

/** Fills in the scripts that public/early.js asks for before anything else. `pages`: its names of pages, with the ends of
    the paths of the modules that each shows at once. The reports of all kinds are found by their names. */
export function early(pages: Record<string, readonly string[]>): Plugin {
  return {
    name: 'plimsoll-early',
    apply: 'build',
    async writeBundle(options, bundle) {
      const chunks = Object.values(bundle).filter((one): one is Rollup.OutputChunk => one.type === 'chunk');
      const ofFrame = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...closure(bundle, fileName)]));
      // index.html asks for those of the frame.
      const needs = (shown: readonly Rollup.OutputChunk[]) =>
        [...new Set(shown.flatMap(({ fileName }) => [...closure(bundle, fileName)]))].filter((chunk) => !ofFrame.has(chunk)).map(({ fileName }) => `/${fileName}`);
      const chunkOf = (end: string) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(end)) ?? this.error(`no script begins with ${end}`);
      const ofPages = Object.entries(pages).map(([name, ends]) => [name, needs(ends.map(chunkOf))] as const);
      const ofReports = chunks.flatMap((chunk) => {
        const kind = report.exec(chunk.facadeModuleId ?? '')?.[1];
        return kind ? [[`report of ${kind}`, needs([chunk])] as const] : [];
      });
      const alreadyOf = new Set(ofPages.find(([name]) => name === 'job')?.[1]);
      const scripts = [...ofPages, ...ofReports.map(([name, files]) => [name, files.filter((one) => !alreadyOf.has(one))] as const)];
      const path = join(options.dir!, file);
      const text = await readFile(path, 'utf8');
      if (!text.includes(gap)) this.error(`${file} has no "${gap}"`);
      await writeFile(path, text.replace(gap, `const scripts = ${JSON.stringify(Object.fromEntries(scripts))};`));
    },
  };
}
