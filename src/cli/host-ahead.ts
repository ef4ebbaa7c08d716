/**
 * The host of a command that will start a session, begun before the command itself is loaded: both load at the same
 * time. If the command then fails, the host is never told to go and ends by itself.
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newSessionId } from '../contract/ids.js';
import { beginHost, placesOf } from '../link/begin.js';
import type { HostAhead } from '../sessions/start.js';

/** They start nothing, or go on with a session that has its name already. */
const NOT_NEEDED = new Set(['-h', '--help', '--dry-run', '--continue']);

let ahead: HostAhead | undefined;

/** The arguments are only glanced at: guessing wrong costs a process that ends at once, nothing else. */
export function beginAhead(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const cut = argv.indexOf('--');
  const ours = cut < 0 ? argv : argv.slice(0, cut);
  if (ours.some((word) => NOT_NEEDED.has(word.split('=', 1)[0]!))) return;
  const id = newSessionId();
  try {
    const program = fileURLToPath(new URL('../host/main.js', import.meta.url));
    const host = beginHost({ program, ...placesOf(env, id), env, likely: likely(ours) });
    ahead = { id, host };
  } catch {
    return; // whatever is wrong is found again, and said, when the session is started
  }
  process.once('exit', () => {
    if (ahead) rmSync(ahead.host.lastWords, { force: true });
  });
}

function likely(ours: readonly string[]): string {
  if (ours[0] === 'exec') return 'exec';
  return ours.includes('-i') || ours.includes('--interactive') ? 'interactive' : 'autonomous';
}

/** Contract: gives it away once, and only to a session in the environment it was begun in. */
export function takeAhead(env: NodeJS.ProcessEnv): HostAhead | undefined {
  const taken = env === process.env ? ahead : undefined;
  if (taken) ahead = undefined;
  return taken;
}
