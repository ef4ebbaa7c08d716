/**
 * Claude over stream-json in both directions: every tool call that needs leave, and every question, comes as
 * `control_request/can_use_tool` and waits. All other records are read as the one-way decoder reads them.
 *   <- {"type":"control_request","request_id":"6b…","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{…},"tool_use_id":"toolu_…"}}
 *   -> {"type":"control_response","response":{"subtype":"success","request_id":"6b…","response":{"behavior":"allow","updatedInput":{…}}}}
 * Surprising: up to 2.1.197 an allow without `updatedInput` is a schema error that denies the tool; and since 2.1.325 a
 * sub-agent works in the background by default, so a turn may have a result before its helpers have theirs.
 */
import { type AgentOutput, type Clock, systemClock } from '../../contract/index.js';
import type { Protocol, ProtocolStep, Settled } from '../adapter.js';
import { claudeRows } from '../decoders/claude-stream.js';
import { ASK_USER_QUESTION, answered, draftOf } from './ask-user-question.js';
import { asObject, asText, type Json, type JsonLine, lineReader, openAsks, output, unknown, write } from './jsonl.js';

interface HeldCall {
  tool: string;
  input: unknown;
  question: boolean;
  subAgent: boolean;
}

const DENIED = 'Denied.';
const INTERRUPTED = 'The turn was interrupted.';

export function claudeControl({ clock = systemClock }: { clock?: Clock } = {}): Protocol {
  const lines = lineReader();
  const rows = claudeRows(() => clock.now());
  const asks = openAsks<HeldCall>();
  let requests = 0;
  let running = false;
  /** Between our interrupt and the turn's result nothing new may start: late requests are refused, not asked. */
  let stopping = false;
  /** Sub-agents at work behind the turn: when they report, another result follows. */
  let helpers = 0;

  const respond = (id: unknown, response: Json): ProtocolStep =>
    write({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  const refuse = (id: unknown, error: string): ProtocolStep =>
    write({ type: 'control_response', response: { subtype: 'error', request_id: id, error } });
  const deny = (id: unknown, message: string, interrupt: { interrupt?: true } = {}): ProtocolStep =>
    respond(id, { behavior: 'deny', message, ...interrupt });

  const say = (text: string): ProtocolStep[] => {
    running = true;
    return [
      write({ type: 'user', message: { role: 'user', content: text } }),
      output({ kind: 'state', state: 'working' }),
    ];
  };

  const asked = (id: unknown, request: Json | undefined): ProtocolStep[] => {
    const tool = asText(request?.tool_name);
    if (request?.subtype !== 'can_use_tool' || tool === undefined) {
      return [refuse(id, 'not supported'), output(unknown({ control_request: request }))];
    }
    if (stopping) return [deny(id, INTERRUPTED, { interrupt: true })];
    const parent = asText(request.agent_id);
    const inquiry = draftOf({
      tool,
      input: request.input,
      call: asText(request.tool_use_id),
      parent,
      reason: asText(request.decision_reason),
    });
    const held = { tool, input: request.input, question: inquiry.kind === 'question', subAgent: parent !== undefined };
    const step = asks.open(id, held, inquiry);
    if (step) return [step];
    return asks.full() ? [deny(id, 'Too many requests are open.')] : [];
  };

  const received = (record: Json): ProtocolStep[] => {
    switch (record.type) {
      case 'control_request':
        return asked(record.request_id ?? null, asObject(record.request));
      case 'control_cancel_request':
        return asks.withdrawId(record.request_id ?? null, 'the agent no longer waits for it');
      case 'control_response':
        return responded(asObject(record.response));
      case 'keep_alive':
        return [];
      default:
        return read(record);
    }
  };
  const understood = (record: Json): AgentOutput[] => {
    try {
      return rows(record) ?? [unknown(record)];
    } catch {
      return [unknown(record)]; // A record of an unexpected shape is the agent's news, not our failure.
    }
  };
  const read = (record: Json): ProtocolStep[] => {
    helpers = helpersIn(record) ?? helpers;
    const told = understood(record);
    if (record.type !== 'result') return told.map(output);
    // Input that ended here would leave whatever a helper still asks without an answer.
    const said = (helpers > 0 && !stopping ? told.filter(({ kind }) => kind !== 'done') : told).map(output);
    if (said.length < told.length) return said;
    running = false;
    stopping = false;
    // The main agent cannot end its turn while one of its own calls waits; a sub-agent in the background can go on.
    return [...said, ...asks.withdraw('the turn ended', (held) => !held.subAgent)];
  };
  const lineSteps = (line: JsonLine): ProtocolStep[] =>
    'json' in line ? received(line.json) : [output(unknown(line.garbage))];

  return {
    open: (prompt) => (prompt === undefined ? [] : say(prompt)),
    feed: (chunk) => lines.feed(chunk).flatMap(lineSteps),
    settle(key, settled) {
      const found = asks.take(key);
      if (!found) return [];
      const answer = answerTo(found.held, settled);
      return [
        'input' in answer
          ? respond(found.id, { behavior: 'allow', updatedInput: answer.input })
          : deny(found.id, answer.refused, settled.interrupt === true ? { interrupt: true } : {}),
      ];
    },
    submit: say,
    model(name) {
      requests += 1;
      return [
        write({
          type: 'control_request',
          request_id: `model-${requests}`,
          request: { subtype: 'set_model', model: name },
        }),
      ];
    },
    interrupt() {
      stopping = running;
      requests += 1;
      return [
        write({ type: 'control_request', request_id: `interrupt-${requests}`, request: { subtype: 'interrupt' } }),
      ];
    },
    end: () => [...lines.end().flatMap(lineSteps), ...asks.withdraw('the agent ended')],
  };
}

/** How many sub-agents run in the background; shells may run for ever, and nobody waits for them. */
function helpersIn(record: Json): number | undefined {
  if (record.type !== 'system' || record.subtype !== 'background_tasks_changed') return undefined;
  const tasks = Array.isArray(record.tasks) ? record.tasks : [];
  return tasks.filter((task) => asObject(task)?.task_type === 'local_agent').length;
}

/** Ours come back too, as an echo; only a refused request of ours is news. */
function responded(response: Json | undefined): ProtocolStep[] {
  if (response?.subtype !== 'error') return [];
  const message = asText(response.error) ?? 'a control request was refused';
  return [output({ kind: 'error', message, fatal: false })];
}

function answerTo(held: HeldCall, settled: Settled): { input: Json } | { refused: string } {
  if (settled.verdict.kind === 'deny' || settled.interrupt === true) {
    return { refused: settled.reason ?? (settled.interrupt === true ? INTERRUPTED : DENIED) };
  }
  if (held.question) return answered(held.input, settled);
  if (settled.verdict.kind === 'values') return { refused: 'This is no question; it can only be allowed or denied.' };
  if (held.tool === ASK_USER_QUESTION) return { refused: 'The question could not be read.' };
  const input = asObject(settled.verdict.input ?? held.input ?? {});
  return input ? { input } : { refused: 'The changed input is not an object.' };
}
