/**
 * Codex's notifications as output: what it says, does, uses and suffers. Requests to us and the life of the turn are
 * the protocol's. Surprising: `error` with `willRetry` is not an error yet, and `warning` repeats itself every turn.
 */
import type { AgentFailure, AgentOutput } from '../../contract/index.js';
import { limitIn } from '../decoders/limits.js';
import type { CodexItems } from './codex-items.js';
import { asList, asNumber, asObject, asText, type Json, unknown } from './jsonl.js';

/** Said for screens, or said again elsewhere. Anything else that is not read below is kept as unknown. */
const SILENT =
  /^(?:thread\/(?:started|readState\/changed|name\/updated|compacted|closed)|turn\/(?:diff|plan)\/updated|account\/|configWarning$|remoteControl\/|mcpServer\/|skills\/|app\/|item\/(?:commandExecution|fileChange|mcpToolCall|plan)\/|item\/reasoning\/summaryPartAdded$|hook\/|deprecationNotice$|model\/)/;

/** Distinct warnings remembered, so that each is said once. */
const MOST_WARNINGS = 100;

export function codexNews(
  items: CodexItems,
  now: () => number,
): {
  read(method: string, params: Json, parent: { parent?: string }): AgentOutput[];
} {
  const warned = new Set<string>();
  const used = usageSince();
  let attempts = 0;
  let state: string | undefined;

  const warning = (message: string): AgentOutput[] => {
    if (warned.has(message) || warned.size >= MOST_WARNINGS) return [];
    warned.add(message);
    return [{ kind: 'error', message, fatal: false }];
  };

  const speech = (params: Json, kind: 'text' | 'thinking', parent: { parent?: string }): AgentOutput[] =>
    items.delta({ id: asText(params.itemId) ?? '', kind, text: asText(params.delta) ?? '', parent });

  const changed = (params: Json): AgentOutput[] => {
    const next = stateOf(asObject(params.status));
    if (next === undefined || next === state) return [];
    state = next;
    return [{ kind: 'state', state: next }];
  };

  const trouble = (params: Json): AgentOutput[] => {
    const error = asObject(params.error);
    const message = asText(error?.message) ?? 'codex reported an error';
    if (params.willRetry === true) {
      attempts += 1;
      const counted = /\b(\d{1,3})\/(\d{1,3})\b/.exec(message);
      return [
        {
          kind: 'retry',
          attempt: counted ? Number(counted[1]) : attempts,
          ...(counted ? { of: Number(counted[2]) } : {}),
          error: message,
        },
      ];
    }
    const said = limitIn(message, now());
    const limit = said ?? (error?.codexErrorInfo === 'usageLimitExceeded' ? { message } : undefined);
    return [...(limit ? [{ kind: 'limit' as const, ...limit }] : []), { kind: 'error', message, fatal: true }];
  };

  const ended = (params: Json): AgentOutput[] => {
    attempts = 0;
    state = undefined;
    const turn = asObject(params.turn);
    const status = asText(turn?.status) ?? 'unknown';
    const text = messageIn(turn) ?? items.lastMessage();
    const error = asObject(turn?.error);
    const reason = asText(error?.message) ?? status;
    const ok = status === 'completed';
    const failure = error ? { failure: failureIn(error) } : {};
    return [
      ...items.turnEnded(),
      { kind: 'done', ok, ...(text === undefined ? {} : { text }), ...(ok ? {} : { reason, ...failure }) },
    ];
  };

  return {
    read(method, params, parent) {
      const own = parent.parent === undefined;
      const item = asObject(params.item) ?? {};
      switch (method) {
        case 'item/started':
          return items.started(item, parent);
        case 'item/completed':
          return items.completed(item, parent);
        case 'item/commandExecution/terminalInteraction': {
          const stdin = asText(params.stdin) ?? '';
          return stdin === '' ? [] : items.typed(asText(params.itemId) ?? '', stdin, parent);
        }
        case 'item/agentMessage/delta':
          return speech(params, 'text', parent);
        case 'item/reasoning/textDelta':
        case 'item/reasoning/summaryTextDelta':
          return speech(params, 'thinking', parent);
        case 'thread/status/changed':
          return own ? changed(params) : [];
        case 'thread/tokenUsage/updated':
          return used(params);
        case 'turn/started':
          return [];
        case 'turn/completed':
          return own ? ended(params) : [];
        case 'error':
          return own ? trouble(params) : [];
        case 'warning':
          return warning(asText(params.message) ?? 'a warning without words');
        default:
          return SILENT.test(method) ? [] : [unknown({ method, params })];
      }
    },
  };
}

/** `"serverOverloaded"`, or `{"httpConnectionFailed": {"httpStatusCode": 503}}`. */
function failureIn(error: Json): AgentFailure {
  const info = error.codexErrorInfo;
  const [code, more] = typeof info === 'string' ? [info, undefined] : (Object.entries(asObject(info) ?? {})[0] ?? []);
  const status = asNumber(asObject(more)?.httpStatusCode);
  const message = asText(error.message);
  return {
    ...(status !== undefined ? { status } : code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
  };
}

function stateOf(status: Json | undefined): 'working' | 'idle' | 'asking-permission' | 'asking-question' | undefined {
  if (status?.type === 'idle') return 'idle';
  if (status?.type !== 'active') return undefined;
  const flags = asList(status.activeFlags);
  if (flags.includes('waitingOnApproval')) return 'asking-permission';
  return flags.includes('waitingOnUserInput') ? 'asking-question' : 'working';
}

interface Tokens {
  inputTokens: number;
  outputTokens: number;
}

/** The sum since this launch: codex tells the last request and the whole thread, which may be older than we are. */
function usageSince(): (params: Json) => AgentOutput[] {
  let before: Tokens | undefined;
  return (params) => {
    const last = tokensOf(asObject(params.tokenUsage)?.last);
    const total = tokensOf(asObject(params.tokenUsage)?.total) ?? last;
    if (!last || !total) return [];
    before ??= less(total, last);
    return [{ kind: 'usage', ...less(total, before) }];
  };
}

const less = (a: Tokens, b: Tokens): Tokens => ({
  inputTokens: a.inputTokens - b.inputTokens,
  outputTokens: a.outputTokens - b.outputTokens,
});

function tokensOf(value: unknown): Tokens | undefined {
  const from = asObject(value);
  const inputTokens = asNumber(from?.inputTokens);
  const outputTokens = asNumber(from?.outputTokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}

function messageIn(turn: Json | undefined): string | undefined {
  const messages = asList(turn?.items).filter((entry) => asObject(entry)?.type === 'agentMessage');
  return asText(asObject(messages.at(-1))?.text);
}
