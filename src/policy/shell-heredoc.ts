/**
 * Here-documents, checked line by line against bash's own rule for where they end: the grammar ends them at `EOF ` with
 * a blank behind it and may take lines of the body for arguments. A wrong end would turn data into commands or hide
 * commands in data.
 */
import type { Node } from 'web-tree-sitter';
import type { ShellReader } from './shell-reader.js';
import { evaluateWord } from './shell-word-nodes.js';
import type { Input } from './shell-words.js';

export interface HeredocRest {
  /** Arguments behind `<<EOF` on its line. */
  words: Node[];
  redirects: Node[];
  /** A pipeline or list that goes on behind it; piped: the command's output goes into it. */
  followers: { node: Node; piped: boolean }[];
  input: Input;
}

const SKIP = new Set(['heredoc_start', 'heredoc_end', 'heredoc_body', 'file_descriptor']);
const TOKENS = new Set(['<<', '<<-', '&&', '||', ';', '|', '|&']);

export function readHeredoc(reader: ShellReader, node: Node, depth: number): HeredocRest {
  const rest: HeredocRest = { words: [], redirects: [], followers: [], input: { text: '', exact: false } };
  let piped = false;
  for (const child of node.children) {
    const { type } = child;
    if (child.isError || child.isMissing) reader.doubt('it is not valid shell');
    if (!child.isNamed && !TOKENS.has(type)) reader.doubt('a here-document that is not understood');
    if (!child.isNamed) reader.take(child.startIndex, child.endIndex);
    if (type === '|' || type === '|&') piped = true;
    if (type === 'file_descriptor') {
      if (!/^\d+$/.test(child.text)) reader.doubt('a redirection that may set a variable');
      reader.take(child.startIndex, child.endIndex);
    }
    if (!child.isNamed || SKIP.has(type)) continue;
    if (type.endsWith('_redirect')) rest.redirects.push(child);
    else if (type === 'pipeline') rest.followers.push({ node: child, piped: piped || /^\|/.test(child.text) });
    else if (['list', 'command', 'redirected_statement'].includes(type)) rest.followers.push({ node: child, piped });
    else rest.words.push(child);
  }
  const { quoted, body } = checkLines(reader, node);
  const parsed = node.children.find((child) => child.type === 'heredoc_body');
  if (quoted) rest.input = { text: body, exact: true };
  else if (parsed) rest.input = { text: body, exact: visitBody(reader, parsed, depth) };
  else rest.input = { text: body, exact: body === '' };
  return rest;
}

/** Whether the body is plain data; doubts when start, body and end are not what bash would see. */
function checkLines(reader: ShellReader, node: Node): { quoted: boolean; body: string } {
  const { source } = reader;
  const start = node.children.find((child) => child.type === 'heredoc_start');
  const end = node.children.find((child) => child.type === 'heredoc_end');
  const delimiter = start && /^(?:([\w.-]+)|'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))$/.exec(start.text);
  if (!start || !end || !delimiter) {
    reader.doubt('a here-document that is not understood');
    return { quoted: false, body: '' };
  }
  const word = delimiter[1] ?? delimiter[2] ?? delimiter[3] ?? delimiter[4]!;
  const quoted = delimiter[1] === undefined;
  const bodyStart = source.indexOf('\n', start.endIndex) + 1;
  const endStart = source.lastIndexOf('\n', end.startIndex + end.text.length - 1) + 1;
  const endLine = source.slice(endStart).split('\n', 1)[0]!;
  const tabs = node.children.some((child) => child.type === '<<-');
  if ((tabs ? endLine.replace(/^\t+/, '') : endLine) !== word) reader.doubt('a here-document with an unclear end');
  const head = source.slice(start.endIndex, bodyStart - 1);
  // A quote, a comment or a continued line behind the start could move the body's first line.
  if (bodyStart === 0 || /["'`#\\]/.test(head)) reader.doubt('a here-document with an unclear start');
  for (const child of node.children) {
    if (child.isNamed && !SKIP.has(child.type) && child.endIndex >= bodyStart) {
      reader.doubt('a here-document that is not understood');
    }
  }
  reader.take(start.startIndex, start.endIndex);
  reader.take(endStart, endStart + endLine.length);
  if (quoted) reader.take(bodyStart, endStart);
  const body = source.slice(bodyStart, Math.max(bodyStart, endStart - 1));
  const lines = body.split('\n');
  if (lines.some((line) => line.trim() === word) && bodyStart !== endStart) {
    reader.doubt('a here-document that may end earlier');
  }
  if (!quoted && lines.at(-1)!.endsWith('\\')) reader.doubt('a here-document with an unclear end');
  return { quoted, body: bodyStart === endStart ? '' : `${tabs ? body.replace(/^\t+/gm, '') : body}\n` };
}

/** Whether it holds no expansion. The grammar's node may begin behind the body's first characters. */
function visitBody(reader: ShellReader, body: Node, depth: number): boolean {
  const start = reader.source.lastIndexOf('\n', body.startIndex - 1) + 1;
  let at = Math.min(start, body.startIndex);
  const check = (until: number) => {
    const plain = reader.source.slice(at, until);
    reader.take(at, until);
    const bare = plain.replace(/\\[$`\\]/g, '');
    if (/[`]|\$[({[\w@*#?$!-]/.test(bare)) reader.unsure('an expansion in a here-document');
    if (/\\\n/.test(plain)) reader.unsure('a line of a here-document that goes on');
  };
  let expansions = 0;
  for (const child of body.namedChildren) {
    if (child.type === 'heredoc_content') continue;
    expansions += 1;
    check(child.startIndex);
    if (['simple_expansion', 'expansion', 'command_substitution'].includes(child.type))
      evaluateWord(reader, child, depth + 1);
    else reader.doubt('an expansion in a here-document that is not understood');
    at = child.endIndex;
  }
  check(body.endIndex);
  return expansions === 0 && !/[\\]/.test(body.text);
}
