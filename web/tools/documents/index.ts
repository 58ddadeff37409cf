import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { commandsPage } from './commands';
import { topicOf } from './markdown';
import { measuredPage } from './measured';
import { settingsPage } from './settings';

const query = '?document';
// Ids end otherwise than the files do, so that no other plugin takes them for JSON.
const mark = '.document';

/** Data that is described as a page, by file name. */
const pages: Record<string, (data: never) => string> = {
  'commands.json': commandsPage,
  'settings.json': settingsPage,
  'results.json': measuredPage,
};

const markdownOf = (file: string, text: string) => {
  const page = pages[basename(file)];
  return page ? page(JSON.parse(text) as never) : text;
};

/** Turns `import topic from 'file.md?document'` into a page of the documentation at build time, so that browsers get no
    Markdown and no parser. */
export function documents(): Plugin {
  return {
    name: 'plimsoll-documents',
    enforce: 'pre',
    resolveId(source, importer) {
      return source.endsWith(query) ? join(dirname(importer!), source.slice(0, -query.length)) + mark : null;
    },
    async load(id) {
      if (!id.endsWith(mark)) return null;
      const file = id.slice(0, -mark.length);
      this.addWatchFile(file);
      const topic = topicOf(markdownOf(file, await readFile(file, 'utf8')));
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(topic))})`;
    },
  };
}
