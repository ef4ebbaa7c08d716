/**
 * Calls of our hook by an agent without a terminal program of its own (amp's delegate): each is an inquiry, the answer
 * is its exit code. Anything unclear is a refusal.
 */
import type { HookFace, HookReply } from '../../adapters/index.js';
import type { DoorPorts, TakesHook } from './door.js';

/** A hook must be answered a little before the agent loses patience with it. */
export const HOOK_MARGIN_MS = 5_000;

export function hookGate(face: HookFace, ask: DoorPorts['ask'], timeoutMs: number): TakesHook {
  return async (event, payload, gone): Promise<HookReply> => {
    try {
      const meaning = face.meaning(event, payload);
      if (meaning.kind !== 'gate') return face.pass(event);
      const asked = ask(meaning.inquiry, { deadlineMs: timeoutMs - HOOK_MARGIN_MS });
      void gone.then(() => asked.withdraw('the agent no longer waits'));
      const settled = await asked.settled;
      if (!settled) return face.trouble(event, 'the question was withdrawn');
      asked.delivered();
      return face.reply(event, payload, settled);
    } catch (error) {
      return face.trouble(event, (error as Error).message);
    }
  };
}
