export type Language = 'json' | 'shell' | 'python' | 'typescript' | 'text';

/** A run of characters that look alike; without a kind they look like text. */
export interface Piece {
  text: string;
  kind?: 'name' | 'text' | 'value' | 'remark';
}

const json = /(?<name>"(?:\\.|[^"\\])*")(?=\s*:)|(?<text>"(?:\\.|[^"\\])*")|(?<value>\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/g;
const patterns: Record<Language, RegExp | undefined> = {
  json,
  // Only whole lines: a # elsewhere may be anything.
  shell: /(?<remark>^[ \t]*#.*$)/gm,
  python: /(?<text>"""[^]*?""")|(?<remark>^[ \t]*#.*$)/gm,
  typescript: /(?<remark>^[ \t]*(?:\/\/.*|\/\*\*.*\*\/)$)/gm,
  text: undefined,
};

/** The text in pieces to colour. */
export function pieces(text: string, language: Language): Piece[] {
  const pattern = patterns[language];
  if (!pattern) return [{ text }];
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index) });
    const kind = Object.entries(match.groups ?? {}).find(([, group]) => group !== undefined)?.[0];
    found.push({ text: match[0], kind: kind as Piece['kind'] });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at) });
  return found;
}

/** The commands of a script without its header: everything after the first empty line. */
export const commandsOf = (script: string) => script.slice(script.indexOf('\n\n') + 2).trimEnd();
