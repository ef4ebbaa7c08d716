/**
 * Codex's `app-server`: JSON-RPC lines (without the "jsonrpc" field) on stdin and stdout. With the approval policy
 * `untrusted` every command and every file change waits for our answer; no answer, a wrong one or our death = not run.
 *   -> {"id":2,"method":"thread/start","params":{"cwd":"/ws","approvalPolicy":"untrusted","sandbox":"read-only",…}}
 *   <- {"method":"item/commandExecution/requestApproval","id":0,"params":{"itemId":"call_1","command":"/bin/bash -lc 'touch x'","cwd":"/ws",…}}
 *   -> {"id":0,"result":{"decision":"accept"}}
 * Surprising: its request ids start again at 0 and live beside ours; a method and an id together mean it asks us.
 */
import { type Clock, systemClock } from '../../contract/index.js';
import type { CompanionProtocol, ProtocolStep } from '../adapter.js';
import { type CodexHeld, codexAnswer, codexInquiry } from './codex-approvals.js';
import { openingIn } from './codex-config.js';
import { codexItems } from './codex-items.js';
import { codexNews } from './codex-news.js';
import { ASK_US, codexThreads } from './codex-threads.js';
import { asObject, asText, type Json, type JsonLine, lineReader, openAsks, output, unknown, write } from './jsonl.js';

type SentCall =
  | { method: 'initialize' | 'thread' | 'turn/interrupt' }
  | { method: 'turn/start'; text: string }
  /** `before`: an answer that waits until these words are in the turn, with the request it is to. */
  | { method: 'turn/steer'; text: string; before?: { id: unknown; answer: ProtocolStep } }
  | { method: 'threads'; then: (result: Json | undefined) => ProtocolStep[] };

const METHOD_NOT_FOUND = -32601;

export interface CodexAppServerSettings {
  cwd: string;
  /** What a thread starts with; `widened`: read-only, and workspace-write as soon as it is there (codex-threads.ts). */
  sandbox: 'read-only' | 'workspace-write' | 'widened';
  model?: string;
  /** The thread to go on with. */
  conversation?: string;
  /** Ours, told to Codex as its client's version. */
  version?: string;
  clock?: Clock;
  /**
   * Its terminal program is connected as well: it shows and says everything, opens threads of its own, and answers what
   * we do not understand. From here come inquiries, names of threads, and trouble.
   */
  shared?: boolean;
}

