import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin, Rollup } from 'vite';

interface Limits {
  /** What the first page shows beyond the frame: the ends of its modules' paths. */
  first: readonly string[];
  /** Compressed size of the scripts that the first page needs until all of it is there. */
  firstKilobytes: number;
  /** Compressed size of the scripts that any one later part (a page, a form, a report) needs, the frame's included. */
  partKilobytes: number;
  /** Compressed size of the style sheets, which are shared by all pages. */
  styleKilobytes: number;
}

const kilobytes = (content: string | Uint8Array) => gzipSync(content, { level: 9 }).length / 1000;

/** The chunk and everything that it imports statically: what a browser needs before anything is drawn. */
export function closure(bundle: Rollup.OutputBundle, entry: string): Set<Rollup.OutputChunk> {
  const found = new Set<Rollup.OutputChunk>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (chunk?.type !== 'chunk' || found.has(chunk)) return;
    found.add(chunk);
    chunk.imports.forEach(visit);
  };
  visit(entry);
  return found;
}

/** Fails the build when a part of the pages exceeds its budget (1 kB = 1000 bytes, gzip level 9). A new job kind adds
    parts of its own and leaves the budgets of the others alone. */
export function budget(limits: Limits): Plugin {
  return {
    name: 'plimsoll-budget',
    apply: 'build',
    enforce: 'post',
    writeBundle(options, bundle) {
      const sizes = new Map<Rollup.OutputChunk, number>();
      const chunks = Object.values(bundle).filter((file): file is Rollup.OutputChunk => file.type === 'chunk');
      for (const chunk of chunks) sizes.set(chunk, kilobytes(chunk.code));
      const sum = (some: Iterable<Rollup.OutputChunk>) => [...some].reduce((total, chunk) => total + sizes.get(chunk)!, 0);

      const missing = limits.first.filter((end) => !chunks.some(({ facadeModuleId }) => facadeModuleId?.endsWith(end)));
      if (missing.length > 0) this.error(`the first page has no ${missing.join(', ')}: see vite.config.ts`);
      const initial = new Set(chunks.filter((chunk) => chunk.isEntry).flatMap((chunk) => [...closure(bundle, chunk.fileName)]));
      const shown = chunks.filter(({ facadeModuleId }) => limits.first.some((end) => facadeModuleId?.endsWith(end)));
      const first = new Set([...initial, ...shown.flatMap((chunk) => [...closure(bundle, chunk.fileName)])]);
      const parts = chunks
        .filter((chunk) => chunk.isDynamicEntry)
        .map((chunk) => ({ name: chunk.name, size: sum(new Set([...initial, ...closure(bundle, chunk.fileName)])) }))
        .sort((a, b) => b.size - a.size);
      const style = Object.values(bundle)
        .filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
        .reduce((total, file) => total + kilobytes((file as Rollup.OutputAsset).source), 0);

      const rows = [
        { name: 'first page', size: sum(first), limit: limits.firstKilobytes },
        { name: 'style sheets', size: style, limit: limits.styleKilobytes },
        ...parts.map((part) => ({ ...part, limit: limits.partKilobytes })),
      ];
      const line = ({ name, size, limit }: (typeof rows)[number]) => `${name} ${size.toFixed(1)} of ${limit} kB`;
      const over = rows.filter(({ size, limit }) => size > limit);
      if (over.length > 0) {
        // Without this the next build would find its output up to date and pass.
        rmSync(join(options.dir!, 'index.html'), { force: true });
        this.error(`over budget (gzip): ${over.map(line).join(', ')}`);
      }
      this.info(`gzip: ${rows.slice(0, 3).map(line).join(', ')}; all scripts ${sum(chunks).toFixed(1)} kB`);
    },
  };
}
