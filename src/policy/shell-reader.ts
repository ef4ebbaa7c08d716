/** The state of one reading of a syntax tree, shared by the parts that read blocks, words and here-documents. */
import type { Node } from 'web-tree-sitter';
import type { SimpleCommand } from './shell-words.js';

export interface ShellReader {
  source: string;
  commands: SimpleCommand[];
  problem: string | undefined;
  unclear: string | undefined;
  /** Whether what is read now has an input that is not seen: it stands behind a pipe, or in a block with one. */
  fed: boolean;
  /** Some literal text looks like a command: where something is unclear, it might be run. */
  hidden: boolean;
  /** Notes the first thing that was not understood. */
  doubt(why: string): void;
  /** Notes the first thing that was read but is not judged. */
  unsure(why: string): void;
  /** Every character of the source is taken by what judges it; one that nobody took is a doubt. */
  take(start: number, end: number): void;
  /** Reads a statement and everything in it. */
  visit(node: Node, depth: number): void;
  /** Looks for commands inside what is not judged, so that deny rules still see them. The caller has said `unsure`. */
  rummage(node: Node, depth: number): void;
}

/** Reads what stands behind a pipe or in a block with an input of its own. */
export function whileFed(reader: ShellReader, fed: boolean, read: () => void): void {
  const before = reader.fed;
  reader.fed = before || fed;
  read();
  reader.fed = before;
}

/** Between the parts of one command stand blanks and continued lines, nothing else, and words are really apart. */
export function checkGaps(reader: ShellReader, node: Node, between: 'words' | 'lines'): void {
  const { children } = node;
  for (let index = 1; index < children.length; index += 1) {
    const [left, right] = [children[index - 1]!, children[index]!];
    const gap = reader.source.slice(left.endIndex, right.startIndex);
    if (isLostDash(reader, left, right)) {
      reader.take(left.endIndex, right.startIndex);
      continue;
    }
    const blanks = gap.replaceAll('\\\n', '');
    reader.take(left.endIndex, right.startIndex);
    if (!(between === 'words' ? /^[ \t]*$/ : /^[ \t\n]*$/).test(blanks)) reader.doubt('part of it was not read');
    if (gap !== blanks && blanks === '') reader.doubt('a word that continues on the next line');
    if (between === 'words' && blanks === '' && !isRedirect(right) && !isRedirect(left)) {
      reader.doubt('words that are not apart');
    }
    if (blanks === '' && right.type === 'file_redirect' && right.children[0]?.type === 'file_descriptor') {
      reader.doubt('words that are not apart');
    }
    // `{name}>file` puts a number into the variable.
    if (blanks === '' && isRedirect(right) && left.text.endsWith('}') && left.type !== 'compound_statement') {
      reader.doubt('a redirection that may set a variable');
    }
  }
}

/** The grammar drops a lone `-` in front of a here-document (`python3 - <<EOF`). */
export const isLostDash = (reader: ShellReader, left: Node, right: Node | undefined): boolean =>
  left.type === 'command' &&
  right?.type === 'heredoc_redirect' &&
  /^[ \t]+-[ \t]+$/.test(reader.source.slice(left.endIndex, right.startIndex));

export const isRedirect = (node: Node) => node.type.endsWith('_redirect');

/** Whether a redirection gives a command an input that is not seen in its words. */
export const feeds = (node: Node): boolean =>
  node.type === 'heredoc_redirect' ||
  node.type === 'herestring_redirect' ||
  node.children.some((child) => !child.isNamed && /^<(&|>)?$/.test(child.type));
