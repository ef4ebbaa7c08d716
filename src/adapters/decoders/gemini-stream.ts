/**
 * `gemini -o stream-json`, checked against 0.61. Surprising: the exit code is 0 on nearly everything, so only a
 * `result` row with status success counts; text comes in pieces without an end mark, so the next row of another kind
 * ends the block.
 */
import type { AgentOutput, Clock, Decoder } from '../../contract/index.js';
import { systemClock } from '../../contract/index.js';
import { limitIn } from './limits.js';
import { block, ndjson, num, type Row, row, str } from './ndjson.js';

/** Kinds of errors that come before a tool is even tried. */
const NEVER_RAN = new Set(['tool_not_registered', 'invalid_tool_params', 'policy_violation']);

export function geminiStream({ clock = systemClock }: { clock?: Clock } = {}): Decoder {
  let open = false;
  let lastError: string | undefined;
  let text = '';

  const close = (): AgentOutput[] => {
    const needed = open && !text.endsWith('\n');
    open = false;
    return needed ? [{ kind: 'text', text: '\n' }] : [];
  };

  const readMessage = (from: Row): AgentOutput[] => {
    const content = str(from.content) ?? '';
    if (from.role !== 'assistant') return close();
    if (content === '') return [];
    if (from.delta !== true) {
      text = content;
      return [...close(), { kind: 'text', text: block(content) }];
    }
    text = open ? text + content : content;
    open = true;
    return [{ kind: 'text', text: content }];
  };

  const readResult = (from: Row): AgentOutput[] => {
    const ok = from.status === 'success';
    const reason = ok
      ? undefined
      : (str(row(from.error)?.message) ?? lastError ?? `status ${str(from.status) ?? 'missing'}`);
    const message = str(row(from.error)?.message);
    const failed = ok || message === undefined ? {} : { failure: { message } };
    const limit = reason === undefined ? undefined : limitIn(reason, clock.now());
    return [
      ...close(),
      ...(limit ? [{ kind: 'limit' as const, ...limit }] : []),
      ...usageOf(from),
      { kind: 'done', ok, ...(text === '' ? {} : { text }), ...(reason === undefined ? {} : { reason }), ...failed },
    ];
  };

  const read = (from: Row): AgentOutput[] | undefined => {
    switch (from.type) {
      case 'init': {
        const model = str(from.model);
        return [{ kind: 'conversation', id: str(from.session_id) ?? '', ...(model === undefined ? {} : { model }) }];
      }
      case 'message':
        return readMessage(from);
      case 'tool_use':
        return [
          ...close(),
          { kind: 'tool', call: str(from.tool_id) ?? '', tool: str(from.tool_name) ?? '', input: from.parameters },
        ];
      case 'tool_result': {
        const said = str(from.output) ?? str(row(from.error)?.message) ?? '';
        const ok = from.status === 'success';
        const never = !ok && NEVER_RAN.has(str(row(from.error)?.type) ?? '');
        const ran = never ? { ran: false } : {};
        return [...close(), { kind: 'tool-result', call: str(from.tool_id) ?? '', ok, text: said, ...ran }];
      }
      case 'error':
        lastError = str(from.message) ?? 'unnamed error';
        return [...close(), { kind: 'error', message: lastError, fatal: false }];
      case 'result':
        return readResult(from);
      default:
        return undefined;
    }
  };
  return ndjson(read, close);
}

function usageOf(from: Row): AgentOutput[] {
  const stats = row(from.stats);
  if (!stats) return [];
  return [{ kind: 'usage', inputTokens: num(stats.input_tokens) ?? 0, outputTokens: num(stats.output_tokens) ?? 0 }];
}
