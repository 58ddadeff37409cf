/** Labels as people type them: "desk=energy, quarter=3". */
export interface ParsedLabels {
  labels: Record<string, string>;
  error: string | undefined;
}

const most = 16;

export function parseLabels(text: string): ParsedLabels {
  const labels: Record<string, string> = {};
  for (const part of text.split(',').map((piece) => piece.trim()).filter(Boolean)) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at < 0 || name === '') return { labels: {}, error: `“${part}” must have the form name=value.` };
    labels[name] = part.slice(at + 1).trim();
  }
  if (Object.keys(labels).length > most) return { labels: {}, error: `A job may have at most ${most} labels.` };
  return { labels, error: undefined };
}
