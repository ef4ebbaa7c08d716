/**
 * Claude Code's `--output-format stream-json`, and that of agents which speak the same (amp, practice). Checked against
 * 2.1.197 and 2.1.325. Surprising: a failed turn says `subtype: "success"` with `is_error: true`; API errors come as assistant
 * messages of a `<synthetic>` model and are not the assistant's words; each content block is a row of its own.
 */
import type { AgentFailure, AgentOutput, Clock, Decoder } from '../../contract/index.js';
import { systemClock } from '../../contract/index.js';
import { ranOf } from './claude-ran.js';
import { limitIn } from './limits.js';
import { block, list, ndjson, num, type Row, row, rows, str } from './ndjson.js';

/** Rows that say nothing we need: echoes, and progress. */
const SILENT = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'tool_progress',
  'tool_use_summary',
  'auth_status',
  'prompt_suggestion',
  'conversation_reset',
]);
const SILENT_SYSTEM = new Set([
  'status',
  'hook_started',
  'hook_progress',
  'hook_response',
  'compact_boundary',
  'task_started',
  'task_progress',
  'task_notification',
  'session_state_changed',
  // Since 2.1.325. What was denied is in the tool's result, too.
  'background_tasks_changed',
  'task_updated',
  'permission_denied',
]);

export function claudeStream({ clock = systemClock }: { clock?: Clock } = {}): Decoder {
  return ndjson(claudeRows(() => clock.now()));
}

/** The reading of single rows, for the two-way protocol that carries the same rows. Undefined: not understood. */
export function claudeRows(now: () => number): (row: Row) => AgentOutput[] | undefined {
  let conversation: string | undefined;
  let limited = false;
  /** What the last row of the main agent failed with, until the model speaks again. */
  let failure: AgentFailure | undefined;

  const limit = (text: string): AgentOutput[] => {
    const found = limited ? undefined : limitIn(text, now());
    if (!found) return [];
    limited = true;
    return [{ kind: 'limit', ...found }];
  };

  const readSystem = (from: Row): AgentOutput[] | undefined => {
    const subtype = str(from.subtype) ?? '';
    if (subtype === 'init') {
      const id = str(from.session_id);
      if (id === undefined || id === conversation) return [];
      conversation = id;
      const model = str(from.model);
      return [{ kind: 'conversation', id, ...(model === undefined ? {} : { model }) }];
    }
    if (subtype === 'api_retry') return [retry(from)];
    return SILENT_SYSTEM.has(subtype) ? [] : undefined;
  };

  const readAssistant = (from: Row): AgentOutput[] | undefined => {
    const message = row(from.message);
    if (!message) return undefined;
    const parent = parentOf(from);
    const blocks = rows(message.content);
    if (message.model === '<synthetic>' || from.error !== undefined) {
      const text = blocks.map((item) => str(item.text) ?? '').join('');
      const code = str(from.error);
      if (parent.parent === undefined) failure = code === undefined ? undefined : { code };
      return [...limit(text), ...(text === '' ? [] : [{ kind: 'error' as const, message: text, fatal: false }])];
    }
    if (parent.parent === undefined) failure = undefined;
    return blocks.flatMap((item) => readBlock(item, parent));
  };

  const readRateLimit = (from: Row): AgentOutput[] => {
    const info = row(from.rate_limit_info);
    if (info?.status !== 'rejected' || limited) return [];
    limited = true;
    const seconds = num(info.resetsAt);
    const kind = (str(info.rateLimitType) ?? 'usage').replaceAll('_', ' ');
    return [
      { kind: 'limit', message: `${kind} limit reached`, ...(seconds === undefined ? {} : { until: seconds * 1000 }) },
    ];
  };

  const readResult = (from: Row): AgentOutput[] => {
    const ok = from.subtype === 'success' && from.is_error !== true;
    const text = str(from.result);
    const cost = num(from.total_cost_usd);
    const turns = num(from.num_turns);
    const reason = ok ? undefined : reasonOf(from);
    const failed = ok ? undefined : failureIn(from, failure);
    return [
      ...(ok ? [] : limit(reason ?? '')),
      ...usageOf(from, cost),
      ...deniedOf(from),
      {
        kind: 'done',
        ok,
        ...(text === undefined ? {} : { text }),
        ...(reason === undefined ? {} : { reason }),
        ...(cost === undefined ? {} : { costUsd: cost }),
        ...(turns === undefined ? {} : { turns }),
        ...(failed === undefined ? {} : { failure: failed }),
      },
    ];
  };

  return (from) => {
    switch (from.type) {
      case 'system':
        return readSystem(from);
      case 'assistant':
        return readAssistant(from);
      case 'user':
        return readUser(from);
      case 'stream_event':
        return partial(from);
      case 'rate_limit_event':
        return readRateLimit(from);
      case 'result':
        limited &&= from.is_error === true;
        return readResult(from);
      default:
        return SILENT.has(str(from.type) ?? '') ? [] : undefined;
    }
  };
}

