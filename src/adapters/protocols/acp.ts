/**
 * The Agent Client Protocol, version 1, as its client: one client for gemini, kiro and every agent that speaks it. We offer
 * no file system and no terminal, so everything that needs leave comes as `session/request_permission` and waits.
 *   -> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"…","prompt":[{"type":"text","text":"…"}]}}
 *   <- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"options":[{"optionId":"once","kind":"allow_once"},…],"toolCall":{…}}}
 *   -> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}
 * Surprising: a cancelled prompt only ends after its open permission requests were answered; one prompt runs at a time; a
 * refusal cannot carry a reason, so the reasons follow as a prompt of their own before the turn counts as done.
 */
import { type AgentFailure, type Clock, systemClock } from '../../contract/index.js';
import type { InquiryDraft, Protocol, ProtocolStep, Settled } from '../adapter.js';
import { limitIn } from '../decoders/limits.js';
import { acpInput, acpTool, acpUpdates, acpUsage } from './acp-updates.js';
import {
  asList,
  asNumber,
  asObject,
  asText,
  type Json,
  type JsonLine,
  lineReader,
  openAsks,
  output,
  unknown,
  write,
} from './jsonl.js';

type SentRequest = 'initialize' | 'session/new' | 'session/load' | 'session/prompt';

interface HeldRequest {
  /** Option ids by kind; only the ones that hold once are ever chosen. */
  allowOnce?: string;
  rejectOnce?: string;
}

const METHOD_NOT_FOUND = -32601;

export interface AcpSettings {
  /** The title of an `execute` call is its whole command, word for word. */
  commandInTitle?: boolean;
  cwd: string;
  /** The conversation to load. */
  conversation?: string;
  mcpServers?: unknown[];
  clock?: Clock;
}

