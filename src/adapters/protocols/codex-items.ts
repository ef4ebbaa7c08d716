/**
 * What the items of a Codex turn mean: messages that stream and then come whole, reasoning, commands, file changes. Its
 * one task is that everything is said exactly once, whether deltas came or not. Approvals are the protocol's business.
 */
import type { AgentOutput } from '../../contract/index.js';
import { asList, asNumber, asObject, asText, type Json, unknown } from './jsonl.js';
import { unwrapShell } from './shell-command.js';

/** Echoes and progress: nothing a reader of the session would miss. */
const SILENT_ITEMS = new Set([
  'userMessage',
  'plan',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'hookPrompt',
]);

type Speech = 'text' | 'thinking';

export interface CodexItems {
  started(item: Json, parent: { parent?: string }): AgentOutput[];
  completed(item: Json, parent: { parent?: string }): AgentOutput[];
  /** Something was typed into a command that runs. */
  typed(item: string, stdin: string, parent: { parent?: string }): AgentOutput[];
  delta(say: { id: string; kind: Speech; text: string; parent: { parent?: string } }): AgentOutput[];
  /** The changes of a file change that is under way: its approval request does not repeat them. */
  input(id: string): unknown;
  /** Calls of an MCP server's tools that are under way: their approval requests do not name them. */
  underWay(server: string): { call: string; tool: string; input: unknown }[];
  /** Ends blocks of text that were cut off. */
  turnEnded(): AgentOutput[];
  lastMessage(): string | undefined;
}

export function codexItems(): CodexItems {
  const spoken = new Map<string, { kind: Speech; text: string; parent: { parent?: string } }>();
  const tools = new Map<string, { tool: string; input: unknown }>();
  let last: string | undefined;
  let typings = 0;

  const begin = (item: Json, parent: { parent?: string }): AgentOutput[] => {
    const id = asText(item.id) ?? '';
    const call = toolOf(item);
    if (!call || tools.has(id)) return [];
    tools.set(id, call);
    return [{ kind: 'tool', call: id, ...call, ...parent, ...(isRunning(item) ? { began: true as const } : {}) }];
  };

  const whole = (item: Json, kind: Speech, text: string, parent: { parent?: string }): AgentOutput[] => {
    const id = asText(item.id) ?? '';
    const sent = spoken.get(id)?.text ?? '';
    spoken.delete(id);
    // A steered turn may replace what it had begun to say; then the whole text is news.
    const rest = text.startsWith(sent) ? text.slice(sent.length) : `\n${text}`;
    const end = text === '' || text.endsWith('\n') ? '' : '\n';
    return rest + end === '' ? [] : [{ kind, text: rest + end, ...parent }];
  };

  return {
    started: begin,
    completed(item, parent) {
      const type = asText(item.type) ?? '';
      if (type === 'agentMessage') {
        const text = asText(item.text) ?? '';
        if (parent.parent === undefined) last = text;
        return whole(item, 'text', text, parent);
      }
      if (type === 'reasoning') return whole(item, 'thinking', reasoningOf(item), parent);
      if (SILENT_ITEMS.has(type)) return [];
      if (!toolOf(item)) return [unknown(item)];
      const begun = begin(item, parent);
      const id = asText(item.id) ?? '';
      tools.delete(id);
      const { input } = toolOf(item)!;
      return [...begun, { kind: 'tool-result', call: id, ...resultOf(item), ...ranOf(item), input, ...parent }];
    },
    typed(item, stdin, parent) {
      const call = typedCall(stdin);
      typings += 1;
      const id = `${item} stdin ${typings}`;
      const { tool, input } = call;
      const begun: AgentOutput = { kind: 'tool', call: id, tool, input, ...parent };
      return [begun, { kind: 'tool-result', call: id, ok: true, text: '', ran: true, input, ...parent }];
    },
    delta({ id, kind, text, parent }) {
      if (text === '') return [];
      spoken.set(id, { kind, text: (spoken.get(id)?.text ?? '') + text, parent });
      return [{ kind, text, ...parent }];
    },
    input: (id) => tools.get(id)?.input,
    underWay: (server) =>
      [...tools].flatMap(([call, one]) => (one.tool.startsWith(mcpTool(server, '')) ? [{ call, ...one }] : [])),
    turnEnded() {
      const cut = [...spoken.values()].filter(({ text }) => !text.endsWith('\n'));
      spoken.clear();
      tools.clear();
      last = undefined;
      return cut.map(({ kind, parent }) => ({ kind, text: '\n', ...parent }));
    },
    lastMessage: () => last,
  };
}

