/** `reins demo`: a guided first look with the practice agent. No key, no network, every feature can be tried. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { livingPlaces, specOf } from '../../sessions/index.js';
import { findExecutable } from '../../terminal/find.js';
import type { Context } from '../context.js';
import { run } from './run.js';

const FOLDER = 'reins-demo-';
const TOUR = 'Show me around: the tour.';

export async function demo(context: Context, flags: { autonomous?: boolean }): Promise<number> {
  tidyUp(context);
  const cwd = mkdtempSync(join(tmpdir(), FOLDER));
  const interactive = process.stdout.isTTY === true && flags.autonomous !== true;
  const { channels } = context;
  channels.chrome('Reins demo. The practice agent is a small script: no model, no key, no network.');
  channels.chrome(`It works in ${cwd}. ${interactive ? 'Leave with Ctrl-] (it goes on), or type /exit.' : ''}`);
  const reins = ownName(context);
  channels.chrome(`Next: ${reins} ls · ${reins} run -b practice "tour" · ${reins} doctor`);
  channels.chrome('');
  const code = await run(context, [TOUR], {
    backend: 'practice',
    cwd,
    name: 'demo',
    once: true,
    ...(interactive ? { interactive: true, idleTimeout: 0 } : { autonomous: true }),
    agentArgs: [],
  }).finally(() => tidyUp(context));
  channels.chrome('');
  channels.chrome(`That was the practice agent. Now with yours: cd into a project, then ${reins} run -i`);
  return code;
}

/**
 * What the practice agent made is of no use to anyone; a session that goes on still needs its folder. One that was left with
 * Ctrl-] and ended later is found by the next demo.
 */
function tidyUp({ env }: Context): void {
  const used = livingPlaces(env).flatMap((place) => (place.alive ? (specOf(place)?.cwd ?? []) : []));
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name);
    if (used.includes(folder)) continue;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Somebody else's.
    }
  }
}

/** As it can be typed here: a checkout that was never installed has no `reins` on PATH. */
function ownName({ env, cwd }: Context): string {
  if (findExecutable('reins', { path: env.PATH, cwd }).ok && !env.npm_lifecycle_event) return 'reins';
  const program = fileURLToPath(new URL('../main.js', import.meta.url));
  return `node ${program.startsWith(`${cwd}/`) ? program.slice(cwd.length + 1) : program}`;
}
