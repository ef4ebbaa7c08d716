/** `reins attach`: a terminal on a running session, or its story as it happens when it has no terminal. */
import { ReinsError, SESSION_MARK } from '../../contract/index.js';
import { connectTo, findSession, rowOf, specOf } from '../../sessions/index.js';
import { detachKey } from '../../vt/index.js';
import { chooseSession } from '../choose-session.js';
import type { Context } from '../context.js';
import { followSession } from '../follow.js';
import { keySource } from '../keyboard.js';
import { driverRights, terminalView } from '../terminal-view.js';
import { wayBack } from '../way-back.js';

export async function attach(
  context: Context,
  id: string | undefined,
  flags: { readOnly?: boolean; take?: boolean },
): Promise<number> {
  const place = findSession(context, id ?? (await chooseSession(context, 'attach')));
  const spec = specOf(place);
  if (!place.alive || !spec) {
    const row = await rowOf(context, place);
    context.channels.complain(
      `Session ${place.id} has ended${row?.detail ? `: ${row.detail}` : ''}. See reins logs ${place.id}`,
    );
    return row?.exit_code ?? new ReinsError('SESSION_ENDED').exit;
  }
  const hasTerminal = spec.tui || !['autonomous', 'conversation'].includes(spec.mode);
  if (!hasTerminal) {
    return followSession(context, {
      place,
      tie: false,
      answers: !flags.readOnly,
      calls: spec.config.notify.terminal,
    });
  }
  if (!process.stdout.isTTY) {
    throw new ReinsError('USAGE', {
      problem: 'attach needs a terminal',
      fix: `use \`reins screen ${place.id}\` or \`reins logs -f ${place.id}\``,
    });
  }
  if (context.env[SESSION_MARK] === place.id) {
    throw new ReinsError('USAGE', {
      problem: `this terminal is session ${place.id} itself: it would show itself for ever`,
      fix: 'attach from another terminal',
    });
  }
  return terminalView(context, {
    connect: (incoming) => connectTo(context, place, incoming, flags.readOnly ? 'view' : undefined),
    session: place.id,
    role: flags.readOnly ? 'watcher' : 'driver',
    take: flags.take === true,
    tie: false,
    detach: detachKey(spec.config.cli.detach_key),
    rights: driverRights(spec),
    keys: keySource(),
    calls: spec.mode === 'exec' ? 'off' : spec.config.notify.terminal,
    ended: (exit, reason) =>
      spec.mode === 'interactive'
        ? { ...wayBack({ id: place.id, spec }, exit, reason), as: 'chrome' }
        : { as: 'chrome', text: `[${place.id} has ended: ${reason}]` },
  });
}
