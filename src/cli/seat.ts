/** Where the person who starts a session sits: the size of the terminal, and whether anyone can answer there. */
import type { Presence, Size } from '../contract/index.js';
import { ttyPresence } from './channels.js';
import type { Context } from './context.js';
import { windowSize } from './window.js';

/** A terminal nobody looks at: wide enough for what agents draw, as seeds and fixtures have it. */
const UNSEEN: Size = { cols: 120, rows: 40 };

export function currentSize(): Size {
  return windowSize() ?? UNSEEN;
}

/** Why nobody can answer whatever is attached, or null. */
export function nonInteractive(context: Context, flags: { nonInteractive?: boolean }): string | null {
  if (flags.nonInteractive) return 'flag';
  return context.env.REINS_FRONTEND === 'noninteractive' ? 'env' : null;
}

export function presenceOf(reason: string | null): Presence {
  return reason === null ? ttyPresence() : { present: false, reason };
}
