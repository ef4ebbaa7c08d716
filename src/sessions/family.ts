/**
 * Sessions that sessions start. Which one is above a new one is told by descent, which nobody can choose; where that is broken (a
 * double fork), by the mark, which says who it claims to be and gives it nothing. Every session below another ends with it.
 */
import { DEFAULT_NAMESPACE, type Env, NAMESPACE, NAMESPACE_VARIABLE, ReinsError } from '../contract/index.js';
import type { Task } from '../host/index.js';
import { type Place, places } from '../link/index.js';
import { ancestry } from '../proc/inside.js';
import { livingPlaces } from './catalog.js';
import { insideSession } from './inside.js';
import { specOf } from './spec-file.js';
import type { StartPlace } from './where.js';

/** An agent that starts an agent that starts an agent: below that nobody sees what is going on, and each costs money. */
export const MOST_BELOW = 3;

/**
 * What a new session's start facts say of it; outside every session only its namespace (`asked`, or the environment's). Contract:
 * throws USAGE where it is too deep, or in a namespace it may not choose.
 */
export function familyOf(where: StartPlace, asked?: string): Pick<Task, 'parent' | 'depth' | 'namespace'> {
  const inside = insideSession(where);
  if (!inside) return inNamespace(asked ?? (where.env[NAMESPACE_VARIABLE] || undefined));
  const living = livingPlaces(where.env).filter(({ alive }) => alive);
  const parent = above(living) ?? living.find(({ id }) => id === (where.inside ?? inside.session));
  // Where it cannot be told which one it is, it is below the lowest of them all.
  const depth = 1 + Math.max(0, ...(parent ? [parent] : living).map(depthOf));
  if (depth > MOST_BELOW) {
    throw new ReinsError('USAGE', {
      problem: `this shell is in session ${parent?.id ?? '?'}, which is ${MOST_BELOW} sessions below the one a person started: no more below it`,
      fix: 'let one further up start it, or run it from a terminal of your own',
    });
  }
  const namespace = parent && specOf(parent)?.namespace;
  // It is whose its parent is, whatever its environment says; a wish for another one is an error.
  if (asked !== undefined && asked !== (namespace ?? DEFAULT_NAMESPACE)) {
    throw new ReinsError('USAGE', {
      problem: `an agent may not choose the namespace ${asked}: this shell belongs to a session of ${namespace ?? DEFAULT_NAMESPACE}`,
      fix: 'leave it out, or start it from a terminal of your own',
    });
  }
  return { ...(parent ? { parent: parent.id } : {}), depth, ...inNamespace(namespace) };
}

/** Sessions that the agent of this one has started, as far as they were not removed. */
export const childrenOf = (env: Env, id: string): string[] =>
  places(env).flatMap((place) => (specOf(place)?.parent === id ? [place.id] : []));

/** Contract: throws USAGE for what is no name of one. */
function inNamespace(name: string | undefined): Pick<Task, 'namespace'> {
  if (name === undefined || name === DEFAULT_NAMESPACE) return {};
  if (NAMESPACE.test(name)) return { namespace: name };
  throw new ReinsError('USAGE', {
    problem: `${JSON.stringify(name.slice(0, 80))} is no name of a namespace`,
    fix: 'letters, digits, dots, dashes and underscores, at most 64, a letter or digit first',
  });
}

/** The nearest one that this process descends from. */
function above(living: Place[]): Place | undefined {
  for (const { pid, startTicks } of ancestry()) {
    const found = living.find(({ host }) => host?.pid === pid && host.start_ticks === startTicks);
    if (found) return found;
  }
  return undefined;
}

const depthOf = (place: Place): number => {
  const depth = specOf(place)?.depth;
  return Number.isSafeInteger(depth) ? depth! : 0;
};
