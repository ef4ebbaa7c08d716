/**
 * Claude Code's hooks: what each call of our program means, and what to print back. PreToolUse is the gate (rules decide at
 * once, else `leaveToDialog` lets Claude's own dialog come up); PermissionRequest is held open beside that dialog as the inquiry.
 * Surprising: anything but exit 2 or one clean JSON object lets the tool run in bypass mode, so trouble is exit 2; and
 * for events that are not gates exit 2 would block the prompt or the end of the turn, so there trouble says nothing.
 */
import type { AgentOutput, AgentState } from '../../contract/index.js';
import type { HookFace, HookMeaning, HookReply, InquiryDraft, Settled } from '../adapter.js';
import { ASK_USER_QUESTION, answered, draftOf, needsInputBack, questionsOf } from '../protocols/ask-user-question.js';
import { asObject, asText, type Json } from '../protocols/jsonl.js';
import { previewOf, withheld } from './tool-output.js';

const GATES = new Set(['PreToolUse', 'PermissionRequest', 'PostToolUse']);
const SILENCE: HookReply = { stdout: '', stderr: '', exit: 0 };
const DENIED = 'Denied.';

/** Errors of StopFailure that mean "not now" rather than "broken". */
const LIMITS = new Set(['rate_limit', 'usage_limit']);

export const claudeHooks: HookFace = { meaning, reply, trouble, pass: () => SILENCE, leaveToDialog };

function meaning(event: string, payload: unknown): HookMeaning {
  const from = asObject(payload) ?? {};
  switch (event) {
    case 'PreToolUse':
      return { kind: 'gate', inquiry: callOf(from), dialog: false, outputs: calledOf(from) };
    case 'PermissionRequest':
      return { kind: 'gate', inquiry: callOf(from), dialog: true };
    case 'PostToolUse':
      return returned(from);
    case 'PostToolUseFailure':
      return fact(from, { outputs: resultOf(from, false, asText(from.error) ?? 'failed') });
    case 'UserPromptSubmit':
      return fact(from, { submitted: asText(from.prompt), state: 'working' });
    case 'Stop':
      return fact(from, { outputs: [doneOf(from)], state: 'idle' });
    case 'StopFailure':
      return fact(from, { outputs: failureOf(from), state: 'idle' });
    case 'SubagentStop':
      return fact(from, { outputs: subAgentWords(from) });
    case 'SessionStart':
      return fact(from, { outputs: conversationOf(from) });
    case 'SessionEnd':
      // `/clear` ends one conversation and begins the next in the same process.
      return fact(from, from.reason === 'clear' ? {} : { state: 'ended' });
    case 'Notification':
      return fact(from, noticeOf(from));
    default:
      return { kind: 'ignore' };
  }
}

function reply(event: string, payload: unknown, settled: Settled): HookReply {
  const from = asObject(payload) ?? {};
  switch (event) {
    case 'PreToolUse':
      return json(preToolUse(answerTo(from, settled)));
    case 'PermissionRequest':
      return json(permissionRequest(answerTo(from, settled), settled));
    case 'PostToolUse':
      return delivered(from, settled);
    default:
      return SILENCE;
  }
}

/** No rule settles the call: Claude's own dialog comes up, and PermissionRequest with it. */
function leaveToDialog(event: string): HookReply {
  return event === 'PreToolUse'
    ? json({ hookSpecificOutput: { hookEventName: event, permissionDecision: 'ask' } })
    : SILENCE;
}

function trouble(event: string, reason: string): HookReply {
  return GATES.has(event) ? { stdout: '', stderr: `${reason}\n`, exit: 2 } : SILENCE;
}

const json = (value: Json): HookReply => ({ stdout: `${JSON.stringify(value)}\n`, stderr: '', exit: 0 });

/** Allow, with an input to run instead where there must be one, or a refusal in words. */
type Decided = { allow: true; input?: Json } | { allow: false; reason: string };

function answerTo(from: Json, settled: Settled): Decided {
  const tool = asText(from.tool_name) ?? '';
  const { verdict, reason } = settled;
  if (verdict.kind === 'deny' || settled.interrupt === true) return { allow: false, reason: reason ?? DENIED };
  if (tool === ASK_USER_QUESTION) {
    const answer = answered(from.tool_input, settled);
    return 'input' in answer ? { allow: true, input: answer.input } : { allow: false, reason: answer.refused };
  }
  if (verdict.kind === 'values')
    return { allow: false, reason: 'This is no question; it can only be allowed or denied.' };
  if (verdict.input === undefined && !needsInputBack(tool)) return { allow: true };
  const input = asObject(verdict.input ?? from.tool_input);
  return input ? { allow: true, input } : { allow: false, reason: 'The changed input is not an object.' };
}

