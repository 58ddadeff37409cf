// Loads a TypeScript module of the pages into Node, compiled by the compiler that Vite brings along.
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const web = new URL('../../../web/', import.meta.url);
const require = createRequire(new URL('package.json', web));
const { build, transform } = require('esbuild');
const { compileModule } = require('svelte/compiler');

/** Modules with runes are compiled by Svelte. */
const runes = {
  name: 'runes',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte\.ts$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', target: 'esnext' });
      return { contents: compileModule(code, { filename: path, generate: 'client' }).js.code, loader: 'js' };
    });
  },
};

/** What these modules export, together: they share what they import. Paths are below web/src. */
export async function load(...paths) {
  const { outputFiles } = await build({
    stdin: { contents: paths.map((path) => `export * from './${path}';`).join('\n'), resolveDir: fileURLToPath(new URL('src', web)) },
    bundle: true,
    // Pages of the documentation are made by Vite; what only lists them needs none.
    external: ['*?document'],
    format: 'esm',
    plugins: [runes],
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
