/** CSV as RFC 4180 has it, plus what spreadsheets do: a byte order mark, semicolons, tabs, pipes, a first line sep=; */

export interface CsvError {
  /** Line of the error, from 1. */
  line: number;
  message: string;
}

export interface CsvTable {
  rows: string[][];
  error: CsvError | undefined;
}

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that the first line has most of, outside quotes. */
export function detectDelimiter(text: string): string {
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (character === '\n' && !quoted) break;
    else if (!quoted && counts.has(character)) counts.set(character, counts.get(character)! + 1);
  }
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

/** Reads at most `limit` records. Empty lines are no records. */
export function parseCsv(input: string, limit = Infinity): CsvTable {
  const text = input.replace(/^\uFEFF/, '');
  const named = /^sep=([,;\t|])\r?\n/.exec(text);
  const delimiter = named?.[1] ?? detectDelimiter(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let line = named ? 2 : 1;
  let at = named ? named[0].length : 0;

  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };

  while (at < text.length && rows.length < limit) {
    let value: string;
    if (text[at] === '"') {
      const opened = line;
      const closed = readQuoted(text, at + 1);
      if (!closed) return { rows, error: { line: opened, message: 'A quote is opened here but never closed.' } };
      value = closed.value;
      line += closed.lines;
      at = closed.end;
      if (at < text.length && !isBreak(text, at) && text[at] !== delimiter) {
        return { rows, error: { line, message: 'There is text after a closing quote.' } };
      }
    } else {
      let end = at;
      while (end < text.length && text[end] !== delimiter && !isBreak(text, end)) end += 1;
      value = text.slice(at, end);
      at = end;
    }
    row.push(value);
    if (at >= text.length) break;
    if (text[at] === delimiter) {
      at += 1;
      if (at === text.length) row.push('');
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    endRow();
  }
  if (row.length > 0 && rows.length < limit) endRow();
  return { rows, error: undefined };
}

const isBreak = (text: string, at: number) => text[at] === '\n' || text[at] === '\r';

/** The content of a quoted field that starts at `from`; a doubled quote stands for one. */
function readQuoted(text: string, from: number): { value: string; end: number; lines: number } | null {
  let end = from;
  for (;;) {
    end = text.indexOf('"', end);
    if (end < 0) return null;
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  const raw = text.slice(from, end);
  return { value: raw.replaceAll('""', '"'), end: end + 1, lines: raw.split('\n').length - 1 };
}
