/**
 * Reads a syntax tree of tree-sitter-bash and distrusts it. The grammar differs from bash in corners (it splits words at
 * a backslash-newline, ends here-documents early, takes words behind a redirection for a second target), so every
 * character must be accounted for: the gaps between nodes hold nothing but blanks, and a leaf holds nothing the shell
 * would act on. Whatever is not recognised is a problem, and a text with a problem is never allowed by a rule.
 */
import type { Node } from 'web-tree-sitter';
import { checkGaps, isRedirect, type Reader } from './shell-reader.js';
import { readRedirect } from './shell-redirects.js';
import { evaluateWord, WORD_NODES } from './shell-word-nodes.js';
import { exactWord, type ParsedShell, type SimpleCommand, unknownWord } from './shell-words.js';

/** Nested deeper, no person wrote it, and our own recursion must end. */
const DEEPEST = 150;

export function readTree(root: Node, source: string): ParsedShell {
  const reader: Reader = {
    source,
    commands: [],
    problem: undefined,
    doubt: (why) => {
      reader.problem ??= why;
    },
    visit: (node, depth) => visit(reader, node, depth),
    inside: (node, depth) => visitInside(reader, node, depth),
  };
  if (root.hasError) reader.doubt('it is not valid shell');
  if (/\S/.test(source.slice(0, root.startIndex)) || /\S/.test(source.slice(root.endIndex))) {
    reader.doubt('part of it was not read');
  }
  reader.visit(root, 0);
  const { commands, problem } = reader;
  return problem === undefined ? { commands } : { problem, commands };
}

/** Nodes that only hold others; a newline may stand between their parts. */
const STRUCTURE = new Set(
  `program list pipeline subshell do_group if_statement elif_clause else_clause while_statement case_statement case_item
   negated_command for_statement function_definition command_substitution process_substitution`.split(/\s+/),
);

type Visit = (reader: Reader, node: Node, depth: number) => void;

const VISITS: Record<string, Visit> = {
  compound_statement: visitStructure,
  command: (reader, node, depth) => reader.commands.push(readCommand(reader, node, depth)),
  redirected_statement: visitRedirected,
  declaration_command: (reader, node, depth) => reader.commands.push(readWords(reader, node, depth)),
  unset_command: (reader, node, depth) => reader.commands.push(readWords(reader, node, depth)),
  variable_assignment: (reader, node, depth) => visitAssignments(reader, [node], depth),
  variable_assignments: (reader, node, depth) => visitAssignments(reader, node.children, depth),
  test_command: visitTest,
  c_style_for_statement: visitArithmetic,
  file_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  herestring_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  heredoc_redirect: (reader, node, depth) => reader.commands.push(blockOf(reader, [node], depth)),
  comment: visitComment,
};

function visit(reader: Reader, node: Node, depth: number): void {
  const { type } = node;
  if (depth > DEEPEST) reader.doubt('nested too deeply');
  else if (STRUCTURE.has(type)) visitStructure(reader, node, depth);
  else if (Object.hasOwn(VISITS, type)) VISITS[type]!(reader, node, depth);
  else visitOther(reader, node, depth);
}

function visitComment(reader: Reader, node: Node): void {
  const before = reader.source[node.startIndex - 1];
  if (node.text.includes('\n') || (before !== undefined && !/[\s;&|()]/.test(before))) {
    reader.doubt('a comment that may be none');
  }
}

function visitAssignments(reader: Reader, nodes: Node[], depth: number): void {
  const words = nodes.map((node) => evaluateWord(reader, node, depth + 1));
  reader.commands.push({ words, assignments: words.length, redirects: [] });
}

/** `[ … ]` and `[[ … ]]`: a command like others, but what is in it is an expression. */
function visitTest(reader: Reader, node: Node, depth: number): void {
  visitInside(reader, node, depth);
  const words = [exactWord(node.children[0]?.type ?? '['), { ...unknownWord, opaque: true }];
  reader.commands.push({ words, assignments: 0, redirects: [] });
}

