/** Which viewer a session gets in the foreground: its own terminal for a person, lines for a loop. */
import type { SessionSpec } from '../host/index.js';
import type { Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import { detachKey } from '../vt/index.js';
import type { Context } from './context.js';
import { followSession } from './follow.js';
import { keySource } from './keyboard.js';
import { shownLoop } from './shown-loop-view.js';
import { driverRights, terminalView } from './terminal-view.js';
import { wayBack } from './way-back.js';

export async function view(
  context: Context,
  place: Place,
  options: {
    spec: Pick<SessionSpec, 'mode' | 'tui' | 'config' | 'agent' | 'idle_timeout_secs'>;
    verbose: boolean;
    /** Show only what comes after this entry. */
    since?: number;
  },
): Promise<number> {
  const detach = detachKey(options.spec.config.cli.detach_key);
  const calls = options.spec.config.notify.terminal;
  if (options.spec.tui && process.stdout.isTTY)
    return reported(context, place, shownLoop(context, { place, detach, calls }));
  if (options.spec.mode === 'autonomous' || options.spec.mode === 'conversation') {
    const since = options.since === undefined ? {} : { since: options.since };
    const story = followSession(context, {
      place,
      tie: true,
      answers: true,
      calls,
      verbose: options.verbose,
      ...since,
    });
    return options.spec.mode === 'autonomous' ? reported(context, place, story) : story;
  }
  return terminalView(context, {
    connect: (incoming) => connectTo(context, place, incoming),
    session: place.id,
    role: 'driver',
    take: true,
    tie: true,
    detach,
    rights: driverRights(options.spec),
    keys: keySource(),
    calls,
    ended: (exit, reason) => wayBack({ id: place.id, spec: options.spec }, exit, reason),
  });
}

/** A loop's end is followed by what it came to. */
async function reported(context: Context, place: Place, shown: Promise<number>): Promise<number> {
  // Loaded now: by the end of a long loop another build may be in the place of this one, or none.
  const report = import('./report.js');
  const [code, { tellReport }] = await Promise.all([shown, report]);
  await tellReport(context, place);
  return code;
}