export function acp(settings: AcpSettings): Protocol {
  const { clock = systemClock } = settings;
  const lines = lineReader();
  const asks = openAsks<HeldRequest>();
  const knowing = { commandInTitle: settings.commandInTitle === true };
  const updates = acpUpdates(knowing);
  const used = acpUsage();
  const sent = new Map<number, SentRequest>();
  let requests = 0;
  let session: string | undefined;
  /** History is replayed while a session loads; it was shown when it happened. */
  let loading = false;
  let running = false;
  /** What the running prompt was said with, and under which number. */
  let prompt: { bytes: string; id: number } | undefined;
  let stopping = false;
  let waiting: string[] = [];
  /** Why something was refused: the protocol has no word for it, so the agent is told when its turn is over, once. */
  let reasons: string[] = [];
  const toldReasons = new Set<string>();

  const call = (method: SentRequest, params: Json): ReturnType<typeof write> => {
    requests += 1;
    sent.set(requests, method);
    return write({ jsonrpc: '2.0', id: requests, method, params });
  };
  const reply = (id: unknown, result: Json): ProtocolStep => write({ jsonrpc: '2.0', id, result });
  const cancelled = (id: unknown): ProtocolStep => reply(id, { outcome: { outcome: 'cancelled' } });
  const selected = (id: unknown, optionId: string | undefined): ProtocolStep =>
    optionId === undefined ? cancelled(id) : reply(id, { outcome: { outcome: 'selected', optionId } });
  const refuse = (id: unknown, { rejectOnce }: HeldRequest): ProtocolStep => selected(id, rejectOnce);

  const next = (): ProtocolStep[] => {
    const text = session === undefined || running ? undefined : waiting.shift();
    if (text === undefined) return [];
    running = true;
    const said = call('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] });
    prompt = { bytes: said.bytes, id: requests };
    return [said, output({ kind: 'state', state: 'working' })];
  };
  const failed = (message: string, failure: AgentFailure = {}): ProtocolStep[] => {
    const limit = limitIn(message, clock.now());
    return [
      ...(limit ? [output({ kind: 'limit', ...limit })] : []),
      output({ kind: 'error', message, fatal: true }),
      output({ kind: 'done', ok: false, reason: message, failure: { message, ...failure } }),
    ];
  };

  const openSession = (capabilities: Json | undefined): ProtocolStep[] => {
    const { cwd, mcpServers = [], conversation } = settings;
    if (conversation === undefined) return [call('session/new', { cwd, mcpServers })];
    if (capabilities?.loadSession !== true) return failed('the agent cannot load an earlier conversation');
    loading = true;
    return [call('session/load', { sessionId: conversation, cwd, mcpServers })];
  };
  const sessionOpened = (id: string | undefined): ProtocolStep[] => {
    loading = false;
    if (id === undefined) return failed('the agent named no session');
    session = id;
    return [output({ kind: 'conversation', id }), ...next()];
  };
  const promptEnded = (result: Json | undefined, error: RefusedRequest | undefined): ProtocolStep[] => {
    running = false;
    const interrupted = stopping;
    stopping = false;
    const stop = asText(result?.stopReason) ?? 'no stop reason';
    const said = [...updates.turnEnded(), ...used(result)].map(output);
    const untold = reasons;
    reasons = [];
    if (untold.length > 0 && stop === 'end_turn' && error === undefined && !interrupted) {
      waiting.unshift(untold.map((reason) => `Reins: ${reason}`).join('\n'));
      return [...said, ...asks.withdraw('the turn ended'), ...next()];
    }
    const ended =
      error !== undefined
        ? failed(error.text, error.failure)
        : [output({ kind: 'done', ok: stop === 'end_turn', ...(stop === 'end_turn' ? {} : { reason: stop }) })];
    return [...said, ...ended, ...asks.withdraw('the turn ended'), ...next()];
  };

  const answered = (message: Json): ProtocolStep[] => {
    const mine = typeof message.id === 'number' ? sent.get(message.id) : undefined;
    if (mine === undefined) return [output(unknown(message))];
    sent.delete(message.id as number);
    const result = asObject(message.result);
    const error = Object.hasOwn(message, 'error') ? refusedRequest(message.error) : undefined;
    if (mine === 'session/prompt') return promptEnded(result, error);
    if (error !== undefined) {
      loading = false;
      return failed(error.text, error.failure);
    }
    if (mine === 'initialize') return openSession(asObject(result?.agentCapabilities));
    return sessionOpened(mine === 'session/load' ? settings.conversation : asText(result?.sessionId));
  };

  const asked = (method: string, message: Json): ProtocolStep[] => {
    const params = asObject(message.params) ?? {};
    if (method !== 'session/request_permission') {
      const error = { code: METHOD_NOT_FOUND, message: `${method} is not supported` };
      return [write({ jsonrpc: '2.0', id: message.id, error }), output(unknown(message))];
    }
    if (stopping || loading) return [cancelled(message.id)];
    const told = updates.call(asObject(params.toolCall) ?? {});
    const toolCall = told.asked;
    const said = told.said.map(output);
    const held = heldOf(params.options);
    // Nobody is asked what cannot be allowed: a yes for this call alone is not on offer, and no other is ever given.
    if (held.allowOnce === undefined) {
      const why = `${acpTool(toolCall)} was refused: the agent offers no way to allow it once`;
      if (!toldReasons.has(why)) reasons.push(why);
      toldReasons.add(why);
      return [...said, refuse(message.id, held), output({ kind: 'error', message: why, fatal: false })];
    }
    const step = asks.open(message.id, held, inquiryOf(toolCall, knowing));
    if (step) return [...said, step];
    return [...said, ...(asks.full() ? [cancelled(message.id)] : [])];
  };

  const received = (message: Json): ProtocolStep[] => {
    const method = asText(message.method);
    const hasId = Object.hasOwn(message, 'id');
    if (method === undefined) return hasId ? answered(message) : [output(unknown(message))];
    if (hasId) return asked(method, message);
    if (method !== 'session/update') return method.startsWith('_') ? [] : [output(unknown(message))];
    const update = asObject(asObject(message.params)?.update);
    return loading || !update ? [] : updates.read(update).map(output);
  };
  const lineSteps = (line: JsonLine): ProtocolStep[] =>
    'json' in line ? received(line.json) : [output(unknown(line.garbage))];

  return {
    open(first) {
      if (first !== undefined) waiting.push(first);
      const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
      return [call('initialize', { protocolVersion: 1, clientCapabilities })];
    },
    feed: (chunk) => lines.feed(chunk).flatMap(lineSteps),
    settle(key, settled) {
      const found = asks.take(key);
      if (!found) return [];
      const { reason } = settled;
      if (settled.verdict.kind === 'deny' && settled.interrupt !== true && reason && !toldReasons.has(reason)) {
        toldReasons.add(reason);
        reasons.push(reason);
      }
      return [selected(found.id, optionFor(found.held, settled))];
    },
    submit(text) {
      waiting.push(text);
      return next();
    },
    interrupt() {
      const dropped = waiting.length;
      waiting = [];
      const told: ProtocolStep[] =
        dropped === 0
          ? []
          : [
              output({
                kind: 'error',
                message: `${dropped} waiting message(s) dropped by the interrupt`,
                fatal: false,
              }),
            ];
      // Said before there was a session: its turn will not come, and somebody waits for its end.
      if (!running && dropped > 0)
        return [...told, output({ kind: 'done', ok: false, reason: 'interrupted before the turn began' })];
      if (!running) return [];
      stopping = true;
      return [
        ...told,
        write({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } }),
        ...asks.all().map(({ id }) => cancelled(id)),
        ...asks.withdraw('the turn was interrupted'),
      ];
    },
    unsent(bytes) {
      if (!running || prompt?.bytes !== bytes) return false;
      sent.delete(prompt.id);
      prompt = undefined;
      running = false;
      stopping = false;
      return true;
    },
    end: () => [
      ...lines.end().flatMap(lineSteps),
      ...updates.turnEnded().map(output),
      ...asks.withdraw('the agent ended'),
    ],
  };
}