function visitOther(reader: Reader, node: Node, depth: number): void {
  if (WORD_NODES.has(node.type)) {
    evaluateWord(reader, node, depth + 1);
  } else if (node.isNamed || node.isError || node.isMissing) {
    reader.doubt(node.isNamed && !node.isError ? `${node.type} is not understood` : 'it is not valid shell');
    for (const child of node.children) reader.visit(child, depth + 1);
  }
}

function visitStructure(reader: Reader, node: Node, depth: number): void {
  const { children } = node;
  if (node.type === 'compound_statement' && children[0]?.type === '((') {
    visitArithmetic(reader, node, depth);
    return;
  }
  checkGaps(reader, node, 'lines');
  // The grammar takes it for a mere end of a command; bash does not.
  if (node.type !== 'case_item' && children.some((child) => child.type === ';;')) reader.doubt('it is not valid shell');
  for (const child of children) reader.visit(child, depth + 1);
}

/** `((…))` and `for ((…))`: evaluating a variable there can run a command, so no rule for a command fits. */
function visitArithmetic(reader: Reader, node: Node, depth: number): void {
  reader.commands.push({ words: [{ text: '((', exact: false, opaque: true }], assignments: 0, redirects: [] });
  visitInside(reader, node, depth);
}

/** Leaves in which a substitution is data or has been looked at already. */
const QUIET_LEAVES = new Set(['raw_string', 'ansi_c_string', 'comment']);

/** Looks for commands inside expressions, subscripts, arrays: whatever can hold a substitution. */
function visitInside(reader: Reader, node: Node, depth: number): void {
  if (depth > DEEPEST) {
    reader.doubt('nested too deeply');
    return;
  }
  for (const child of node.children) {
    const { type } = child;
    if (child.isError || child.isMissing) reader.doubt('it is not valid shell');
    if (STRUCTURE.has(type) || type === 'command' || type === 'redirected_statement' || type === 'compound_statement') {
      reader.visit(child, depth + 1);
    } else if (child.childCount > 0) {
      visitInside(reader, child, depth + 1);
    } else if (child.isNamed && !QUIET_LEAVES.has(type) && /[`]|[$<>=]\(|\$\{/.test(child.text)) {
      reader.doubt('a substitution in a place that is not understood');
    }
  }
}

function readCommand(reader: Reader, node: Node, depth: number): SimpleCommand {
  checkGaps(reader, node, 'words');
  const command: SimpleCommand = { words: [], assignments: 0, redirects: [] };
  for (const child of node.children) {
    if (child.type === 'variable_assignment') {
      command.words.push(evaluateWord(reader, child, depth + 1));
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
function readWords(reader: Reader, node: Node, depth: number): SimpleCommand {
  checkGaps(reader, node, 'words');
  const words = node.children.map((child) =>
    child.isNamed ? evaluateWord(reader, child, depth + 1) : { text: child.text, exact: true },
  );
  return { words, assignments: 0, redirects: [] };
}

function visitRedirected(reader: Reader, node: Node, depth: number): void {
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
    reader.visit(body, depth + 1);
    reader.commands.push(blockOf(reader, more, depth));
    return;
  }
  const command = readCommand(reader, body, depth + 1);
  reader.commands.push(command);
  for (const redirect of more) readRedirect({ reader, node: redirect, depth, command });
}

function blockOf(reader: Reader, redirects: Node[], depth: number): SimpleCommand {
  const command: SimpleCommand = { words: [], assignments: 0, redirects: [], block: true };
  for (const node of redirects) readRedirect({ reader, node, depth, command });
  // Words behind the redirection of a block belong to a command inside it: which one, nobody has to guess.
  if (command.words.length > 0) reader.doubt('words behind the redirection of a block');
  return command;
}
