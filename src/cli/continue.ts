/** `reins run --continue`: goes on with a session that ended or whose host died, and shows it. */
import { findSession } from '../sessions/index.js';
import { continueSession } from '../sessions/run.js';
import type { RunFlags } from './commands/run.js';
import type { Context } from './context.js';
import { followSession } from './follow.js';
import { seatOf } from './seat.js';
import { startPorts } from './start-ports.js';
import { view } from './view-session.js';

export async function continueRun(context: Context, flags: RunFlags): Promise<number> {
  const seat = seatOf(context, flags);
  const ports = startPorts(context, { mayAsk: seat.non_interactive === null });
  const found = findSession(context, flags.continue!);
  const { place, spec, since } = await continueSession(context, found, seat, { ask: flags, ports });
  if (flags.detach) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  if (spec.mode === 'interactive') return view(context, place, { spec, verbose: false });
  return followSession(context, {
    place,
    tie: true,
    answers: true,
    verbose: (flags.verbose ?? 0) > 0,
    since,
  });
}
