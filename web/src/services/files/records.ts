import { parseCsv } from './csv';

/** A file of records as the forms see it: named columns of text. */
export interface Records {
  format: 'CSV' | 'JSONL';
  columns: string[];
  /** One array per record, as long as `columns`. */
  rows: string[][];
}

export class UnreadableFile extends Error {}

/** Detects the format by the content: a file of JSON lines begins with an object or a string. */
export const looksLikeJsonl = (text: string): boolean => /^\uFEFF?\s*[{"]/.test(text) && isJson(firstLine(text));

const firstLine = (text: string) => text.replace(/^\uFEFF/, '').trimStart().split('\n', 1)[0]!;

function isJson(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' || (typeof value === 'object' && value !== null);
  } catch {
    return false;
  }
}

/** Reads a whole file. With `header`, a CSV file's first record names its columns. Throws
    UnreadableFile, naming the line. */
export function readRecords(text: string, header: boolean): Records {
  return looksLikeJsonl(text) ? readJsonl(text) : readCsv(text, header);
}

function readCsv(text: string, header: boolean): Records {
  const { rows, error } = parseCsv(text);
  if (error) throw new UnreadableFile(`Line ${error.line}: ${error.message}`);
  const width = Math.max(0, ...rows.map((row) => row.length));
  const names = header ? (rows.shift() ?? []) : [];
  const columns = Array.from({ length: width }, (_, index) => names[index]?.trim() || `Column ${index + 1}`);
  return { format: 'CSV', columns, rows: rows.map((row) => columns.map((_, index) => row[index] ?? '')) };
}

function readJsonl(text: string): Records {
  const columns: string[] = [];
  const places = new Map<string, number>();
  const rows: string[][] = [];
  const put = (row: string[], name: string, value: unknown) => {
    let place = places.get(name);
    if (place === undefined) {
      place = columns.push(name) - 1;
      places.set(name, place);
    }
    row[place] = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  };
  for (const [index, line] of text.replace(/^\uFEFF/, '').split('\n').entries()) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new UnreadableFile(`Line ${index + 1} is not JSON.`);
    }
    const row: string[] = [];
    if (typeof value === 'string') put(row, 'text', value);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) put(row, name, member);
    } else throw new UnreadableFile(`Line ${index + 1} is neither an object nor a string.`);
    rows.push(row);
  }
  return { format: 'JSONL', columns, rows: rows.map((row) => columns.map((_, index) => row[index] ?? '')) };
}
