/** The host of a foreground run died: whoever is to be told of that is told by the run. */
import { runNotifyCommand } from '../host/notify-command.js';
import { tellDied } from '../notify/tell-died.js';
import { findSession, specOf } from '../sessions/index.js';
import type { Context } from './context.js';

export async function tellHostDied(context: Context, session: string): Promise<void> {
  const { env, channels, version } = context;
  const spec = specOf(findSession(context, session));
  if (!spec || spec.exec) return;
  const { id, name, mode, cwd, config, agent } = spec;
  const told = { id, name, mode, cwd, agent: agent?.adapter ?? '?' };
  const run: Parameters<typeof tellDied>[2]['run'] = (ask) => runNotifyCommand(ask, { env });
  const untold = await tellDied(config.notify, told, { env, version, now: () => Date.now(), run });
  if (untold.length > 0) channels.complain(`${untold.join(', ')} could not be told; try it with \`reins notify test\``);
}
