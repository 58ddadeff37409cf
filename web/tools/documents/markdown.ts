import { Lexer, type Token, type Tokens } from 'marked';
import type { Block, Line, Section, Topic } from '../../src/routes/docs/blocks/topic';

const languages: Record<string, 'json' | 'shell' | 'python' | 'typescript'> = { json: 'json', sh: 'shell', python: 'python', ts: 'typescript' };

/** "Request timeout {#timeout}" has an id of its own, other headings that of their words. */
export function headingOf(text: string): { id: string; title: string } {
  const [, title, id] = /^(.*?)\s*(?:\{#([\w-]+)\})?$/.exec(text)!;
  return { title: title!, id: id ?? title!.toLowerCase().replace(/[^\w]+/g, '-').replace(/^-|-$/g, '') };
}

// The lexer leaves these in text for whoever makes HTML of it.
const decoded = (text: string) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, '&');
const wordsOf = (line: Line) => line.map((run) => (typeof run === 'string' ? run : run.text)).join('');

function lineOf(tokens: readonly Token[] = []): Line {
  return tokens.flatMap((token): Line => {
    const inner = 'tokens' in token && token.tokens ? lineOf(token.tokens) : undefined;
    const text = inner ? wordsOf(inner) : decoded('text' in token ? (token.text as string) : token.raw).replace(/\s*\n\s*/g, ' ');
    switch (token.type) {
      case 'codespan':
        return [{ as: 'code', text }];
      case 'strong':
      case 'em':
        return [{ as: token.type, text }];
      case 'link':
        // Pages are all that can be reached from here: a file of the repository keeps its name without a link.
        return /^(#\/|https?:|\/openapi)/.test((token as Tokens.Link).href) ? [{ as: 'link', text, href: (token as Tokens.Link).href }] : [text];
      case 'br':
        return [' '];
      default:
        return inner ?? [text];
    }
  });
}

const lineOfText = (text: string) => lineOf(Lexer.lexInline(text));

/** The lexer drops cells that have no heading: a `|` in a cell must be written as `\\|`. */
function checkCells({ raw, header }: Tokens.Table) {
  for (const row of raw.trim().split('\n')) {
    const cells = row.replace(/\\./g, '').trim().replace(/^\||\|$/g, '').split('|').length;
    if (cells !== header.length) throw new Error(`a row has ${cells} cells below ${header.length} headings: ${row}`);
  }
}

function blockOf(token: Token): Block {
  switch (token.type) {
    case 'paragraph':
      return { as: 'paragraph', line: lineOf((token as Tokens.Paragraph).tokens) };
    case 'heading': {
      const { id, title } = headingOf((token as Tokens.Heading).text);
      return { as: 'heading', id, line: lineOfText(title) };
    }
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      return { as: 'list', ordered, ...(ordered && start !== 1 && { start: Number(start) }), items: items.map((item) => lineOf(item.tokens)) };
    }
    case 'table': {
      checkCells(token as Tokens.Table);
      const { header, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => lineOf(cell.tokens));
      return { as: 'table', head: cells(header), rows: rows.map(cells) };
    }
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return { as: 'code', text, language: languages[lang?.split(' ')[0] ?? ''] ?? 'text' };
    }
    default:
      throw new Error(`pages of the documentation cannot show “${token.type}”: ${token.raw.slice(0, 60)}`);
  }
}

function wordsOfBlock(block: Block): string {
  switch (block.as) {
    case 'code':
      return block.text;
    case 'list':
      return block.items.map(wordsOf).join(' ');
    case 'table':
      return [block.head, ...block.rows].flatMap((row) => row.map(wordsOf)).join(' ');
    default:
      return wordsOf(block.line);
  }
}

/** "# Title", one paragraph, "## Section" …: a page. */
export function topicOf(markdown: string): Topic {
  const [title, lead, ...tokens] = new Lexer().lex(markdown).filter(({ type }) => type !== 'space') as [Tokens.Heading, Tokens.Paragraph, ...Token[]];
  if (title?.depth !== 1 || lead?.type !== 'paragraph') throw new Error('a document begins with a title and one paragraph');
  const sections: (Omit<Section, 'text'> & { blocks: Block[] })[] = [];
  for (const token of tokens) {
    if (token.type === 'heading' && (token as Tokens.Heading).depth === 2) {
      const heading = headingOf((token as Tokens.Heading).text);
      sections.push({ id: heading.id, title: wordsOf(lineOfText(heading.title)), blocks: [] });
    } else {
      const section = sections.at(-1);
      if (!section) throw new Error('text stands before the first section');
      section.blocks.push(blockOf(token));
    }
  }
  return {
    title: title.text,
    lead: wordsOf(lineOf(lead.tokens)),
    sections: sections.map((section) => ({ ...section, text: section.blocks.map(wordsOfBlock).join(' ') })),
  };
}
