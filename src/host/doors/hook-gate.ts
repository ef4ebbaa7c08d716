/**
 * Calls of our hook by an agent without a terminal program of its own (amp's delegate): each is an inquiry, the answer
 * is its exit code. Anything unclear is a refusal.
 */
import type { HookFace, HookReply } from '../../adapters/index.js';
import { HOOK_TIMEOUT_SECS } from '../launch.js';
import type { WorkPorts } from '../modes/work.js';

export async function hookAtGate(call: {
  face: HookFace | undefined;
  ports: WorkPorts;
  event: string;
  payload: unknown;
  gone: Promise<void>;
}): Promise<HookReply> {
  const { face, ports, event, payload } = call;
  if (!face) return { stdout: '', stderr: `Reins: nobody expects the hook ${event}\n`, exit: 2 };
  try {
    const meaning = face.meaning(event, payload);
    if (meaning.kind !== 'gate') return face.pass(event);
    const asked = ports.desk.open(meaning.inquiry, { deadlineMs: (HOOK_TIMEOUT_SECS - 5) * 1000 });
    void call.gone.then(() => asked.withdraw('the agent no longer waits'));
    const settled = await asked.settled;
    if (!settled) return face.trouble(event, 'the question was withdrawn');
    asked.delivered();
    return face.reply(event, payload, settled);
  } catch (error) {
    return face.trouble(event, (error as Error).message);
  }
}
