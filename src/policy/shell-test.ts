/**
 * `[ … ]`, `test …` and `[[ … ]]`. They look at text and files and change nothing, but two corners evaluate what they
 * are given: `-v NAME` (a subscript in it runs) and the comparison of numbers (any text counts as arithmetic in `[[`, and
 * in zsh everywhere). So the shape must be plain, names literal and numbers numbers.
 */
import type { Node } from 'web-tree-sitter';
import type { ShellReader } from './shell-reader.js';
import { evaluateWord, WORD_NODES } from './shell-word-nodes.js';
import { exactWord, type Word } from './shell-words.js';

const UNARY = /^-[a-hknprstuwxzGLNOS]$/;
const BINARY = /^(=|==|!=|-nt|-ot|-ef)$/;
const NUMERIC = /^-(eq|ne|lt|le|gt|ge)$/;

const isNumber = (word: Word | undefined) => word?.exact === true && /^-?\d{1,18}$/.test(word.text);
/** One word, and not one that could be an operator: a computed one must be quoted. */
const isOne = (word: Word | undefined) => word !== undefined && (word.exact || !word.splits);

/** The words of `test` or of `[` without its brackets, by the rule of POSIX: their number says what they are. */
export function isPlainTest(words: Word[]): boolean {
  const [first, second, third] = words;
  switch (words.length) {
    case 1:
      return isOne(first);
    case 2:
      if (!first!.exact) return false;
      return first!.text === '!' ? isOne(second) : UNARY.test(first!.text) && isOne(second);
    case 3:
      if (second!.exact && BINARY.test(second!.text)) return isOne(first) && isOne(third);
      if (second!.exact && NUMERIC.test(second!.text)) return isNumber(first) && isNumber(third);
      return first!.exact && first!.text === '!' && isPlainTest(words.slice(1)) && second!.exact;
    case 4:
      return first!.exact && first!.text === '!' && isPlainTest(words.slice(1));
    default:
      return words.length === 0;
  }
}

const EXPRESSIONS = new Set(['binary_expression', 'unary_expression', 'parenthesized_expression']);

/** The words of `[ … ]` in their order, whatever tree the grammar made of them. */
function flatten(reader: ShellReader, node: Node, depth: number): Word[] {
  return node.children.flatMap((child) => {
    if (EXPRESSIONS.has(child.type)) return flatten(reader, child, depth + 1);
    if (WORD_NODES.has(child.type)) return [evaluateWord(reader, child, depth + 1)];
    reader.take(child.startIndex, child.endIndex);
    if (!/^(=|==|!=|!)$/.test(child.text)) reader.unsure(`${child.text} in a test`);
    return [exactWord(child.text)];
  });
}

/** Reads a test_command; the words it has, for rules that name it. */
export function readTest(reader: ShellReader, node: Node, depth: number): Word[] {
  const [open, ...inside] = node.children;
  const close = inside.pop();
  if (!open || !close || !/^\[\[?$/.test(open.text) || close.text !== open.text.replaceAll('[', ']')) {
    reader.doubt('a test that is not understood');
    reader.rummage(node, depth);
    return [exactWord('[')];
  }
  reader.take(open.startIndex, open.endIndex);
  reader.take(close.startIndex, close.endIndex);
  if (open.text === '[[') {
    for (const child of inside) readExpression(reader, child, depth + 1);
    return [exactWord('[['), exactWord(']]')];
  }
  const words = inside.flatMap((child) =>
    EXPRESSIONS.has(child.type) ? flatten(reader, child, depth + 1) : [evaluateWord(reader, child, depth + 1)],
  );
  if (!isPlainTest(words)) reader.unsure('a test that may evaluate what it is given');
  return [exactWord('['), ...words, exactWord(']')];
}

function readExpression(reader: ShellReader, node: Node, depth: number): void {
  const parts = node.children;
  if (node.type === 'parenthesized_expression' || (node.type === 'unary_expression' && parts[0]?.type === '!')) {
    for (const part of parts) {
      if (part.isNamed) readExpression(reader, part, depth + 1);
      else takeToken(reader, part);
    }
  } else if (node.type === 'binary_expression' && parts.length === 3 && /^(&&|\|\|)$/.test(parts[1]!.text)) {
    takeToken(reader, parts[1]!);
    readExpression(reader, parts[0]!, depth + 1);
    readExpression(reader, parts[2]!, depth + 1);
  } else if (node.type === 'unary_expression' && parts.length === 2) {
    takeToken(reader, parts[0]!);
    const operand = evaluateWord(reader, parts[1]!, depth + 1);
    const isName = parts[0]!.text === '-v' && operand.exact && /^\w+$/.test(operand.text);
    if (!UNARY.test(parts[0]!.text) && !isName) reader.unsure(`${parts[0]!.text} in a test`);
  } else if (node.type === 'binary_expression' && parts.length === 3) {
    takeToken(reader, parts[1]!);
    comparison(reader, parts as [Node, Node, Node], depth);
  } else if (WORD_NODES.has(node.type)) evaluateWord(reader, node, depth + 1);
  else {
    reader.unsure('a test that is not understood');
    reader.rummage(node, depth + 1);
  }
}

const takeToken = (reader: ShellReader, node: Node) => reader.take(node.startIndex, node.endIndex);

function comparison(reader: ShellReader, [left, operator, right]: [Node, Node, Node], depth: number): void {
  const first = evaluateWord(reader, left, depth + 1);
  if (right.type === 'regex') {
    takeToken(reader, right);
    if (operator.text !== '=~' || /[$`\\"'<>()&;|]/.test(right.text.replace(/\$$/, ''))) {
      reader.unsure('a pattern that is not understood');
      reader.rummage(right, depth);
    }
    return;
  }
  const second = evaluateWord(reader, right, depth + 1);
  if (NUMERIC.test(operator.text)) {
    if (!isNumber(first) || !isNumber(second)) reader.unsure('a comparison of what may be no number');
  } else if (!BINARY.test(operator.text) && !/^(<|>|=~)$/.test(operator.text))
    reader.unsure(`${operator.text} in a test`);
}