function preToolUse(decided: Decided): Json {
  const hookEventName = 'PreToolUse';
  return {
    hookSpecificOutput: decided.allow
      ? { hookEventName, permissionDecision: 'allow', ...(decided.input ? { updatedInput: decided.input } : {}) }
      : { hookEventName, permissionDecision: 'deny', permissionDecisionReason: decided.reason },
  };
}

function permissionRequest(decided: Decided, settled: Settled): Json {
  const decision = decided.allow
    ? { behavior: 'allow', ...(decided.input ? { updatedInput: decided.input } : {}) }
    : { behavior: 'deny', message: decided.reason, ...(settled.interrupt === true ? { interrupt: true } : {}) };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
}

/** A result is held back by giving Claude another one of the same shape; any other shape it ignores. */
function delivered(from: Json, settled: Settled): HookReply {
  if (settled.verdict.kind === 'allow' && settled.verdict.input === undefined) return SILENCE;
  const reason = settled.reason ?? 'The result was withheld.';
  const updatedToolOutput =
    settled.verdict.kind === 'allow' ? settled.verdict.input : withheld(from.tool_response, reason);
  return json({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } });
}

function callOf(from: Json): InquiryDraft {
  const tool = asText(from.tool_name);
  // A call nobody can name goes to a person, never to a rule.
  if (tool === undefined) return { kind: 'run', tool: 'unknown', input: from, exclusive: true };
  return draftOf({ tool, input: from.tool_input, call: asText(from.tool_use_id), parent: asText(from.agent_id) });
}

function returned(from: Json): HookMeaning {
  const preview = previewOf(from.tool_response);
  const outputs = resultOf(from, true, preview.text);
  // What a person answered is theirs to give: nobody is asked whether it may be delivered.
  if (from.tool_name === ASK_USER_QUESTION && questionsOf(from.tool_input).length > 0) return fact(from, { outputs });
  const call = asText(from.tool_use_id);
  const inquiry: InquiryDraft = {
    kind: 'deliver',
    tool: asText(from.tool_name) ?? 'unknown',
    input: from.tool_input,
    result: preview,
    exclusive: false,
    ...(call === undefined ? {} : { call }),
    ...parentOf(from),
  };
  return { kind: 'gate', inquiry, dialog: false, outputs };
}

const parentOf = (from: Json): { parent?: string } => {
  const parent = asText(from.agent_id);
  return parent === undefined ? {} : { parent };
};

function calledOf(from: Json): AgentOutput[] {
  const [call, tool] = [asText(from.tool_use_id), asText(from.tool_name)];
  if (call === undefined || tool === undefined) return [];
  return [{ kind: 'tool', call, tool, input: from.tool_input, ...parentOf(from) }];
}

/** Both events come only for a tool that ran, and say with what. */
function resultOf(from: Json, ok: boolean, text: string): AgentOutput[] {
  const call = asText(from.tool_use_id);
  if (call === undefined) return [];
  const tool = asText(from.tool_name) ?? 'unknown';
  return [{ kind: 'tool-result', call, ok, text, ran: true, tool, input: from.tool_input, ...parentOf(from) }];
}

function doneOf(from: Json): AgentOutput {
  const text = asText(from.last_assistant_message);
  return { kind: 'done', ok: true, ...(text === undefined ? {} : { text }) };
}

function failureOf(from: Json): AgentOutput[] {
  const error = asText(from.error) ?? 'the turn failed';
  const message = asText(from.last_assistant_message) ?? error;
  return [
    ...(LIMITS.has(error) ? [{ kind: 'limit' as const, message }] : []),
    { kind: 'error', message, fatal: true },
    { kind: 'done', ok: false, reason: `${error}: ${message}`, failure: { code: error } },
  ];
}

function subAgentWords(from: Json): AgentOutput[] {
  const text = asText(from.last_assistant_message);
  const parent = asText(from.agent_id);
  return text && parent ? [{ kind: 'text', text: text.endsWith('\n') ? text : `${text}\n`, parent }] : [];
}

function conversationOf(from: Json): AgentOutput[] {
  const id = asText(from.session_id);
  const model = asText(from.model);
  return id === undefined ? [] : [{ kind: 'conversation', id, ...(model === undefined ? {} : { model }) }];
}

/** Both come late (6 s, 60 s) and repeat what other signs said; they help where those are missing. */
function noticeOf(from: Json): { state?: AgentState } {
  if (from.notification_type === 'permission_prompt') return { state: 'asking-permission' };
  return from.notification_type === 'idle_prompt' ? { state: 'idle' } : {};
}

function fact(
  from: Json,
  { outputs = [], submitted, state }: { outputs?: AgentOutput[]; submitted?: string | undefined; state?: AgentState },
): HookMeaning {
  const transcript = asText(from.transcript_path);
  const conversation = asText(from.session_id);
  return {
    kind: 'fact',
    outputs,
    ...(submitted === undefined ? {} : { submitted }),
    ...(transcript === undefined ? {} : { transcript }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(state === undefined ? {} : { state }),
  };
}
