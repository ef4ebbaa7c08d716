/**
 * Reads a syntax tree of tree-sitter-bash and distrusts it. The grammar differs from bash in corners (it splits words at
 * a backslash-newline, ends here-documents early, takes words behind a redirection for a second target), so every
 * character must be accounted for: whoever judges a part takes its characters, and one that nobody took is a problem.
 * What is not recognised is a problem, what is recognised but not judged is unclear; neither is covered by a rule for a
 * command.
 */
import type { Node } from 'web-tree-sitter';
import { isOwnName } from './shell-names.js';
import { checkGaps, feeds, isLostDash, isRedirect, type ShellReader, whileFed } from './shell-reader.js';
import { readRedirect } from './shell-redirects.js';
import { readTest } from './shell-test.js';
import { evaluateWord, WORD_NODES } from './shell-word-nodes.js';
import { exactWord, type ParsedShell, type SimpleCommand, type Word } from './shell-words.js';

/** Nested deeper, no person wrote it, and our own recursion must end. */
const DEEPEST = 150;

export function readTree(root: Node, source: string): ParsedShell {
  const seen = new Uint8Array(source.length);
  const reader: ShellReader = {
    source,
    commands: [],
    problem: undefined,
    unclear: undefined,
    fed: false,
    hidden: false,
    doubt: (why) => {
      reader.problem ??= why;
    },
    unsure: (why) => {
      reader.unclear ??= why;
    },
    take: (start, end) => {
      seen.fill(1, start, end);
    },
    visit: (node, depth) => visit(reader, node, depth),
    rummage: (node, depth) => rummage(reader, node, depth),
  };
  if (root.hasError) reader.doubt('it is not valid shell');
  reader.visit(root, 0);
  const { commands, problem, unclear } = reader;
  const left = problem === undefined && unclear === undefined && unread(source, seen);
  return {
    ...(problem !== undefined || left ? { problem: problem ?? 'part of it was not read' } : {}),
    ...(unclear === undefined ? {} : { unclear, hidden: reader.hidden }),
    commands,
  };
}

function unread(source: string, seen: Uint8Array): boolean {
  for (let index = 0; index < source.length; index += 1) {
    if (seen[index] === 0 && !/[ \t\n]/.test(source[index]!)) return true;
  }
  return false;
}

/** Nodes that only hold others; a newline may stand between their parts. */
const STRUCTURE = new Set(
  `program list subshell do_group if_statement elif_clause else_clause while_statement
   negated_command command_substitution`.split(/\s+/),
);
const LOOPS = new Set(['for_statement', 'while_statement', 'c_style_for_statement']);
const TOKENS = new Set(
  '; & && || | |& ( ) { } ! do done if then elif else fi while until for in case esac ;; $( ` <( >( \n'.split(' '),
);

type Visit = (reader: ShellReader, node: Node, depth: number) => void;

const VISITS: Record<string, Visit> = {
  compound_statement: visitCompound,
  pipeline: visitPipeline,
  process_substitution: (reader, node, depth) =>
    whileFed(reader, node.text.startsWith('>'), () => visitStructure(reader, node, depth)),
  command: (reader, node, depth) => reader.commands.push(readCommand(reader, node, depth)),
  redirected_statement: visitRedirected,
  declaration_command: (reader, node, depth) => reader.commands.push(readWords(reader, node, depth)),
  unset_command: (reader, node, depth) => reader.commands.push(readWords(reader, node, depth)),
  variable_assignment: (reader, node, depth) => visitAssignments(reader, [node], depth),
  variable_assignments: (reader, node, depth) => visitAssignments(reader, node.children, depth),
  test_command: (reader, node, depth) => {
    checkGaps(reader, node, 'lines');
    reader.commands.push({ words: readTest(reader, node, depth), assignments: 0, redirects: [] });
  },
  for_statement: visitFor,
  case_statement: visitCase,
  file_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  herestring_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  heredoc_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  comment: visitComment,
};

function visit(reader: ShellReader, node: Node, depth: number): void {
  const first = reader.commands.length;
  visitOnce(reader, node, depth);
  if (!LOOPS.has(node.type)) return;
  for (const command of reader.commands.slice(first)) command.again = true;
}

