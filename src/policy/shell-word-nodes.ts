/**
 * One word of a command: quotes and escapes evaluated as bash does, unknown parts left as holes, substitutions inside it
 * handed to the reader. A word is exact only if every shell would make the same text of it. Evaluating a word that
 * passed here without a word of doubt gives text and does nothing else, so a word may stand wherever the shell wants
 * one; whether a command may get it is judged with the command.
 */
import type { Node } from 'web-tree-sitter';
import { decodeAnsiC } from './shell-ansi-c.js';
import { isPlainArithmetic, isSimpleExpansion, isSimpleVariable } from './shell-expansions.js';
import type { ShellReader } from './shell-reader.js';
import { HOLE, type Word } from './shell-words.js';

export const WORD_NODES = new Set(
  `word number concatenation string raw_string ansi_c_string translated_string simple_expansion expansion
   command_substitution process_substitution arithmetic_expansion brace_expression variable_name
   special_variable_name extglob_pattern regex test_operator`.split(/\s+/),
);

const computed = (): Word => ({ text: HOLE, exact: false, splits: true });

/** Contract: never throws; what is not understood becomes a hole and a doubt. */
export function evaluateWord(reader: ShellReader, node: Node, depth: number): Word {
  const word = evaluate(reader, node, depth);
  if (/`|\$\(/.test(word.text)) reader.hidden = true;
  // A known text outside quotes is split by the shell, at whatever IFS says.
  return word.exact && word.splits ? { ...word, exact: false } : word;
}

function evaluate(reader: ShellReader, node: Node, depth: number): Word {
  const { text } = node;
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'special_variable_name':
    case 'extglob_pattern':
    case 'test_operator':
      return node.childCount > 0 ? notJudged(reader, node, depth) : plainWord(reader, node);
    case 'raw_string':
      reader.take(node.startIndex, node.endIndex);
      return { text: text.slice(1, -1), exact: true };
    case 'ansi_c_string':
      return ansiC(reader, node);
    case 'string':
      return quotedString(reader, node, depth);
    case 'translated_string':
      // The text of another language may stand in its place.
      return notJudged(reader, node, depth);
    case 'concatenation':
      return concatenation(reader, node, depth);
    case 'simple_expansion':
      return taken(reader, node, isSimpleVariable(text)) ?? notJudged(reader, node, depth);
    case 'expansion':
      return taken(reader, node, isSimpleExpansion(text)) ?? notJudged(reader, node, depth);
    case 'arithmetic_expansion':
      return taken(reader, node, isPlainArithmetic(text)) ?? notJudged(reader, node, depth);
    case 'command_substitution':
      return substitution(reader, node, depth);
    case 'process_substitution':
      reader.visit(node, depth + 1);
      return computed();
    case 'brace_expression':
      // `{1..3}`: digits and letters.
      return taken(reader, node, /^\{\w+\.\.\w+\}$/.test(text)) ?? notJudged(reader, node, depth);
    default:
      return notJudged(reader, node, depth);
  }
}

function taken(reader: ShellReader, node: Node, isKnown: boolean): Word | undefined {
  // zsh takes brackets right behind an expansion for a subscript and evaluates what is in them, also in quotes.
  if (!isKnown || reader.source[node.endIndex] === '[') return undefined;
  reader.take(node.startIndex, node.endIndex);
  return computed();
}

function notJudged(reader: ShellReader, node: Node, depth: number): Word {
  if (!node.isNamed && !node.isError && !node.isMissing && node.childCount === 0) return plainWord(reader, node);
  reader.unsure(`what ${shortened(node.text)} comes to is not judged`);
  reader.rummage(node, depth + 1);
  return computed();
}

const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text).replace(/\s+/g, ' ');

/** In a here-document the grammar takes `$((…))` for a command. */
function substitution(reader: ShellReader, node: Node, depth: number): Word {
  if (reader.source.startsWith('$((', node.startIndex)) return notJudged(reader, node, depth);
  const before = reader.commands.length;
  reader.visit(node, depth + 1);
  const known = knownText(reader, before, node);
  return known === undefined ? computed() : { text: known, exact: true, splits: true };
}

/** `$(cat <<'EOF' … EOF)` prints its own here-document: the text is known. How agents write long messages. */
function knownText(reader: ShellReader, before: number, node: Node): string | undefined {
  const [only, more] = reader.commands.slice(before);
  if (!only || more || only.words.length !== 1 || only.assignments > 0 || only.redirects.length > 0) return undefined;
  const [input, second] = only.inputs ?? [];
  if (!only.words[0]!.exact || only.words[0]!.text !== 'cat' || !input?.exact || second) return undefined;
  // Nothing but this one statement: `cat <<'EOF' &`, `! cat <<'EOF'` are read as usual.
  if (node.namedChildCount !== 1 || node.namedChildren[0]!.type !== 'redirected_statement') return undefined;
  only.known = true;
  return input.text.replace(/\n+$/, '');
}

function ansiC(reader: ShellReader, node: Node): Word {
  reader.take(node.startIndex, node.endIndex);
  // Decoded so that deny rules see through it; not exact, because a plain POSIX shell reads it differently.
  const text = decodeAnsiC(node.text.slice(2, -1)) ?? HOLE;
  return { text, exact: false, ...(/^[^-!(),+\0]/.test(text) ? { operand: true } : {}) };
}

/** Unescaped, these would end the word or begin something else: the grammar and bash would then disagree. */
const NOT_IN_A_WORD = /[\s;&|<>()`"'$\\]/;

function plainWord(reader: ShellReader, node: Node): Word {
  const source = node.text;
  reader.take(node.startIndex, node.endIndex);
  const bare = source.replace(/\\[^\n]/g, '');
  if (NOT_IN_A_WORD.test(bare === '$' ? '' : bare)) reader.doubt('a word that is not understood');
  if (source.startsWith('#')) reader.doubt('a comment that may be none');
  const text = source.replace(/\\([\s\S])/g, '$1');
  // `{}` alone is what find and xargs fill in; the shell leaves it as it is. `!` alone is no pattern either.
  const pattern =
    /[*?[]/.test(bare) || (/[{}]/.test(bare) && bare !== '{}') || (/^[=^!]/.test(bare) && !/^(!|=|!=)$/.test(bare));
  const word: Word = { text, exact: !pattern };
  // In a pattern with a plain head the shell can put nothing in front of it; zsh's `#` and `^` come behind.
  if (pattern && /^[\w./@:,+%]/.test(source)) word.operand = true;
  if (pattern) word.splits = true;
  return bare.startsWith('~') && source.startsWith('~') ? { ...word, tilde: true } : word;
}

function quotedString(reader: ShellReader, node: Node, depth: number): Word {
  const { source } = reader;
  let at = node.startIndex + 1;
  const parts: Word[] = [];
  const take = (until: number) => {
    const part = source.slice(at, until);
    const bare = part.replace(/\\[\s\S]/g, '');
    reader.take(at, until);
    if (/["`]|\$[\w({[@*#?$!-]/.test(bare)) reader.doubt('a string that is not understood');
    parts.push({ text: part.replace(/\\\n/g, '').replace(/\\([$`"\\])/g, '$1'), exact: true });
  };
  // `$"…"` reads as a string that begins one character later.
  if (node.children[0]?.type !== '"') return notJudged(reader, node, depth);
  reader.take(node.startIndex, at);
  for (const child of node.namedChildren) {
    if (child.type === 'string_content') continue;
    take(child.startIndex);
    parts.push(evaluate(reader, child, depth + 1));
    at = child.endIndex;
  }
  if (source[node.endIndex - 1] !== '"' || node.endIndex - node.startIndex < 2) reader.doubt('a string without an end');
  take(Math.max(at, node.endIndex - 1));
  reader.take(node.endIndex - 1, node.endIndex);
  const word = join(parts);
  // Quotes keep it one word, but for "$@".
  const many = /\$(@|\{@|\{\w*\[@)/.test(node.text);
  return {
    text: word.text,
    exact: word.exact,
    ...(many ? { splits: true } : {}),
    ...(word.operand ? { operand: true } : {}),
  };
}

function join(parts: Word[]): Word {
  const word: Word = { text: parts.map((part) => part.text).join(''), exact: parts.every((part) => part.exact) };
  const head = parts.find((part) => part.text !== '');
  if (!word.exact && (head?.operand || (head?.exact && /^[\w./@:,+%]/.test(head.text)))) word.operand = true;
  // What is computed is not judged by how it begins.
  if (word.text.includes(HOLE)) delete word.operand;
  if (parts.some((part) => part.splits)) word.splits = true;
  if (parts[0]?.tilde) word.tilde = true;
  return word;
}

function concatenation(reader: ShellReader, node: Node, depth: number): Word {
  const { children } = node;
  for (let index = 1; index < children.length; index += 1) {
    if (children[index - 1]!.endIndex !== children[index]!.startIndex) {
      reader.doubt('a word that continues on the next line');
    }
  }
  // `{`, `a,b` and `}` are three nodes of one brace expansion.
  return join(children.map((child) => (child.isNamed ? evaluate(reader, child, depth + 1) : plainWord(reader, child))));
}
