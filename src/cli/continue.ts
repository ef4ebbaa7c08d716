/** `reins run --continue`: goes on with a session that ended or whose host died, and shows it. */
import { findSession } from '../sessions/index.js';
import { continueSession } from '../sessions/run.js';
import type { RunFlags } from './commands/run.js';
import type { Context } from './context.js';
import { followSession } from './follow.js';
import { currentSize, nonInteractive, presenceOf } from './seat.js';
import { startPorts } from './start-ports.js';
import { view } from './view-session.js';

export async function continueRun(context: Context, flags: RunFlags): Promise<number> {
  const why = nonInteractive(context, flags);
  const { place, spec, since } = await continueSession(context, findSession(context, flags.continue!), {
    ask: flags,
    seat: {
      size: currentSize(),
      tied: flags.detach !== true,
      non_interactive: why,
      presence: presenceOf(why),
      terminal: process.stdout.isTTY === true,
    },
    ports: startPorts(context, { mayAsk: why === null }),
  });
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
