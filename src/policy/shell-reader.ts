/** The state of one reading of a syntax tree, shared by the parts that read blocks, words and here-documents. */
import type { Node } from 'web-tree-sitter';
import type { SimpleCommand } from './shell-words.js';

export interface Reader {
  source: string;
  commands: SimpleCommand[];
  problem: string | undefined;
  /** Notes the first thing that was not understood. */
  doubt(why: string): void;
  /** Reads a statement and everything in it. */
  visit(node: Node, depth: number): void;
  /** Looks for commands inside what is no statement: expressions, subscripts, arrays. */
  inside(node: Node, depth: number): void;
}

/** Between the parts of one command stand blanks and continued lines, nothing else, and words are really apart. */
export function checkGaps(reader: Reader, node: Node, between: 'words' | 'lines'): void {
  const { children } = node;
  for (let index = 1; index < children.length; index += 1) {
    const [left, right] = [children[index - 1]!, children[index]!];
    const gap = reader.source.slice(left.endIndex, right.startIndex);
    const blanks = gap.replaceAll('\\\n', '');
    if (!(between === 'words' ? /^[ \t]*$/ : /^[ \t\n]*$/).test(blanks)) reader.doubt('part of it was not read');
    if (gap !== blanks && blanks === '') reader.doubt('a word that continues on the next line');
    if (between === 'words' && blanks === '' && !isRedirect(right) && !isRedirect(left)) {
      reader.doubt('words that are not apart');
    }
    if (blanks === '' && right.type === 'file_redirect' && right.children[0]?.type === 'file_descriptor') {
      reader.doubt('words that are not apart');
    }
  }
}

export const isRedirect = (node: Node) => node.type.endsWith('_redirect');
