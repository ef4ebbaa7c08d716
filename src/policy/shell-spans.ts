/** A command line for people: which parts are commands, words, operators, redirections, computed. For colour alone; nothing is judged by it. */
import type { Node } from 'web-tree-sitter';

type SpanKind = 'plain' | 'command' | 'word' | 'operator' | 'redirection' | 'substitution';

export interface ShellSpan {
  text: string;
  is: SpanKind;
}

const KINDS: SpanKind[] = ['plain', 'command', 'word', 'operator', 'redirection', 'substitution'];
const REDIRECTS = new Set(['file_redirect', 'heredoc_redirect', 'herestring_redirect']);
const COMPUTED = new Set([
  'command_substitution',
  'process_substitution',
  'simple_expansion',
  'expansion',
  'arithmetic_expansion',
]);
const WORDS = new Set([
  'word',
  'string',
  'raw_string',
  'ansi_c_string',
  'concatenation',
  'number',
  'variable_assignment',
  'heredoc_body',
]);
const DEEPEST = 150;

/** Contract: the texts of the spans are the whole source, in order, with nothing left out. */
export function spansOf(root: Node, source: string): ShellSpan[] {
  const paint = new Uint8Array(source.length);
  const fill = (node: Node, kind: SpanKind) => paint.fill(KINDS.indexOf(kind), node.startIndex, node.endIndex);
  const visit = (node: Node, inside: SpanKind | undefined, depth: number): void => {
    if (depth > DEEPEST) return;
    const own = kindOf(node, inside);
    if (own) fill(node, own);
    const below =
      own === 'command' || own === 'redirection' ? own : node.type === 'command_substitution' ? undefined : inside;
    for (const child of node.children) if (child) visit(child, below, depth + 1);
  };
  visit(root, undefined, 0);
  return gathered(source, paint);
}

function kindOf(node: Node, inside: SpanKind | undefined): SpanKind | undefined {
  if (REDIRECTS.has(node.type)) return 'redirection';
  if (node.type === 'command_name') return 'command';
  if (COMPUTED.has(node.type)) return 'substitution';
  if (WORDS.has(node.type)) return inside ?? 'word';
  // Quotes and the like belong to the word around them.
  if (
    !node.isNamed &&
    node.parent &&
    /^(program|list|pipeline|subshell|compound_statement|.*_statement|.*_group|.*_clause|case_item|negated_command)$/.test(
      node.parent.type,
    )
  )
    return 'operator';
  return undefined;
}

function gathered(source: string, paint: Uint8Array): ShellSpan[] {
  const spans: ShellSpan[] = [];
  let start = 0;
  for (let at = 1; at <= source.length; at += 1) {
    if (at < source.length && paint[at] === paint[start]) continue;
    spans.push({ text: source.slice(start, at), is: KINDS[paint[start]!]! });
    start = at;
  }
  return spans;
}
