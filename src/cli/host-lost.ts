/** A viewer whose host died under it: what it left is ended where this viewer answers for the session, and told. */
import type { ReinsError } from '../contract/index.js';
import { lostHost, tellHostDied } from '../sessions/index.js';
import type { Context } from './context.js';
import { processCount } from './table.js';

export async function hostLost(
  context: Context,
  lost: { session: string; reason: string; tie: boolean },
): Promise<ReinsError> {
  const { error, report } = await lostHost(context, lost);
  const { processes, left } = report;
  if (processes.length > 0)
    context.channels.chrome(`! the host died; ended ${processCount(processes.length)} it had left`);
  if (left > 0) context.channels.complain(`${processCount(left)} could not be ended.`);
  // Nobody else noticed; whatever goes wrong with telling is not what is wrong.
  const untold = lost.tie ? await tellHostDied(context, lost.session).catch(() => []) : [];
  if (untold.length > 0)
    context.channels.complain(`${untold.join(', ')} could not be told; try it with \`reins notify test\``);
  return error;
}
