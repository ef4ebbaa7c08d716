/**
 * `codex exec --json`, checked against 0.166. Surprising: an item of type `error` is only a warning, a row of type
 * `error` is not final either (it may announce a reconnection); only `turn.completed` and `turn.failed` end a turn. A
 * command that was refused leaves no item at all.
 */
import type { AgentOutput, Clock, Decoder } from '../../contract/index.js';
import { systemClock } from '../../contract/index.js';
import { limitIn } from './limits.js';
import { block, list, ndjson, num, type Row, row, str } from './ndjson.js';

/** `Reconnecting... 2/5 (stream disconnected)`, `Reconnecting... waiting for network`. */
const RECONNECTING = /^Reconnecting\W+(?:(\d+)\/(\d+))?/i;

export function codexExec({ clock = systemClock }: { clock?: Clock } = {}): Decoder {
  const started = new Set<string>();
  let lastText: string | undefined;
  let lastError: string | undefined;
  let retries = 0;

  const failed = (message: string): AgentOutput[] => {
    const limit = limitIn(message, clock.now());
    const news: AgentOutput[] = message === lastError ? [] : [{ kind: 'error', message, fatal: true }];
    return [
      ...(limit ? [{ kind: 'limit' as const, ...limit }] : []),
      ...news,
      { kind: 'done', ok: false, reason: message, failure: { message } },
    ];
  };

  const readError = (message: string): AgentOutput[] => {
    const again = RECONNECTING.exec(message);
    if (!again) {
      lastError = message;
      return [{ kind: 'error', message, fatal: false }];
    }
    retries = again[1] === undefined ? retries + 1 : Number(again[1]);
    return [
      { kind: 'retry', attempt: retries, ...(again[2] === undefined ? {} : { of: Number(again[2]) }), error: message },
    ];
  };

  const completed = (item: Row): AgentOutput[] | undefined => {
    const text = str(item.text);
    switch (item.type) {
      case 'agent_message':
        lastText = text;
        return text ? [{ kind: 'text', text: block(text) }] : [];
      case 'reasoning':
        return text ? [{ kind: 'thinking', text: block(text) }] : [];
      case 'error':
        return [{ kind: 'error', message: str(item.message) ?? 'unnamed warning', fatal: false }];
      case 'todo_list':
        return [];
      default: {
        const call = toolCall(item);
        if (!call) return undefined;
        const first = started.delete(call.call) ? [] : [call];
        return [...first, toolResult(item, call.call)];
      }
    }
  };

  return ndjson((from) => {
    const item = row(from.item);
    switch (from.type) {
      case 'thread.started':
        return [{ kind: 'conversation', id: str(from.thread_id) ?? '' }];
      case 'turn.started':
      case 'item.updated':
        return [];
      case 'item.started': {
        const call = item && toolCall(item);
        if (!call) return item?.type === 'todo_list' ? [] : undefined;
        started.add(call.call);
        return [call];
      }
      case 'item.completed':
        return item && completed(item);
      case 'error':
        return readError(str(from.message) ?? 'unnamed error');
      case 'turn.failed':
        return failed(str(row(from.error)?.message) ?? 'the turn failed');
      case 'turn.completed':
        return [...usageOf(from), { kind: 'done', ok: true, ...(lastText === undefined ? {} : { text: lastText }) }];
      default:
        return undefined;
    }
  });
}

type ToolCall = Extract<AgentOutput, { kind: 'tool' }>;

function toolCall(item: Row): ToolCall | undefined {
  const call = str(item.id) ?? '';
  switch (item.type) {
    case 'command_execution':
      return { kind: 'tool', call, tool: 'shell', input: { command: item.command } };
    case 'file_change':
      return { kind: 'tool', call, tool: 'apply_patch', input: { changes: item.changes } };
    case 'mcp_tool_call':
      return { kind: 'tool', call, tool: `mcp__${item.server}__${item.tool}`, input: item.arguments };
    case 'web_search':
      return { kind: 'tool', call, tool: 'web_search', input: { query: item.query } };
    default:
      return undefined;
  }
}

function toolResult(item: Row, call: string): AgentOutput {
  const exit = num(item.exit_code);
  const files = list(item.changes).map((change) =>
    `${str(row(change)?.kind) ?? ''} ${str(row(change)?.path) ?? ''}`.trim(),
  );
  const content = list(row(item.result)?.content).map((part) => str(row(part)?.text) ?? '');
  const text = str(item.aggregated_output) ?? str(row(item.error)?.message) ?? [...files, ...content].join('\n');
  const ok = exit === undefined ? item.status !== 'failed' : exit === 0;
  return { kind: 'tool-result', call, ok, text, ...(item.status === 'declined' ? { ran: false } : {}) };
}

function usageOf(from: Row): AgentOutput[] {
  const usage = row(from.usage);
  if (!usage) return [];
  // Codex counts cached tokens inside the input and reasoning inside the output.
  return [{ kind: 'usage', inputTokens: num(usage.input_tokens) ?? 0, outputTokens: num(usage.output_tokens) ?? 0 }];
}
