/**
 * Here-documents, checked line by line against bash's own rule for where they end: the grammar ends them at `EOF ` with
 * a blank behind it and may take lines of the body for arguments. A wrong end would turn data into commands or hide
 * commands in data.
 */
import type { Node } from 'web-tree-sitter';
import type { Reader } from './shell-reader.js';

export interface HeredocRest {
  /** Arguments behind `<<EOF` on its line. */
  words: Node[];
  redirects: Node[];
  /** A pipeline or list that goes on behind it. */
  followers: Node[];
}

const SKIP = new Set(['heredoc_start', 'heredoc_end', 'heredoc_body', 'file_descriptor']);

export function readHeredoc(reader: Reader, node: Node, depth: number): HeredocRest {
  const rest: HeredocRest = { words: [], redirects: [], followers: [] };
  for (const child of node.children) {
    if (child.isError || child.isMissing) reader.doubt('it is not valid shell');
    if (!child.isNamed || SKIP.has(child.type)) continue;
    if (child.type.endsWith('_redirect')) rest.redirects.push(child);
    else if (['pipeline', 'list', 'command', 'redirected_statement'].includes(child.type)) rest.followers.push(child);
    else rest.words.push(child);
  }
  const quoted = checkLines(reader, node);
  const body = node.children.find((child) => child.type === 'heredoc_body');
  if (body && !quoted) visitBody(reader, body, depth);
  return rest;
}

/** Whether the body is plain data; doubts when start, body and end are not what bash would see. */
function checkLines(reader: Reader, node: Node): boolean {
  const { source } = reader;
  const start = node.children.find((child) => child.type === 'heredoc_start');
  const end = node.children.find((child) => child.type === 'heredoc_end');
  const delimiter = start && /^(?:([\w.-]+)|'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))$/.exec(start.text);
  if (!start || !end || !delimiter) {
    reader.doubt('a here-document that is not understood');
    return false;
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
  const body = source.slice(bodyStart, Math.max(bodyStart, endStart - 1));
  const lines = body.split('\n');
  if (lines.some((line) => line.trim() === word) && bodyStart !== endStart) {
    reader.doubt('a here-document that may end earlier');
  }
  if (!quoted && lines.at(-1)!.endsWith('\\')) reader.doubt('a here-document with an unclear end');
  return quoted;
}

function visitBody(reader: Reader, body: Node, depth: number): void {
  const spans: { start: number; end: number }[] = [];
  for (const child of body.namedChildren) {
    if (child.type === 'heredoc_content') continue;
    spans.push({ start: child.startIndex, end: child.endIndex });
    if (child.type === 'simple_expansion') continue;
    if (child.type === 'command_substitution') reader.visit(child, depth + 1);
    else reader.doubt('an expansion in a here-document that is not understood');
  }
  let plain = '';
  let at = body.startIndex;
  for (const { start, end } of spans) {
    plain += `${reader.source.slice(at, start)}\n`;
    at = end;
  }
  plain += reader.source.slice(at, body.endIndex);
  if (/[`]|\$[({[]/.test(plain)) reader.doubt('an expansion in a here-document that is not understood');
}
