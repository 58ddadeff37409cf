// Loads a TypeScript module of the pages into Node, compiled by the compiler that Vite brings along.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const web = new URL('../../../web/', import.meta.url);
const { build } = createRequire(new URL('package.json', web))('esbuild');

/** @param path below web/src */
export async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`src/${path}`, web))],
    bundle: true,
    // Pages of the documentation are made by Vite; what only lists them needs none.
    external: ['*?document'],
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
