import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin, Rollup } from 'vite';

interface Limits {
  /** Compressed size of everything the first page must load before it shows. */
  initialKilobytes: number;
  /** Compressed size of all scripts and style sheets together. */
  totalKilobytes: number;
}

const kilobytes = (content: string | Uint8Array) => gzipSync(content, { level: 9 }).length / 1000;

/** Follows static imports from the entry: what a browser needs before anything is drawn. */
function initialChunks(bundle: Rollup.OutputBundle): Rollup.OutputChunk[] {
  const found = new Map<string, Rollup.OutputChunk>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (chunk?.type !== 'chunk' || found.has(name)) return;
    found.set(name, chunk);
    chunk.imports.forEach(visit);
  };
  for (const chunk of Object.values(bundle)) {
    if (chunk.type === 'chunk' && chunk.isEntry) visit(chunk.fileName);
  }
  return [...found.values()];
}

/** Fails the build when the pages grow past their budget (1 kB = 1000 bytes, gzip level 9). */
export function budget(limits: Limits): Plugin {
  return {
    name: 'plimsoll-budget',
    apply: 'build',
    enforce: 'post',
    writeBundle(options, bundle) {
      const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
      const initial = sum(initialChunks(bundle).map((chunk) => kilobytes(chunk.code)));
      const total = sum(
        Object.values(bundle)
          .filter((file) => /\.(js|css)$/.test(file.fileName))
          .map((file) => kilobytes(file.type === 'chunk' ? file.code : file.source)),
      );
      const line = `initial JavaScript ${initial.toFixed(1)} of ${limits.initialKilobytes} kB, all assets ${total.toFixed(1)} of ${limits.totalKilobytes} kB (gzip)`;
      if (initial > limits.initialKilobytes || total > limits.totalKilobytes) {
        rmSync(join(options.dir!, 'index.html'), { force: true }); // so that the next build does not find it up to date
        this.error(`over budget: ${line}`);
      }
      this.info(line);
    },
  };
}