function visitOnce(reader: ShellReader, node: Node, depth: number): void {
  const { type } = node;
  if (depth > DEEPEST) reader.doubt('nested too deeply');
  else if (node.isError || node.isMissing) {
    reader.doubt('it is not valid shell');
    rummage(reader, node, depth);
  } else if (STRUCTURE.has(type)) visitStructure(reader, node, depth);
  else if (Object.hasOwn(VISITS, type)) VISITS[type]!(reader, node, depth);
  else if (!node.isNamed) token(reader, node);
  else {
    reader.unsure(`${type.replaceAll('_', ' ')} is not judged`);
    rummage(reader, node, depth);
  }
}

function token(reader: ShellReader, node: Node): void {
  reader.take(node.startIndex, node.endIndex);
  if (!TOKENS.has(node.type)) reader.doubt(`${node.type} is not understood`);
}

/** For deny rules: the commands in what is not judged. */
function rummage(reader: ShellReader, node: Node, depth: number): void {
  if (depth > DEEPEST) {
    reader.doubt('nested too deeply');
    return;
  }
  for (const child of node.children) {
    if (STRUCTURE.has(child.type) || Object.hasOwn(VISITS, child.type)) reader.visit(child, depth + 1);
    else rummage(reader, child, depth + 1);
  }
}

function visitComment(reader: ShellReader, node: Node): void {
  const before = reader.source[node.startIndex - 1];
  reader.take(node.startIndex, node.endIndex);
  if (node.text.includes('\n') || (before !== undefined && !/[\s;&|()]/.test(before))) {
    reader.doubt('a comment that may be none');
  }
}

function visitAssignments(reader: ShellReader, nodes: Node[], depth: number): void {
  const words = nodes.map((node) => assignment(reader, node, depth + 1));
  for (const { text } of words) {
    const name = /^(\w+)\+?=/.exec(text)?.[1];
    if (name === undefined || !isOwnName(name)) reader.unsure(`it sets ${name ?? 'a variable'}`);
  }
  reader.commands.push({ words, assignments: words.length, redirects: [] });
}

function assignment(reader: ShellReader, node: Node, depth: number): Word {
  const [name, operator, value, more] = node.children;
  const plain = name?.type === 'variable_name' && operator && value?.type !== 'array' && !more;
  if (node.type !== 'variable_assignment' || !plain || !/^\+?=$/.test(operator.text)) {
    reader.unsure('it sets part of a variable');
    rummage(reader, node, depth);
    return { text: node.text.replace(/[\s\S]/g, (char) => (/[\w=]/.test(char) ? char : '\0')), exact: false };
  }
  if (value && operator.endIndex !== value.startIndex) reader.doubt('part of it was not read');
  reader.take(name.startIndex, operator.endIndex);
  const right = value ? evaluateWord(reader, value, depth + 1) : { text: '', exact: true };
  return { text: `${name.text}${operator.text}${right.text}`, exact: right.exact };
}

function visitCompound(reader: ShellReader, node: Node, depth: number): void {
  if (node.children[0]?.type !== '((') visitStructure(reader, node, depth);
  else {
    reader.unsure('arithmetic is not judged');
    rummage(reader, node, depth);
  }
}

function visitStructure(reader: ShellReader, node: Node, depth: number): void {
  const { children } = node;
  checkGaps(reader, node, 'lines');
  // The grammar takes it for a mere end of a command; bash does not.
  if (children.some((child) => child.type === ';;')) reader.doubt('it is not valid shell');
  for (const child of children) reader.visit(child, depth + 1);
}

/** Behind the first pipe, the input comes from what stands in front of it. */
function visitPipeline(reader: ShellReader, node: Node, depth: number): void {
  checkGaps(reader, node, 'lines');
  const first = node.children.findIndex((child) => /^\|&?$/.test(child.type));
  for (const [index, child] of node.children.entries()) {
    whileFed(reader, first >= 0 && index > first, () => reader.visit(child, depth + 1));
  }
}

