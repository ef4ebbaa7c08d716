/**
 * Whose settings and yeses an environment names. Inside a session its places (`HOME`, `XDG_…`) are the agent's to choose, so a
 * "user's own file" or a store of trusted files there may be one that it wrote. They are a person's where they are those with which
 * a person's shell started the session above, which the kernel keeps for its host's process.
 */
import { userInfo } from 'node:os';
import { ralphUserFile, trustStoreFile, userConfigFile } from '../config/index.js';
import type { Env } from '../contract/index.js';
import { type Place, placeOf } from '../link/index.js';
import { descendsFrom, type Inside, variableOf } from '../proc/inside.js';
import { livingPlaces } from './catalog.js';
import { insideSession } from './inside.js';
import { specOf } from './spec-file.js';
import type { StartPlace } from './where.js';

/** The sessions above. Where it cannot be told which those are, every living one counts. */
export function sessionsAbove(where: StartPlace, inside: Inside): Place[] {
  const living = livingPlaces(where.env).filter(({ alive }) => alive);
  const above = living.filter((place) => isAbove(place, where.inside ?? inside.session));
  return above.length > 0 ? above : living;
}

/** By its host, which no process can leave but by becoming an orphan; or by the name that a server of ours keeps. */
function isAbove({ id, host }: Place, named: string | undefined): boolean {
  if (id === named) return true;
  return host !== undefined && descendsFrom({ pid: host.pid, startTicks: host.start_ticks });
}

/** True outside every session, and where the system does not tell: see docs/security.md. */
export function arePersons(where: StartPlace): boolean {
  const inside = process.platform === 'linux' ? insideSession(where) : undefined;
  if (!inside) return true;
  const above = sessionsAbove(where, inside);
  return above.length > 0 && above.every((place) => isSame(where.env, place));
}

/** Up to the one that a person started: an agent starts others with places of its own. */
function isSame(env: Env, place: Place): boolean {
  const [ours, theirs] = [placesOf(env), placesOf(envOf(place.host?.pid ?? 0))];
  if (!ours.every((file, at) => file === theirs[at])) return false;
  const { parent, depth = 0 } = specOf(place) ?? { depth: 1 };
  if (depth === 0 && parent === undefined) return true;
  const up = parent === undefined ? undefined : placeOf(env, parent);
  return up?.alive === true && depthOf(up) < depth && isSame(env, up);
}

const depthOf = (place: Place): number => specOf(place)?.depth ?? 0;

const placesOf = (env: Env): string[] => [userConfigFile(env), ralphUserFile(env), trustStoreFile(env)];

/** As its process was started; without a HOME it is the account's. */
function envOf(pid: number): Env {
  const of = (name: string) => variableOf(pid, name) || undefined;
  return {
    HOME: of('HOME') ?? accountHome(),
    XDG_CONFIG_HOME: of('XDG_CONFIG_HOME'),
    XDG_STATE_HOME: of('XDG_STATE_HOME'),
  };
}

function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined; // an account without an entry, as in some containers
  }
}
