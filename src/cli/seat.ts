/** Where the person who starts a session sits: the terminal, and whether anyone can answer there. */
import type { Presence } from '../contract/index.js';
import type { Seat } from '../host/index.js';
import { UNSEEN } from '../sessions/start.js';
import { ttyPresence } from './channels.js';
import type { Context } from './context.js';
import { ownTerm, windowSize } from './window.js';

interface SeatFlags {
  detach?: boolean;
  nonInteractive?: boolean;
}

/** `whose`: the program that gets the terminal's own name. */
export function seatOf(context: Context, flags: SeatFlags, whose: 'command' | 'agent' = 'agent'): Seat {
  const why = nonInteractive(context, flags);
  return {
    size: windowSize() ?? UNSEEN.size,
    tied: flags.detach !== true,
    non_interactive: why,
    presence: presenceOf(why),
    terminal: process.stdout.isTTY === true,
    ...(flags.detach ? {} : ownTerm(context.env, whose)),
  };
}

/** Why nobody can answer whatever is attached, or null. */
export function nonInteractive(context: Context, flags: { nonInteractive?: boolean }): string | null {
  if (flags.nonInteractive) return 'flag';
  return context.env.REINS_FRONTEND === 'noninteractive' ? 'env' : null;
}

export function presenceOf(reason: string | null): Presence {
  return reason === null ? ttyPresence() : { present: false, reason };
}