const mcpTool = (server: string, tool: string): string => `mcp__${server}__${tool}`;

function toolOf(item: Json): { tool: string; input: unknown } | undefined {
  switch (item.type) {
    case 'commandExecution':
      return { tool: 'shell', input: { command: unwrapShell(asText(item.command) ?? ''), cwd: item.cwd } };
    case 'fileChange':
      return { tool: 'apply_patch', input: { changes: item.changes } };
    case 'mcpToolCall':
      return { tool: mcpTool(asText(item.server) ?? '', asText(item.tool) ?? ''), input: item.arguments };
    case 'dynamicToolCall':
      return { tool: asText(item.tool) ?? 'tool', input: item.arguments };
    case 'webSearch':
      return { tool: 'web_search', input: { query: item.query } };
    case 'imageView':
      return { tool: 'view_image', input: { path: item.path } };
    case 'collabAgentToolCall':
      return helper(asText(item.tool) ?? '', item.prompt);
    default:
      return undefined;
  }
}

/** Looking after helpers leads to calls that are asked about for themselves; `Agent` is the word for that everywhere. */
export const helper = (what: string, prompt: unknown): { tool: string; input: unknown } => ({
  tool: 'Agent',
  input: { description: what, ...(typeof prompt === 'string' ? { prompt } : {}) },
});

/**
 * What `write_stdin` comes to. Codex asks nobody about it. Nothing typed is a look at the output; Ctrl-C and Ctrl-D end
 * what was started with leave; anything else is a call of its own, which nobody has allowed.
 */
export function typedCall(chars: string, shell?: string): { tool: string; input: unknown } {
  const its = shell === undefined ? {} : { shell_id: shell };
  if (chars === '') return { tool: 'BashOutput', input: its };
  return /^[\x03\x04]+$/.test(chars) ? { tool: 'KillShell', input: its } : { tool: 'write_stdin', input: { chars } };
}

/** A command has a process from its start on; one that waits for an answer has none yet. */
const isRunning = (item: Json): boolean =>
  item.type === 'commandExecution' && item.status === 'inProgress' && typeof item.processId === 'string';

/** Declined, or ended before there was a process: nothing ran. A failure of anything else may be either. */
function ranOf(item: Json): { ran?: boolean } {
  if (item.status === 'declined') return { ran: false };
  if (item.type !== 'commandExecution') return item.status === 'completed' ? { ran: true } : {};
  return { ran: typeof item.processId === 'string' || typeof item.exitCode === 'number' };
}

function resultOf(item: Json): { ok: boolean; text: string } {
  const status = asText(item.status);
  const exit = asNumber(item.exitCode);
  const ok = status === undefined || (status === 'completed' && (exit ?? 0) === 0);
  const said =
    asText(item.aggregatedOutput) ??
    asText(asObject(item.error)?.message) ??
    asList(asObject(item.result)?.content)
      .map((part) => asText(asObject(part)?.text) ?? '')
      .join('\n');
  const fallback = ok ? '' : exit === undefined ? (status ?? 'failed') : `exit code ${exit}`;
  return { ok, text: said || fallback };
}

function reasoningOf(item: Json): string {
  const texts = [...asList(item.summary), ...asList(item.content)].map(
    (part) => asText(part) ?? asText(asObject(part)?.text) ?? '',
  );
  return texts.filter((text) => text !== '').join('\n');
}
