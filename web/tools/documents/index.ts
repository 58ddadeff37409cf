import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { commandsPage } from './commands';
import { topicOf } from './markdown';
import { accuracyPage, measuredPage, speedPage } from './measured';
import { settingsPage } from './settings';

/** Of `file.json?document`, or of one of several pages about it: `file.json?document=speed`. */
const query = /\?document(?:=(\w+))?$/;
// Ids end otherwise than the files do, so that no other plugin takes them for JSON.
const mark = /\.(\w*)\.document$/;

/** Data that is described as a page, by file name, and which of its pages. */
const pages: Record<string, (data: never) => string> = {
  'commands.json': commandsPage,
  'settings.json': settingsPage,
  'results.json': measuredPage,
  'results.json=accuracy': accuracyPage,
  'results.json=speed': speedPage,
};

const markdownOf = (file: string, name: string, text: string) => {
  const page = pages[basename(file) + (name && `=${name}`)];
  return page ? page(JSON.parse(text) as never) : text;
};

/** Turns `import topic from 'file.md?document'` into a page of the documentation at build time, so that browsers get no
    Markdown and no parser. */
export function documents(): Plugin {
  return {
    name: 'plimsoll-documents',
    enforce: 'pre',
    resolveId(source, importer) {
      const asked = query.exec(source);
      return asked && `${join(dirname(importer!), source.slice(0, asked.index))}.${asked[1] ?? ''}.document`;
    },
    async load(id) {
      const asked = mark.exec(id);
      if (!asked) return null;
      const file = id.slice(0, asked.index);
      this.addWatchFile(file);
      const topic = topicOf(markdownOf(file, asked[1]!, await readFile(file, 'utf8')));
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(topic))})`;
    },
  };
}