export function codexAppServer(settings: CodexAppServerSettings): CompanionProtocol {
  const lines = lineReader();
  const asks = openAsks<CodexHeld>();
  const items = codexItems();
  const { clock = systemClock } = settings;
  const news = codexNews(items, () => clock.now());
  const sent = new Map<number, SentCall>();
  let requests = 0;
  let thread: string | undefined;
  let turn: string | undefined;
  /** A turn was asked for and has not ended. */
  let running = false;
  /** Between our interrupt and the turn's end: what still asks is cancelled, not shown to anyone. */
  let stopping = false;
  /** Said before the thread was there. */
  let waiting: string[] = [];
  /** The terminal program may come. */
  let open = false;

  const call = (method: string, params: Json, remember: SentCall): ProtocolStep => {
    requests += 1;
    sent.set(requests, remember);
    return write({ id: requests, method, params });
  };
  const threads = codexThreads({
    call: (method, params, then = () => []) => call(method, params, { method: 'threads', then }),
    joined(id) {
      thread = id;
      turn = undefined;
      return [output({ kind: 'conversation', id })];
    },
  });
  const input = (text: string) => [{ type: 'text', text }];
  const startTurn = (text: string): ProtocolStep[] => {
    running = true;
    return [call('turn/start', { threadId: thread, input: input(text) }, { method: 'turn/start', text })];
  };
  const steer = (text: string, remember: Extract<SentCall, { method: 'turn/steer' }>): ProtocolStep =>
    call('turn/steer', { threadId: thread, expectedTurnId: turn, input: input(text) }, remember);
  const say = (text: string): ProtocolStep[] => {
    if (thread === undefined) {
      waiting.push(text);
      return [];
    }
    return !running || turn === undefined ? startTurn(text) : [steer(text, { method: 'turn/steer', text })];
  };
  const interruptTurn = (id: string): ProtocolStep =>
    call('turn/interrupt', { threadId: thread, turnId: id }, { method: 'turn/interrupt' });
  /** The turn's id comes twice, in the response and as news; an interrupt that was early waits for the first. */
  const turnBegan = (began: Json | undefined): ProtocolStep[] => {
    const id = asText(began?.id);
    if (id === undefined || id === turn || !running) return [];
    turn = id;
    open = true;
    return stopping ? [interruptTurn(id)] : [];
  };
  const failed = (message: string): ProtocolStep[] => {
    running = false;
    stopping = false;
    turn = undefined;
    return [
      output({ kind: 'error', message, fatal: true }),
      output({ kind: 'done', ok: false, reason: message, failure: { message } }),
      ...asks.withdraw('the turn ended'),
    ];
  };

  /** No thread, ours or the terminal program's, before codex has said that its settings leave no way past us. */
  const checkSettings = (): ProtocolStep[] => {
    const { cwd } = settings;
    const then = (read: Json | undefined): ProtocolStep[] => {
      const opening = openingIn(read, cwd);
      return opening === undefined ? openThread() : failed(`${opening}: Reins does not start it so`);
    };
    return [write({ method: 'initialized' }), call('config/read', { cwd }, { method: 'threads', then })];
  };
  const openThread = (): ProtocolStep[] => {
    const { cwd, sandbox, model, conversation, shared } = settings;
    const asking = { ...ASK_US, sandbox: sandbox === 'widened' ? 'read-only' : sandbox };
    const params = { cwd, ...asking, ...(model === undefined ? {} : { model }) };
    // A thread without a first turn cannot be joined: the terminal program brings its own.
    open = shared === true && conversation === undefined && waiting.length === 0;
    if (open) return [];
    return [
      conversation === undefined
        ? call('thread/start', params, { method: 'thread' })
        : call(
            'thread/resume',
            { threadId: conversation, ...params, ...(shared ? { excludeTurns: true } : {}) },
            { method: 'thread' },
          ),
    ];
  };
  const threadOpened = (result: Json | undefined): ProtocolStep[] => {
    const id = asText(asObject(result?.thread)?.id);
    if (id === undefined) return failed('codex named no thread');
    thread = id;
    const model = asText(result?.model);
    const texts = waiting;
    waiting = [];
    open = texts.length === 0;
    const begin = () => (texts.length === 0 ? [] : startTurn(texts.join('\n\n')));
    return [
      output({ kind: 'conversation', id, ...(model === undefined ? {} : { model }) }),
      ...(settings.sandbox === 'widened' ? threads.own(id, begin) : begin()),
    ];
  };

  const answered = (message: Json): ProtocolStep[] => {
    const id = message.id;
    const mine = typeof id === 'number' ? sent.get(id) : undefined;
    if (!mine) return [output(unknown(message))];
    sent.delete(id as number);
    const error = asObject(message.error);
    const result = asObject(message.result);
    if (mine.method === 'threads') return mine.then(error ? undefined : (result ?? {}));
    const held = mine.method === 'turn/steer' && mine.before ? [mine.before.answer] : [];
    if (!error) {
      if (mine.method === 'initialize') return checkSettings();
      if (mine.method === 'thread') return threadOpened(result);
      return mine.method === 'turn/start' ? turnBegan(asObject(result?.turn)) : held;
    }
    const why = asText(error.message) ?? 'codex refused a request';
    // The turn ended before the words arrived: they start the next one, unless a person at the keys decides about that.
    if (mine.method === 'turn/steer') return [...held, ...(settings.shared ? [] : startTurn(mine.text))];
    if (mine.method === 'turn/interrupt') return [output({ kind: 'error', message: why, fatal: false })];
    return failed(why);
  };

  const asked = (method: string, message: Json): ProtocolStep[] => {
    const params = asObject(message.params) ?? {};
    const owner = asText(params.threadId);
    const parent = owner === undefined || owner === thread ? {} : { parent: owner };
    const request = codexInquiry({ method, params, items, parent, shared: settings.shared === true });
    if (!request) {
      // A word from us would close the terminal program's own dialog.
      if (settings.shared) return [];
      return [
        write({ id: message.id, error: { code: METHOD_NOT_FOUND, message: `${method} is not supported` } }),
        output(unknown(message)),
      ];
    }
    const cancel = () => [codexAnswer(message.id, request.held, { verdict: { kind: 'deny' }, interrupt: true })];
    if (stopping) return cancel();
    const step = asks.open(message.id, request.held, request.inquiry, request.withinMs);
    if (step) return [step];
    return asks.full() ? cancel() : [];
  };

  const told = (method: string, params: Json): ProtocolStep[] => {
    const owner = asText(params.threadId);
    const mine = owner === undefined || thread === undefined || owner === thread;
    if (method === 'serverRequest/resolved') {
      for (const one of sent.values())
        if (one.method === 'turn/steer' && one.before?.id === params.requestId) delete one.before;
      return asks.withdrawId(
        params.requestId ?? null,
        'it was answered elsewhere',
        settings.shared ? 'there' : undefined,
      );
    }
    if (method === 'turn/started' && mine) {
      running ||= settings.shared === true;
      return turnBegan(asObject(params.turn));
    }
    const heard = news.read(method, params, mine ? {} : { parent: owner as string }).map(output);
    // Before it is open, no thread but ours can be meant.
    const said = settings.shared ? (open ? threads.read(method, params) : []) : heard;
    if (method !== 'turn/completed' || !mine) return said;
    running = false;
    stopping = false;
    turn = undefined;
    return [...said, ...asks.withdraw('the turn ended', (held) => held.parent === undefined)];
  };

  const received = (message: Json): ProtocolStep[] => {
    const method = asText(message.method);
    const hasId = Object.hasOwn(message, 'id');
    if (method !== undefined) return hasId ? asked(method, message) : told(method, asObject(message.params) ?? {});
    return hasId ? answered(message) : [output(unknown(message))];
  };
  const lineSteps = (line: JsonLine): ProtocolStep[] =>
    'json' in line ? received(line.json) : [output(unknown(line.garbage))];

  return {
    open(prompt) {
      if (prompt !== undefined) waiting.push(prompt);
      const clientInfo = { name: 'reins', title: 'Reins', version: settings.version ?? '0' };
      return [
        call('initialize', { clientInfo, capabilities: { experimentalApi: true } }, { method: 'initialize' }),
        ...(prompt === undefined ? [] : [output({ kind: 'state' as const, state: 'working' as const })]),
      ];
    },
    feed: (chunk) => lines.feed(chunk).flatMap(lineSteps),
    settle(key, settled) {
      const found = asks.take(key);
      if (!found) return [];
      const answer = codexAnswer(found.id, found.held, settled);
      // A refusal travels as one word; why, and what to do instead, is said to the running turn. First, and the refusal
      // waits until codex has them: it lets the turn go on, and words that come later are heard one request late, or never.
      const tell = settled.verdict.kind === 'deny' && settled.interrupt !== true && running && turn !== undefined;
      if (!tell || settled.reason === undefined) return [answer];
      const text = `Reins: ${settled.reason}`;
      return [steer(text, { method: 'turn/steer', text, before: { id: found.id, answer } })];
    },
    submit: say,
    joinable() {
      if (!open) return undefined;
      return thread === undefined ? {} : { conversation: thread };
    },
    interrupt() {
      if (thread === undefined && waiting.length > 0) {
        waiting = [];
        return [output({ kind: 'done', ok: false, reason: 'interrupted before the turn began' })];
      }
      if (!running) return [];
      stopping = true;
      const pending = asks.all();
      const stop = { verdict: { kind: 'deny' }, interrupt: true } as const;
      return [
        ...pending.map(({ id, held }) => codexAnswer(id, held, stop)),
        ...asks.withdraw('the turn was interrupted'),
        ...(turn === undefined ? [] : [interruptTurn(turn)]),
      ];
    },
    end: () => [
      ...lines.end().flatMap(lineSteps),
      ...items.turnEnded().map(output),
      ...asks.withdraw('the agent ended'),
    ],
  };
}