/** Words while they are written, for who asked for them; what they come to is told whole in a row of its own. */
function partial(from: Row): AgentOutput[] {
  const delta = row(row(from.event)?.delta);
  const text = delta?.type === 'text_delta' && str(from.parent_tool_use_id) === undefined ? str(delta.text) : undefined;
  return text ? [{ kind: 'partial', text }] : [];
}

function parentOf(from: Row): { parent?: string } {
  const parent = str(from.parent_tool_use_id);
  return parent === undefined ? {} : { parent };
}

function readBlock(item: Row, parent: { parent?: string }): AgentOutput[] {
  switch (item.type) {
    case 'text':
      return str(item.text) ? [{ kind: 'text', text: block(item.text as string), ...parent }] : [];
    case 'thinking':
      return str(item.thinking) ? [{ kind: 'thinking', text: block(item.thinking as string), ...parent }] : [];
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [{ kind: 'tool', call: str(item.id) ?? '', tool: str(item.name) ?? '', input: item.input, ...parent }];
    case 'web_search_tool_result':
    case 'mcp_tool_result':
      return [readToolResult(item, parent)];
    default:
      return [];
  }
}

/** A user row is a tool's result, or an echo of a prompt; the echo is ours and nobody's news. */
function readUser(from: Row): AgentOutput[] | undefined {
  const message = row(from.message);
  if (!message) return undefined;
  return rows(message.content)
    .filter((item) => item.type === 'tool_result')
    .map((item) => readToolResult(item, parentOf(from)));
}

function readToolResult(item: Row, parent: { parent?: string }): AgentOutput {
  const text =
    str(item.content) ??
    list(item.content)
      .map((part) => str(row(part)?.text) ?? `[${str(row(part)?.type) ?? 'content'}]`)
      .join('\n');
  const ok = item.is_error !== true;
  return { kind: 'tool-result', call: str(item.tool_use_id) ?? '', ok, text, ...ranOf(ok, text), ...parent };
}

function retry(from: Row): AgentOutput {
  const of = num(from.max_retries);
  const inMs = num(from.retry_delay_ms);
  const status = num(from.error_status);
  return {
    kind: 'retry',
    attempt: num(from.attempt) ?? 1,
    ...(of === undefined ? {} : { of }),
    ...(inMs === undefined ? {} : { inMs: Math.round(inMs) }),
    error: [str(from.error) ?? 'API error', status === undefined ? '' : `(${status})`].join(' ').trim(),
  };
}

function reasonOf(from: Row): string {
  const errors = list(from.errors).filter((item): item is string => typeof item === 'string');
  const subtype = str(from.subtype) ?? 'error';
  const said = str(from.result) || errors.join('; ');
  const status = num(from.api_error_status);
  const named = subtype === 'success' ? (status === undefined ? '' : `API error ${status}`) : subtype;
  return [named, said].filter((part) => part !== '').join(': ') || 'the agent reported an error';
}

/** `error` is amp's word for it. The text of a result is left out: the model may have written it. */
function failureIn(from: Row, last: AgentFailure | undefined): AgentFailure | undefined {
  const status = num(from.api_error_status);
  const message = str(from.error);
  if (!last && status === undefined && message === undefined) return undefined;
  return {
    ...last,
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message }),
  };
}

function usageOf(from: Row, costUsd: number | undefined): AgentOutput[] {
  const usage = row(from.usage);
  if (!usage) return [];
  const sum = (...keys: string[]) => keys.reduce((total, key) => total + (num(usage[key]) ?? 0), 0);
  return [
    {
      kind: 'usage',
      inputTokens: sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
      outputTokens: sum('output_tokens'),
      ...(costUsd === undefined ? {} : { costUsd }),
    },
  ];
}

function deniedOf(from: Row): AgentOutput[] {
  const tools = list(from.permission_denials).map((item) => str(row(item)?.tool_name) ?? 'a tool');
  if (tools.length === 0) return [];
  return [{ kind: 'error', message: `not permitted: ${tools.join(', ')}`, fatal: false }];
}
