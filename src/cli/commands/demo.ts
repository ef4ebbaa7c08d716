/** `reins demo`: a guided first look with the practice agent. No key, no network, every feature can be tried. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { places } from '../../link/index.js';
import type { Context } from '../context.js';
import { specOf } from '../sessions.js';
import { run } from './run.js';

const TOUR = 'Show me around: the tour.';

export async function demo(context: Context, flags: { autonomous?: boolean }): Promise<number> {
  const cwd = mkdtempSync(join(tmpdir(), 'reins-demo-'));
  const interactive = process.stdout.isTTY === true && flags.autonomous !== true;
  const { channels } = context;
  channels.chrome('Reins demo. The practice agent is a small script: no model, no key, no network.');
  channels.chrome(`It works in ${cwd}. ${interactive ? 'Leave with Ctrl-] (it goes on), or type /exit.' : ''}`);
  channels.chrome('Next: reins ls · reins run -b practice "tour" · reins doctor');
  channels.chrome('');
  const code = await run(context, [TOUR], {
    backend: 'practice',
    cwd,
    name: 'demo',
    once: true,
    ...(interactive ? { interactive: true, idleTimeout: 0 } : { autonomous: true }),
    agentArgs: [],
  });
  // What the practice agent made is of no use to anyone; a session that goes on still needs its folder.
  const goesOn = places(context.env).some((place) => place.alive && specOf(place)?.cwd === cwd);
  if (!goesOn) rmSync(cwd, { recursive: true, force: true });
  channels.chrome('');
  channels.chrome('That was the practice agent. Now with yours: cd into a project, then reins run -i');
  return code;
}
