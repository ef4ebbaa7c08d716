/**
 * Whether this very process runs inside a session: then it may not trust, agree or permit on the user's behalf. By the mark in
 * the environment, which an agent can take off, and by what it cannot (`proc/inside.ts`).
 */
import { CONSULTATION_MARK, type Env, ReinsError, SESSION_MARK, type Trust } from '../contract/index.js';
import { placeOf } from '../link/index.js';
import { descendsFrom, descendsFromMarked, type Inside, insideOf } from '../proc/inside.js';
import { specOf } from './spec-file.js';
import type { StartPlace } from './where.js';

/** An agent's own shell, or a server an agent started: nobody whose yes counts for the user's. */
export function insideSession({ env, inside }: Pick<StartPlace, 'env' | 'inside'>): Inside | undefined {
  const session = inside ?? env[SESSION_MARK];
  return session ? { why: 'carries a session’s mark', session } : insideOf(process.pid);
}

/** One level deep: an agent that is consulted starts nothing, and is nobody's server. Contract: throws CONSULTED. */
export function refuseConsulted({ env }: { env: Env }): void {
  // By its own environment, which it can clean, or by that of a process it descends from.
  if (env[CONSULTATION_MARK] !== undefined || descendsFromMarked(CONSULTATION_MARK)) throw new ReinsError('CONSULTED');
}

/** Contract: throws USAGE. `what` an agent may not do, in words; `fix` what a person does instead. */
export function refuseInside(where: Pick<StartPlace, 'env' | 'inside'>, what: string, fix: string): void {
  if (!insideSession(where)) return;
  throw new ReinsError('USAGE', { problem: `an agent may not ${what}: this shell belongs to a session`, fix });
}

/** Of the session this process is in; one that does not say which it is has none. */
export const trustAbove = (where: Pick<StartPlace, 'env' | 'inside'>, { session }: Inside): Trust | undefined =>
  session === undefined ? undefined : trustOf(where, session);

/** What an agent starts has no more trust than its own session; one that does not say which it is has the least. */
export function checkTrustInside(where: Pick<StartPlace, 'env' | 'inside'>, trust: Trust): void {
  const inside = trust === 'full' ? insideSession(where) : undefined;
  if (!inside) return;
  const parent = trustAbove(where, inside);
  if (parent === 'full') return;
  throw new ReinsError('USAGE', {
    problem: `an agent may not start another one with trust full: this shell belongs to a session with trust ${parent ?? 'guarded'}`,
    fix: 'run it with --trust guarded, or from a terminal of your own',
  });
}

/** Of a session that this process really is in, by its living host: a name in the environment is the caller's to choose. */
function trustOf({ env }: Pick<StartPlace, 'env'>, id: string): Trust | undefined {
  try {
    const place = placeOf(env, id);
    const { pid, start_ticks: startTicks } = place.host ?? { pid: 0, start_ticks: 0 };
    return place.alive && descendsFrom({ pid, startTicks }) ? specOf(place)?.trust : undefined;
  } catch {
    return undefined; // no name of a session: whoever wrote it there is not believed
  }
}
