import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

const here = fileURLToPath(new URL('.', import.meta.url));
/** The short names of components in selectors, and whose each is. */
const scopes = new Map();

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    // Short, because every page carries all styles.
    cssHash({ hash, filename }) {
      const path = relative(here, filename);
      const scope = `s${hash(path).slice(0, 4)}`;
      if (scopes.has(scope) && scopes.get(scope) !== path) throw new Error(`${path} and ${scopes.get(scope)} have the same scope: rename one`);
      scopes.set(scope, path);
      return scope;
    },
  },
};
