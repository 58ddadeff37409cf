import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

interface Options {
  extensions: string[];
}

/** Writes name.gz beside each text asset, so that the server sends it without compressing anything. */
export function compress({ extensions }: Options): Plugin {
  let folder = '';
  return {
    name: 'plimsoll-compress',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (!entry.isFile() || !extensions.includes(extname(entry.name))) continue;
        const file = join(entry.path, entry.name);
        await writeFile(`${file}.gz`, gzipSync(await readFile(file), { level: 9 }));
      }
    },
  };
}
