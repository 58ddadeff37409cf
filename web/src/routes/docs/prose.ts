export interface Run {
  text: string;
  as: 'text' | 'code' | 'strong';
}

/** `code` and **weight**, the only marks that the contract's descriptions use. */
export const runsOf = (line: string): Run[] =>
  line
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(Boolean)
    .map((part) =>
      part.startsWith('`') ? { text: part.slice(1, -1), as: 'code' }
      : part.startsWith('**') ? { text: part.slice(2, -2), as: 'strong' }
      : { text: part, as: 'text' },
    );

export const paragraphs = (description: string): string[] => description.trim().split(/\n\s*\n/);
