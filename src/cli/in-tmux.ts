/**
 * `--in tmux`: the session runs detached, and its viewer opens in a new window of the tmux server we are inside of. The
 * window is a plain `reins attach`: closing it leaves the session alone.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ReinsError } from '../contract/index.js';
import type { Place } from '../link/index.js';
import type { Context } from './context.js';

const cliProgram = fileURLToPath(new URL('./main.js', import.meta.url));

/** A window gets the server's environment, not ours: what tells where sessions live goes with it. */
const PLACES = ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** Before anything starts. */
export function checkTmux(context: Context): void {
  if (context.env.TMUX) return;
  throw new ReinsError('USAGE', {
    problem: '--in tmux was asked for, but this is not inside tmux (TMUX is not set)',
    fix: 'start tmux first, or use -d and then `reins attach ID`',
  });
}

/** Prints the id like `-d`; a window that could not be opened is told, the session runs all the same. */
export async function openInTmux(context: Context, place: Place, name: string): Promise<number> {
  context.channels.out(`${place.id}\n`);
  const places = PLACES.flatMap((variable) => {
    const value = context.env[variable];
    return value === undefined ? [] : [`${variable}=${value}`];
  });
  const argv = ['env', ...places, process.execPath, cliProgram, 'attach', place.id];
  const failure = await tmux(context, ['new-window', '-n', name, ...argv]);
  if (failure === undefined) return 0;
  context.channels.complain(`tmux opened no window: ${failure}`);
  context.channels.complain(`  the session runs; see it with: reins attach ${place.id}`);
  return 1;
}

function tmux(context: Context, args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('tmux', args, { env: context.env }, (error, _stdout, stderr) => {
      resolve(error ? stderr.trim() || error.message : undefined);
    });
  });
}
