/**
 * May this call run? Claude's order: PreToolUse hooks first (a deny or exit 2 ends it, an allow opens it), then the
 * grants of the session, then a person through the door, with the PermissionRequest hooks asked at the same time by it.
 */
import { type Face, INTERRUPTED, type Permit, type PracticeCall, QUESTION } from './face.js';
import { type HookSaid, textOf } from './hooks.js';
import type { PracticeSession } from './session.js';
import { needsPermission } from './tools.js';

export async function mayRun(
  call: PracticeCall,
  around: { face: Face; session: PracticeSession; signal: AbortSignal },
): Promise<Permit> {
  const { face, session, signal } = around;
  const details = { tool_name: call.tool, tool_input: call.input, tool_use_id: call.id };
  const said = await Promise.race([session.hooks.run('PreToolUse', details, call.tool), aborted(signal)]);
  if (said === 'aborted') return { allowed: false, reason: INTERRUPTED, interrupt: true };
  const word = preToolUse(said, call);
  if (word !== 'ask' && word !== 'none') return word;
  const asks = call.tool === QUESTION || word === 'ask' || (needsPermission(call.tool) && !session.skipPermissions);
  if (!asks || (call.tool !== QUESTION && session.grants.has(grantOf(call))))
    return { allowed: true, input: call.input };
  return face.permit(call, signal);
}

function preToolUse(said: HookSaid[], call: PracticeCall): Permit | 'ask' | 'none' {
  const words = said.map((one) => {
    const decision = textOf(one.specific.permissionDecision) ?? textOf(one.output.decision);
    const reason = textOf(one.specific.permissionDecisionReason) ?? textOf(one.output.reason) ?? 'denied by a hook';
    return { one, decision, reason };
  });
  const no = words.find(
    ({ one, decision }) => one.blocked !== undefined || decision === 'deny' || decision === 'block',
  );
  if (no) return { allowed: false, reason: no.one.blocked ?? no.reason };
  if (words.some(({ decision }) => decision === 'ask')) return 'ask';
  const yes = words.find(({ decision }) => decision === 'allow' || decision === 'approve');
  if (!yes) return 'none';
  const updated = yes.one.specific.updatedInput as Record<string, unknown> | undefined;
  // A bare allow does not answer a question: the dialog comes.
  if (call.tool === QUESTION && !updated) return 'ask';
  return { allowed: true, input: updated ?? call.input };
}

/** What PermissionRequest hooks decided; undefined: nothing, the dialog stays. */
export function permissionRequest(said: HookSaid[], call: PracticeCall): Permit | undefined {
  for (const { blocked, specific } of said) {
    if (blocked !== undefined) return { allowed: false, reason: blocked };
    const decision = specific.decision as Record<string, unknown> | undefined;
    if (decision?.behavior === 'deny') {
      const reason = textOf(decision.message) ?? 'denied by a hook';
      return { allowed: false, reason, ...(decision.interrupt === true ? { interrupt: true } : {}) };
    }
    if (decision?.behavior === 'allow')
      return { allowed: true, input: (decision.updatedInput as Record<string, unknown> | undefined) ?? call.input };
  }
  return undefined;
}

/** What "yes, for this session" remembers: the tool, for Bash with the first word of its command. */
export function grantOf(call: PracticeCall): string {
  return call.tool === 'Bash'
    ? `Bash:${
        String(call.input.command ?? '')
          .trim()
          .split(/\s/)[0]
      }`
    : call.tool;
}

/** The text the model gets for an answered question, in claude's words. */
export function answersText(input: Record<string, unknown>): string {
  const answers = Object.entries((input.answers ?? {}) as Record<string, unknown>);
  if (answers.length === 0)
    return textOf(input.response) ? `The user responded: ${input.response}` : 'The user did not answer the questions.';
  const notes = (input.annotations ?? {}) as Record<string, { notes?: unknown } | undefined>;
  const list = answers
    .map(([question, answer]) => {
      const note = textOf(notes[question]?.notes);
      return `"${question}"="${answer}"${note ? ` user notes: ${note}` : ''}`;
    })
    .join(', ');
  return `Your questions have been answered: ${list}. You can now continue with these answers in mind.`;
}

export function aborted(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((settle) => {
    if (signal.aborted) settle('aborted');
    else signal.addEventListener('abort', () => settle('aborted'), { once: true });
  });
}
