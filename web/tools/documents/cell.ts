/** Any text as the Markdown of one cell. Addresses are patterns and examples here: code, not links. */
export const cell = (text: string): string =>
  text
    .replace(/[|*]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .replace(/https?:\/\/[^\s,]*[^\s,.]/g, '`$&`');
