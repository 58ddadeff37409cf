import type { Language } from '../../../design/text/code';

/** A page of the documentation, made at build time. */
export interface Topic {
  title: string;
  /** The first paragraph, as plain text. */
  lead: string;
  sections: readonly Section[];
}

export interface Section {
  /** The end of its address: #/docs/<topic>/<id>. */
  id: string;
  title: string;
  blocks: readonly Block[];
  /** All its words, for the search. */
  text: string;
}

export type Block =
  | { as: 'paragraph'; line: Line }
  | { as: 'heading'; id: string; line: Line }
  | { as: 'list'; ordered: boolean; start?: number; items: readonly Line[] }
  | { as: 'table'; head: readonly Line[]; rows: readonly (readonly Line[])[] }
  | { as: 'code'; text: string; language: Language };

/** Text is a string; what looks otherwise says how. */
export type Line = readonly (string | { as: 'code' | 'strong' | 'em'; text: string } | { as: 'link'; text: string; href: string })[];
