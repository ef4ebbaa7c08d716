/**
 * Codex's rollout file (checked with 0.166). Everything is in there twice: as items of the model's conversation
 * (`response_item`) and as news for its screen (`event_msg`). What the model said and called is taken from the first, what
 * the person typed from the second, because the first also holds what codex itself says in the person's name.
 */
import type { AgentOutput } from '../../contract/index.js';
import { block, list, num, type Row, row, rows, str } from '../decoders/ndjson.js';
import { helper, typedCall } from '../protocols/codex-items.js';
import { type RecordReader, remembered, type TranscriptReader, transcriptReader } from './tail.js';

const SILENT = new Set(['turn_context', 'world_state', 'token_usage_record', 'compacted', 'retained_context', 'ghost']);

export function codexTranscript(): TranscriptReader {
  return transcriptReader(codexRecords());
}

function codexRecords(): RecordReader {
  const seen = remembered();
  return {
    read(from) {
      const payload = row(from.payload);
      if (!payload) return undefined;
      switch (from.type) {
        case 'session_meta': {
          const id = str(payload.id) ?? str(payload.session_id);
          return id === undefined || !seen.add(`meta ${id}`) ? [] : [{ kind: 'conversation', id }];
        }
        case 'response_item': {
          const outputs = item(payload);
          // A resumed or forked thread may bring its items along: each has a name.
          const id = str(payload.id) ?? str(payload.call_id);
          return id !== undefined && outputs?.length && !seen.add(`${payload.type} ${id}`) ? [] : outputs;
        }
        case 'event_msg':
          return event(payload, (name) => seen.add(name));
        default:
          return SILENT.has(str(from.type) ?? '') ? [] : undefined;
      }
    },
    flush: () => [],
  };
}

function item(from: Row): AgentOutput[] | undefined {
  const call = str(from.call_id) ?? str(from.id) ?? '';
  switch (from.type) {
    case 'message': {
      if (from.role !== 'assistant') return [];
      const text = rows(from.content)
        .map((part) => str(part.text) ?? '')
        .join('');
      return text === '' ? [] : [{ kind: 'text', text: block(text) }];
    }
    case 'reasoning': {
      const text = rows(from.summary)
        .map((part) => str(part.text) ?? '')
        .join('\n');
      return text === '' ? [] : [{ kind: 'thinking', text: block(text) }];
    }
    case 'function_call':
      return [{ kind: 'tool', call, ...functionOf(from) }];
    case 'custom_tool_call':
      return [{ kind: 'tool', call, tool: str(from.name) ?? '', input: from.input }];
    case 'local_shell_call':
      return [{ kind: 'tool', call, tool: 'shell', input: row(from.action) }];
    case 'web_search_call':
      return [{ kind: 'tool', call, tool: 'web_search', input: row(from.action) }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'tool-result', call, ...resultOf(from.output) }];
    default:
      return undefined;
  }
}

function event(from: Row, isNew: (name: string) => boolean): AgentOutput[] | undefined {
  switch (from.type) {
    case 'item_completed': {
      const done = row(from.item);
      if (done?.type !== 'UserMessage') return [];
      const text = rows(done.content)
        .map((part) => str(part.text) ?? `[${str(part.type) ?? 'content'}]`)
        .join('\n');
      const id = str(done.id);
      return text === '' || (id !== undefined && !isNew(`prompt ${id}`)) ? [] : [{ kind: 'prompt', text }];
    }
    // Before item_completed existed.
    case 'user_message':
      return str(from.message) ? [{ kind: 'prompt', text: str(from.message)! }] : [];
    case 'token_count': {
      const total = row(row(from.info)?.total_token_usage);
      const [inputTokens, outputTokens] = [num(total?.input_tokens), num(total?.output_tokens)];
      return inputTokens === undefined || outputTokens === undefined
        ? []
        : [{ kind: 'usage', inputTokens, outputTokens }];
    }
    case 'task_complete': {
      const message = str(row(from.error)?.message);
      const isOld = !isNew(`task ${str(from.turn_id)}`);
      return message === undefined || isOld ? [] : [{ kind: 'error', message, fatal: false }];
    }
    case 'error':
      return str(from.message) ? [{ kind: 'error', message: str(from.message)!, fatal: false }] : [];
    default:
      return [];
  }
}

function functionOf(from: Row): { tool: string; input: unknown } {
  const tool = str(from.name) ?? '';
  const input = inputOf(from.arguments);
  // Only codex's own: a server's tool of such a name has another namespace.
  const space = str(from.namespace);
  if (space !== undefined && /^multi_agent/.test(space)) return helper(tool, row(input)?.message ?? row(input)?.prompt);
  if (tool === 'write_stdin' && space === undefined) return typedCall(str(row(input)?.chars) ?? '', shellOf(input));
  return { tool, input };
}

function shellOf(input: unknown): string | undefined {
  const id = row(input)?.session_id;
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

function inputOf(text: unknown): unknown {
  try {
    return JSON.parse(str(text) ?? '');
  } catch {
    return text; // The model wrote no JSON: shown as it is.
  }
}

/** Refused, or never begun. An MCP server's words come as JSON, so they cannot begin like this. */
const NEVER_RAN =
  /^(?:exec_command failed|patch rejected|apply_patch verification failed|unsupported call: |failed to parse function arguments|(?:Wall time: [\d.]+ seconds\n)?aborted by user$|[\w ]*rejected by user)/i;

/** `Chunk ID: …\nWall time: …\nProcess exited with code 1\n…\nOutput:\n<text>`, a plain text, or content parts. */
function resultOf(output: unknown): { ok: boolean; text: string; ran?: boolean; running?: string } {
  const whole =
    str(output) ??
    str(row(output)?.content) ??
    list(output)
      .map((part) => str(row(part)?.text) ?? `[${str(row(part)?.type) ?? 'content'}]`)
      .join('\n');
  const head =
    /^(?:(?:Chunk ID|Wall time|Exit code|Process|Original token count|Total output lines)[^\n]*\n)+Output:\n/.exec(
      whole,
    )?.[0];
  const code = /(?:Process exited with code|Exit code:) (-?\d+)/.exec(head ?? '')?.[1];
  const refused = head === undefined && /^(?:exec_command failed|[\w ]*rejected by user|failed\b)/i.test(whole);
  const ok = row(output)?.success !== false && (code === undefined || code === '0') && !refused;
  // Codex writes its head before any output of a command: words without it are codex's own.
  const ran = head !== undefined ? { ran: true } : NEVER_RAN.test(whole) ? { ran: false } : {};
  const shell = /^Process running with session ID (\d+)$/m.exec(head ?? '')?.[1];
  const running = shell === undefined ? {} : { running: shell };
  return { ok, text: head === undefined ? whole : whole.slice(head.length), ...ran, ...running };
}

/** Whether a rollout that begins so is a person's conversation in this folder, begun at or after `since`. */
export function isCodexRollout(
  head: string,
  about: { cwd: string; since: number; source?: 'cli' | 'vscode' },
): boolean {
  try {
    const { type, payload } = JSON.parse(head) as { type?: unknown; payload?: Row };
    // Sub-agents and the thread that makes titles have files of their own, with another source.
    return (
      type === 'session_meta' &&
      payload?.source === (about.source ?? 'cli') &&
      payload.cwd === about.cwd &&
      Date.parse(str(payload.timestamp) ?? '') >= about.since
    );
  } catch {
    return false; // The first line is still being written, or it is no rollout.
  }
}
