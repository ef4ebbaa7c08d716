/**
 * The two-way door: claude's `--input-format stream-json` with `--permission-prompt-tool stdio`. Every tool that needs
 * permission, and every question, is a `can_use_tool` request; an error, nonsense, silence at the end of input, or an
 * allow without its full input means the tool is not run.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type ControlMessage, objectOf, parse, permitOf, promptOf, responseTo } from './control-messages.js';
import { converse, type PracticeConversation } from './conversation.js';
import { INTERRUPTED, type Permit, type PracticeCall } from './face.js';
import { grantOf } from './gate.js';
import { textOf } from './hooks.js';
import type { PracticeSession } from './session.js';
import { NdjsonFace } from './stream-door.js';

class ControlFace extends NdjsonFace {
  override readonly door = 'control';
  readonly #open = new Map<string, (response: ControlMessage | undefined) => void>();
  #closed = false;

  override permit(call: PracticeCall, signal: AbortSignal): Promise<Permit> {
    const id = randomUUID();
    if (this.#closed) return Promise.resolve({ allowed: false, reason: 'the permission channel is closed' });
    return new Promise((settle) => {
      const withdrawn = () => {
        this.#open.delete(id);
        this.print({ type: 'control_cancel_request', request_id: id });
        settle({ allowed: false, reason: INTERRUPTED, interrupt: true });
      };
      signal.addEventListener('abort', withdrawn, { once: true });
      this.#open.set(id, (response) => {
        signal.removeEventListener('abort', withdrawn);
        settle(permitOf(response));
      });
      const rules = [{ toolName: call.tool, ruleContent: grantOf(call) }];
      const suggestion = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
      const about = {
        display_name: call.tool,
        ...(textOf(call.input.description) ? { description: call.input.description } : {}),
      };
      const request = { subtype: 'can_use_tool', tool_name: call.tool, ...about, input: call.input };
      this.print({
        type: 'control_request',
        request_id: id,
        request: { ...request, permission_suggestions: [suggestion], tool_use_id: call.id },
      });
    });
  }

  answered(response: ControlMessage): void {
    const id = String(response.request_id);
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    waiting?.(response.subtype === 'success' ? objectOf(response.response) : undefined);
  }

  /** No answer can come any more. */
  closed(): void {
    this.#closed = true;
    for (const waiting of this.#open.values()) waiting(undefined);
    this.#open.clear();
  }
}

export async function controlDoor(given: {
  prompt: string | undefined;
  session: PracticeSession;
  chosen: PracticeConversation['chosen'];
  partial: boolean;
}): Promise<number> {
  const { session, chosen } = given;
  const face = new ControlFace(given);
  const prompts: string[] = given.prompt === undefined ? [] : [given.prompt];
  let turn = new AbortController();
  let wake = () => {};
  let open = true;
  process.on('SIGINT', () => turn.abort());

  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const message = parse(line);
    if (message.type === 'user') prompts.push(promptOf(message));
    else if (message.type === 'control_response') face.answered(objectOf(message.response));
    else if (message.type === 'control_request') {
      const request = objectOf(message.request);
      if (request.subtype === 'interrupt') turn.abort();
      face.print(responseTo(request, String(message.request_id)));
    }
    wake();
  });
  lines.on('close', () => {
    open = false;
    face.closed();
    wake();
  });

  await session.hooks.run('SessionStart', { source: session.resumed ? 'resume' : 'startup', model: 'practice-script' });
  let code = 0;
  for (;;) {
    const prompt = prompts.shift();
    if (prompt === undefined) {
      if (!open) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    turn = new AbortController();
    face.print(face.records.init());
    const end = await converse(prompt, { face, session, chosen, signal: turn.signal });
    const shown =
      end.kind === 'refused'
        ? { kind: 'error' as const, text: end.reason, status: 400, error: 'invalid_request' }
        : end;
    for (const record of face.records.end(shown)) face.print(record);
    code = end.kind === 'done' ? 0 : 1;
  }
  await session.hooks.run('SessionEnd', { reason: 'other' });
  return code;
}
