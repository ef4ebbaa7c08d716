/**
 * One prompt from submit to stop: the UserPromptSubmit hook may refuse it, the turn is played, the Stop hook may send it
 * back to work. The doors decide when a prompt comes and how its end is shown.
 */
import type { Face, TurnEnd } from './face.js';
import { textOf } from './hooks.js';
import { type Chosen, scenarioByPrompt } from './script.js';
import type { PracticeSession } from './session.js';
import { playTurn } from './turn.js';

export interface PracticeConversation {
  face: Face;
  session: PracticeSession;
  /** The scenario of the command line; absent: the prompt chooses. */
  chosen: Chosen | undefined;
}

/** A Stop hook that never agrees must not keep us for ever. */
const STOP_ROUNDS = 5;

export async function converse(
  prompt: string,
  around: PracticeConversation & { signal: AbortSignal },
): Promise<TurnEnd | { kind: 'refused'; reason: string }> {
  const { face, session, signal } = around;
  const submitted = await session.hooks.run('UserPromptSubmit', { prompt });
  const no = submitted.find((said) => said.blocked !== undefined || said.output.decision === 'block');
  if (no) return { kind: 'refused', reason: no.blocked ?? textOf(no.output.reason) ?? 'blocked by a hook' };

  let chosen = around.chosen ?? scenarioByPrompt(prompt);
  for (let round = 0; ; round += 1) {
    const end = await playTurn({ prompt, chosen, face, session, signal });
    if (end.kind === 'error')
      await session.hooks.run('StopFailure', { error: end.error, last_assistant_message: end.text });
    if (end.kind !== 'done') return end;
    const said = await session.hooks.run('Stop', { stop_hook_active: round > 0, last_assistant_message: end.text });
    const back = said.find((one) => one.blocked !== undefined || one.output.decision === 'block');
    if (!back || round >= STOP_ROUNDS) {
      session.record({ type: 'system', subtype: 'turn_duration', durationMs: 0 });
      return end;
    }
    const reason = back.blocked ?? textOf(back.output.reason) ?? '';
    chosen = {
      scenario: { name: 'again', about: '', steps: () => [{ say: `Stop hook feedback: ${reason}` }] },
      arg: '',
    };
  }
}
