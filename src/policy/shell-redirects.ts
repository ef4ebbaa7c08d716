/** Redirections of a command: what they open, and the words that the grammar hides behind them. */
import type { Node } from 'web-tree-sitter';
import { readHeredoc } from './shell-heredoc.js';
import { checkGaps, feeds, type ShellReader, whileFed } from './shell-reader.js';
import { evaluateWord } from './shell-word-nodes.js';
import type { Redirect, SimpleCommand, Word } from './shell-words.js';

interface RedirectAsk {
  reader: ShellReader;
  node: Node;
  depth: number;
  command: SimpleCommand;
}

/** Adds a redirection to its command, with the words that stand behind it. */
export function readRedirect({ reader, node, depth, command }: RedirectAsk): void {
  if (node.type === 'heredoc_redirect') {
    const rest = readHeredoc(reader, node, depth);
    command.inputs = [...(command.inputs ?? []), rest.input];
    command.words.push(...rest.words.map((word) => evaluateWord(reader, word, depth + 1)));
    for (const redirect of rest.redirects) readRedirect({ reader, node: redirect, depth, command });
    for (const { node: follower, piped } of rest.followers) {
      whileFed(reader, piped, () => reader.visit(follower, depth + 1));
    }
    return;
  }
  takeTokens(reader, node);
  if (node.type === 'herestring_redirect') {
    const [text, ...more] = node.namedChildren
      .filter((child) => child.type !== 'file_descriptor')
      .map((child) => evaluateWord(reader, child, depth + 1));
    if (!text || more.length > 0) reader.doubt('a here-string that is not understood');
    checkGaps(reader, node, 'lines');
    command.inputs = [...(command.inputs ?? []), { text: `${text?.text ?? ''}\n`, exact: text?.exact === true }];
    return;
  }
  if (node.type !== 'file_redirect') reader.doubt(`${node.type} is not understood`);
  if (feeds(node)) command.fed = true;
  const op = node.children.find((child) => !child.isNamed)?.text ?? '?';
  const [target, ...words] = node.children
    .filter((child) => child.isNamed && child.type !== 'file_descriptor')
    .map((child) => evaluateWord(reader, child, depth + 1));
  // `npm >x run` reads as a redirection with two targets; the second is an argument of the command.
  command.words.push(...words);
  checkGaps(reader, node, 'lines');
  if (/[\n]/.test(node.text)) reader.doubt('a redirection over several lines');
  command.redirects.push(redirectOf(reader, op, target));
}

function takeTokens(reader: ShellReader, node: Node): void {
  for (const child of node.children) {
    if (!child.isNamed) reader.take(child.startIndex, child.endIndex);
    if (child.type !== 'file_descriptor') continue;
    if (/^\d+$/.test(child.text)) reader.take(child.startIndex, child.endIndex);
    else reader.doubt('a redirection that may set a variable');
  }
}

const REDIRECTS = new Set(['<', '>', '>>', '&>', '&>>', '>|', '<&', '>&', '<&-', '>&-']);

function redirectOf(reader: ShellReader, op: string, target: Word | undefined): Redirect {
  if (!REDIRECTS.has(op)) reader.doubt(`the redirection ${op} is not understood`);
  if (op.endsWith('&-')) return { op, writes: false };
  if (!target) reader.doubt('a redirection without a target');
  if (op.endsWith('&') && target?.exact && /^(\d+-?|-)$/.test(target.text)) return { op, writes: false };
  return { op, target: target ?? { text: '', exact: false }, writes: op !== '<' && op !== '<&' };
}
