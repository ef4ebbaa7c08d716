/**
 * One word of a command: quotes and escapes evaluated as bash does, unknown parts left as holes, substitutions inside it
 * handed to the reader. A word is exact only if every shell would make the same text of it.
 */
import type { Node } from 'web-tree-sitter';
import { decodeAnsiC } from './shell-ansi-c.js';
import type { Reader } from './shell-reader.js';
import { HOLE, type Word } from './shell-words.js';

export const WORD_NODES = new Set(
  `word number concatenation string raw_string ansi_c_string translated_string simple_expansion expansion
   command_substitution process_substitution arithmetic_expansion brace_expression variable_assignment variable_name
   special_variable_name extglob_pattern test_operator subscript array file_descriptor`.split(/\s+/),
);

/** Contract: never throws; what is not understood becomes a hole and a doubt. */
export function evaluateWord(reader: Reader, node: Node, depth: number): Word {
  const text = node.text;
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'special_variable_name':
    case 'test_operator':
      return node.childCount > 0 ? opaque(reader, node, depth) : plainWord(reader, text);
    case 'raw_string':
      return { text: text.slice(1, -1), exact: true };
    case 'ansi_c_string':
      // Decoded so that deny rules see through it; not exact, because a plain POSIX shell reads it differently.
      return { text: decodeAnsiC(text.slice(2, -1)) ?? HOLE, exact: false };
    case 'string':
      return quotedString(reader, node, depth);
    case 'translated_string':
      return inexact(joined(reader, node, depth));
    case 'concatenation':
      return concatenation(reader, node, depth);
    case 'simple_expansion':
      return { text: HOLE, exact: false };
    case 'command_substitution':
    case 'process_substitution':
      reader.visit(node, depth + 1);
      return { text: HOLE, exact: false };
    case 'expansion':
      // `${name}` alone is as harmless as `$name`; operators can evaluate what the variable holds.
      if (/^\$\{\w+\}$/.test(text)) return { text: HOLE, exact: false };
      return opaque(reader, node, depth);
    case 'variable_assignment':
      return assignment(reader, node, depth);
    case 'brace_expression':
      return { text: HOLE, exact: false };
    default:
      return opaque(reader, node, depth);
  }
}

function opaque(reader: Reader, node: Node, depth: number): Word {
  if (!WORD_NODES.has(node.type)) {
    if (node.isNamed || node.isError || node.isMissing) reader.doubt(`${node.type} is not understood`);
    // An anonymous token among the words, such as `==`: it is text.
    else if (node.childCount === 0) return plainWord(reader, node.text);
  }
  reader.inside(node, depth + 1);
  return { text: HOLE, exact: false, opaque: true };
}

const inexact = (word: Word): Word => ({ ...word, exact: false });

/** Unescaped, these would end the word or begin something else: the grammar and bash would then disagree. */
const NOT_IN_A_WORD = /[\s;&|<>()`"'$\\]/;

function plainWord(reader: Reader, source: string): Word {
  const bare = source.replace(/\\[^\n]/g, '');
  if (NOT_IN_A_WORD.test(bare === '$' ? '' : bare)) reader.doubt('a word that is not understood');
  if (source.startsWith('#')) reader.doubt('a comment that may be none');
  const text = source.replace(/\\([\s\S])/g, '$1');
  // `{}` alone is what find and xargs fill in; the shell leaves it as it is.
  const pattern = /[*?[]/.test(bare) || (/[{}]/.test(bare) && bare !== '{}') || /^[=^!]/.test(bare);
  const word: Word = { text, exact: !pattern };
  return bare.startsWith('~') && source.startsWith('~') ? { ...word, tilde: true } : word;
}

function quotedString(reader: Reader, node: Node, depth: number): Word {
  let text = '';
  let exact = true;
  let isOpaque = false;
  let at = node.startIndex + 1;
  const { source } = reader;
  const take = (until: number) => {
    const part = source.slice(at, until);
    const bare = part.replace(/\\[\s\S]/g, '');
    if (/["`]|\$[\w({[@*#?$!-]/.test(bare)) reader.doubt('a string that is not understood');
    text += part.replace(/\\\n/g, '').replace(/\\([$`"\\])/g, '$1');
  };
  // `$"…"` reads as a string that begins one character later.
  if (node.children[0]?.type !== '"') {
    exact = false;
    at = node.children[0]?.endIndex ?? at;
  }
  for (const child of node.namedChildren) {
    if (child.type === 'string_content') continue;
    take(child.startIndex);
    const word = evaluateWord(reader, child, depth + 1);
    text += word.text;
    exact = false;
    isOpaque ||= word.opaque === true;
    at = child.endIndex;
  }
  if (source[node.endIndex - 1] !== '"') reader.doubt('a string without an end');
  take(Math.max(at, node.endIndex - 1));
  return { text, exact, ...(isOpaque ? { opaque: true } : {}) };
}

function joined(reader: Reader, node: Node, depth: number): Word {
  const parts = node.children.map((child) =>
    child.isNamed ? evaluateWord(reader, child, depth + 1) : { text: '', exact: false },
  );
  return join(parts);
}

function join(parts: Word[]): Word {
  const word: Word = { text: parts.map((part) => part.text).join(''), exact: parts.every((part) => part.exact) };
  if (parts.some((part) => part.opaque)) word.opaque = true;
  if (parts[0]?.tilde) word.tilde = true;
  return word;
}

function concatenation(reader: Reader, node: Node, depth: number): Word {
  const { children } = node;
  for (let index = 1; index < children.length; index += 1) {
    if (children[index - 1]!.endIndex !== children[index]!.startIndex) {
      reader.doubt('a word that continues on the next line');
    }
  }
  return join(
    children.map((child) => (child.isNamed ? evaluateWord(reader, child, depth + 1) : plainWord(reader, child.text))),
  );
}

function assignment(reader: Reader, node: Node, depth: number): Word {
  const [name, operator, value, more] = node.children;
  const plain = name?.type === 'variable_name' && operator && value?.type !== 'array' && !more;
  if (!plain) return opaque(reader, node, depth);
  if (value && operator.endIndex !== value.startIndex) reader.doubt('part of it was not read');
  const right = value ? evaluateWord(reader, value, depth + 1) : { text: '', exact: true };
  return { ...right, text: `${name.text}${operator.text}${right.text}` };
}
