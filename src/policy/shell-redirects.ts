/** Redirections of a command: what they open, and the words that the grammar hides behind them. */
import type { Node } from 'web-tree-sitter';
import { readHeredoc } from './shell-heredoc.js';
import { checkGaps, type Reader } from './shell-reader.js';
import { evaluateWord } from './shell-word-nodes.js';
import type { Redirect, SimpleCommand, Word } from './shell-words.js';

interface RedirectAsk {
  reader: Reader;
  node: Node;
  depth: number;
  command: SimpleCommand;
}

/** Adds a redirection to its command, with the words that stand behind it. */
export function readRedirect({ reader, node, depth, command }: RedirectAsk): void {
  if (node.type === 'heredoc_redirect') {
    const rest = readHeredoc(reader, node, depth);
    command.words.push(...rest.words.map((word) => evaluateWord(reader, word, depth + 1)));
    for (const redirect of rest.redirects) readRedirect({ reader, node: redirect, depth, command });
    for (const follower of rest.followers) reader.visit(follower, depth + 1);
    return;
  }
  if (node.type === 'herestring_redirect') {
    for (const child of node.namedChildren)
      if (child.type !== 'file_descriptor') evaluateWord(reader, child, depth + 1);
    return;
  }
  if (node.type !== 'file_redirect') reader.doubt(`${node.type} is not understood`);
  const op = node.children.find((child) => !child.isNamed)?.text ?? '?';
  const [target, ...words] = node.children
    .filter((child) => child.isNamed && child.type !== 'file_descriptor')
    .map((child) => evaluateWord(reader, child, depth + 1));
  // `npm >x run` reads as a redirection with two targets; the second is an argument of the command.
  command.words.push(...words);
  if (words.length > 0) checkGaps(reader, node, 'lines');
  if (/[\n]/.test(node.text)) reader.doubt('a redirection over several lines');
  command.redirects.push(redirectOf(reader, op, target));
}

const REDIRECTS = new Set(['<', '>', '>>', '&>', '&>>', '>|', '<&', '>&', '<&-', '>&-']);

function redirectOf(reader: Reader, op: string, target: Word | undefined): Redirect {
  if (!REDIRECTS.has(op)) reader.doubt(`the redirection ${op} is not understood`);
  if (op.endsWith('&-')) return { op, writes: false };
  if (!target) reader.doubt('a redirection without a target');
  if (op.endsWith('&') && target?.exact && /^(\d+-?|-)$/.test(target.text)) return { op, writes: false };
  return { op, target: target ?? { text: '', exact: false }, writes: op !== '<' && op !== '<&' };
}
