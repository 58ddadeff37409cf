export interface Run {
  text: string;
  as: 'text' | 'code' | 'strong';
}

/** The contract's descriptions: paragraphs with `code` and **weight**, the only marks they use. */
export function paragraphs(description: string): Run[][] {
  return description
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .replace(/\s+/g, ' ')
        .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
        .filter(Boolean)
        .map((part) =>
          part.startsWith('`') ? { text: part.slice(1, -1), as: 'code' }
          : part.startsWith('**') ? { text: part.slice(2, -2), as: 'strong' }
          : { text: part, as: 'text' },
        ),
    );
}