function visitFor(reader: ShellReader, node: Node, depth: number): void {
  checkGaps(reader, node, 'lines');
  if (node.children[0]?.type !== 'for') reader.unsure('select is not judged');
  for (const child of node.children) {
    if (child.type === 'variable_name') {
      reader.take(child.startIndex, child.endIndex);
      if (!isOwnName(child.text)) reader.unsure(`it sets ${child.text}`);
    } else if (WORD_NODES.has(child.type)) evaluateWord(reader, child, depth + 1);
    else reader.visit(child, depth + 1);
  }
}

function visitCase(reader: ShellReader, node: Node, depth: number): void {
  checkGaps(reader, node, 'lines');
  for (const child of node.children) {
    if (child.type === 'case_item') {
      checkGaps(reader, child, 'lines');
      for (const part of child.children) wordOrStatement(reader, part, depth + 1);
    } else wordOrStatement(reader, child, depth);
  }
}

function wordOrStatement(reader: ShellReader, node: Node, depth: number): void {
  if (WORD_NODES.has(node.type)) evaluateWord(reader, node, depth + 1);
  else reader.visit(node, depth + 1);
}

function readCommand(reader: ShellReader, node: Node, depth: number): SimpleCommand {
  checkGaps(reader, node, 'words');
  const command: SimpleCommand = { words: [], assignments: 0, redirects: [], ...(reader.fed ? { fed: true } : {}) };
  for (const child of node.children) {
    if (child.type === 'variable_assignment') {
      command.words.push(assignment(reader, child, depth + 1));
      command.assignments += 1;
    } else if (child.type === 'command_name') {
      const [only, more] = child.children;
      if (!only || more) reader.doubt('a command without a name');
      else command.words.push(evaluateWord(reader, only, depth + 1));
    } else if (isRedirect(child)) {
      readRedirect({ reader, node: child, depth, command });
    } else {
      command.words.push(evaluateWord(reader, child, depth + 1));
    }
  }
  return command;
}

/** `export A=1 B`, `unset A`: the keyword is a word like the others. */
function readWords(reader: ShellReader, node: Node, depth: number): SimpleCommand {
  checkGaps(reader, node, 'words');
  const words = node.children.map((child) => {
    if (child.type === 'variable_assignment') return assignment(reader, child, depth + 1);
    if (child.isNamed) return evaluateWord(reader, child, depth + 1);
    reader.take(child.startIndex, child.endIndex);
    return { text: child.text, exact: true };
  });
  return { words, assignments: 0, redirects: [] };
}

const SINGLE = new Set([
  'test_command',
  'variable_assignment',
  'variable_assignments',
  'declaration_command',
  'unset_command',
]);

function visitRedirected(reader: ShellReader, node: Node, depth: number): void {
  const [body, ...more] = node.children;
  if (!body) {
    reader.doubt('a redirection of nothing');
    return;
  }
  checkGaps(reader, node, 'words');
  if (body.type !== 'command') {
    if (isRedirect(body)) {
      reader.commands.push({ ...blockOf(reader, node.children, depth), block: false });
      return;
    }
    whileFed(reader, more.some(feeds), () => reader.visit(body, depth + 1));
    const block = blockOf(reader, more, depth);
    const own = SINGLE.has(body.type) ? reader.commands.at(-1) : undefined;
    // A test or an assignment is one command: what it is redirected to is its own.
    if (own && !own.block) own.redirects.push(...block.redirects);
    else reader.commands.push(block);
    return;
  }
  const command = readCommand(reader, body, depth + 1);
  if (isLostDash(reader, body, more[0])) command.words.push(exactWord('-'));
  reader.commands.push(command);
  for (const redirect of more) readRedirect({ reader, node: redirect, depth, command });
}

function blockOf(reader: ShellReader, redirects: Node[], depth: number): SimpleCommand {
  const command: SimpleCommand = { words: [], assignments: 0, redirects: [], block: true };
  for (const node of redirects) {
    if (isRedirect(node)) readRedirect({ reader, node, depth, command });
    else reader.visit(node, depth + 1);
  }
  // Words behind the redirection of a block belong to a command inside it: which one, nobody has to guess.
  if (command.words.length > 0) reader.doubt('words behind the redirection of a block');
  return command;
}
