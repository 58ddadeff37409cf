/** A line of a configuration that the report would change. */
export interface Change {
  /** From 1. */
  line: number;
  before: string;
  after: string;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The values of a configuration (YAML, JSON or Python arguments) that differ from the recommended ones. Scalars are
 * found by their key, at whatever depth; comments are ignored.
 */
export function configDiff(text: string, values: Readonly<Record<string, number>>): Change[] {
  const keys = Object.keys(values).map(escaped).join('|');
  if (keys === '') return [];
  const setting = new RegExp(`(?<![\\w.-])(["']?)(${keys})\\1(\\s*[:=]\\s*)([^\\s,#}\\])]+)`, 'g');
  return text.split('\n').flatMap((line, index) => {
    const comment = line.search(/(^|\s)#/);
    const code = comment < 0 ? line : line.slice(0, comment);
    const after = code.replace(setting, (whole, quote: string, key: string, between: string, value: string) => {
      const wanted = values[key]!;
      return Number(value) === wanted ? whole : `${quote}${key}${quote}${between}${wanted}`;
    });
    return after === code ? [] : [{ line: index + 1, before: line.trim(), after: (after + line.slice(code.length)).trim() }];
  });
}
