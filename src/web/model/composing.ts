/** What a message to this session would be, and why none can be sent: one decision for composer and command line. */
import type { SessionRow } from './store.js';

export interface Composing {
  what: 'message' | 'guide' | 'continue';
  /** In the empty field. */
  hint: string;
  /** On the button. */
  verb: string;
  /** What has to be done first, in few words: why stands right above it (`standing.tsx`). */
  barred?: string;
}

export interface ComposingFacts {
  row: SessionRow | undefined;
  paused: boolean;
  silent: boolean;
  connected: boolean;
  /** May it type; may it start again what has ended. */
  types: boolean;
  admin: boolean;
}

/** Undefined: this device has nothing to say here. */
export function composing({ row, paused, silent, connected, types, admin }: ComposingFacts): Composing | undefined {
  if (!row || !types) return undefined;
  if (row.state === 'ended') {
    if (!admin || row.mode === 'exec') return undefined;
    const left = row.left ?? 0;
    const barred = left > 0 ? 'stop what still runs first' : undefined;
    return { what: 'continue', hint: 'go on with… (may be empty)', verb: 'Continue', ...(barred ? { barred } : {}) };
  }
  const verb = connected ? 'Send' : 'When connected';
  const said =
    row.mode === 'autonomous'
      ? { what: 'guide' as const, hint: 'guidance for the next iteration', verb: connected ? 'Guide' : verb }
      : { what: 'message' as const, hint: hintOf(row), verb };
  if (paused || row.state === 'paused') return { ...said, barred: 'resume it first' };
  if (row.other !== undefined) return { ...said, barred: 'not from this version' };
  if (silent) return { ...said, barred: 'its host does not answer' };
  return said;
}

function hintOf({ state }: SessionRow): string {
  if (state === 'working' || state === 'starting') return 'message (for its next turn)';
  return state === 'asking' ? 'message (after the answer)' : 'message';
}