/** Undefined: only "cancelled" says no without promising more than this once. */
function optionFor(held: HeldRequest, settled: Settled): string | undefined {
  if (settled.interrupt === true) return undefined;
  // A changed input has no place in the answer; running the original instead would not be what was allowed.
  const allowed = settled.verdict.kind === 'allow' && settled.verdict.input === undefined;
  return allowed && held.allowOnce !== undefined ? held.allowOnce : held.rejectOnce;
}

function heldOf(options: unknown): HeldRequest {
  const held: HeldRequest = {};
  for (const entry of asList(options)) {
    const option = asObject(entry);
    const id = asText(option?.optionId);
    if (id === undefined) continue;
    if (option?.kind === 'allow_once') held.allowOnce ??= id;
    if (option?.kind === 'reject_once') held.rejectOnce ??= id;
  }
  return held;
}

function inquiryOf(toolCall: Json, knowing: { commandInTitle: boolean }): InquiryDraft {
  const call = asText(toolCall.toolCallId);
  const title = asText(toolCall.title);
  return {
    kind: 'run',
    tool: acpTool(toolCall),
    input: acpInput(toolCall, knowing),
    exclusive: false,
    ...(call === undefined ? {} : { call }),
    ...(title === undefined ? {} : { reason: title }),
  };
}

interface RefusedRequest {
  text: string;
  failure: AgentFailure;
}

/** The protocol's own number for "log in first". */
const AUTH_REQUIRED = -32_000;

function refusedRequest(error: unknown): RefusedRequest {
  const message = asText(asObject(error)?.message) ?? 'the agent refused a request';
  const details = asText(asObject(asObject(error)?.data)?.details);
  const code = asNumber(asObject(error)?.code);
  // Gemini gives the status of the answer that it got.
  const status = code === AUTH_REQUIRED ? 401 : code !== undefined && code >= 400 && code <= 599 ? code : undefined;
  return {
    text: details === undefined ? message : `${message}: ${details}`,
    failure: status === undefined ? {} : { status },
  };
}
