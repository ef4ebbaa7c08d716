/**
 * Amp's `delegate` permission: Amp runs our program for a tool call, with the tool's input as JSON on stdin and its name
 * in the environment. Exit 0 allows, 2 rejects with stderr as the reason; a missing program rejects too.
 * Surprising: the name is not on stdin. It arrives in the event (`delegate:Bash`) or beside the input (`tool_name`).
 */
import type { HookFace, HookMeaning, HookReply } from '../adapter.js';
import { asObject, asText } from '../protocols/jsonl.js';

export const AMP_EVENT = 'delegate:';

const ALLOW: HookReply = { stdout: '', stderr: '', exit: 0 };
const reject = (reason: string): HookReply => ({ stdout: '', stderr: `${reason}\n`, exit: 2 });

export const ampDelegate: HookFace = {
  meaning(event, payload): HookMeaning {
    const wrapped = asObject(payload);
    const named = asText(wrapped?.tool_name);
    const tool = named ?? (event.startsWith(AMP_EVENT) ? event.slice(AMP_EVENT.length) : '');
    return {
      kind: 'gate',
      dialog: false,
      inquiry: {
        kind: 'run',
        tool: tool || 'unknown',
        input: named === undefined ? payload : wrapped?.tool_input,
        // A call nobody can name goes to a person, never to a rule.
        exclusive: tool === '',
      },
    };
  },
  reply(_event, _payload, { verdict, reason, interrupt }) {
    if (verdict.kind !== 'allow' || interrupt === true) return reject(reason ?? 'Denied.');
    return verdict.input === undefined ? ALLOW : reject('Amp cannot run a changed input.');
  },
  trouble: (_event, reason) => reject(reason),
  // Exit 1 would leave it to Amp's own judgement, which ends a headless run; a call that waits only runs on an allow.
  pass: () => reject('Not understood by Reins.'),
};
