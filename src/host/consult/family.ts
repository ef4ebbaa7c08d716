/**
 * Whose words and files these are, where an agent started the session: its prompt is that agent's, and so is what changed
 * since the first session above began. Else an agent could write down what it wants to hear and have a child of its ask, or
 * itself after it was continued with the file it wrote.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, type Env, STARTED_BY_TOOL } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import type { Journal } from '../../journal/journal.js';
import { placeOf } from '../../link/index.js';
import type { SessionSpec } from '../spec.js';

export interface Family {
  /** An agent began it or goes on with it, or its task was read again from files an agent may have changed. */
  byAgent: boolean;
  /** In milliseconds; 0 where it cannot be told: then everything may be an agent's. */
  since: number;
}

/** More than there can be. */
const MOST_ABOVE = 8;

type Kin = Pick<SessionSpec, 'parent' | 'depth' | 'reread'>;

export function familyOf({ spec, env, journal }: { spec: Kin; env: Env; journal: Pick<Journal, 'page'> }): Family {
  // Of its first life, before an agent was started.
  const [first] = journal.page({ since: 0, limit: 1 }).entries;
  const began = first ? Date.parse(first.ts) : 0;
  const parents = [spec.parent, begunBy(first)].filter((id) => id !== undefined);
  const isBelow = (spec.depth ?? 0) > 0 || parents.length > 0;
  if (!isBelow) return { byAgent: spec.reread !== undefined || isByTool(first), since: began };
  const above = parents.length === 0 ? [0] : parents.map((id) => beginningAbove(env, id));
  return { byAgent: true, since: Math.min(began, ...above) };
}

const isByTool = (first: Entry | undefined): boolean =>
  first?.type === 'session.started' && first.data.presence?.reason === STARTED_BY_TOOL;

const begunBy = (first: Entry | undefined): string | undefined =>
  first?.type === 'session.started' ? first.data.parent : undefined;

function beginningAbove(env: Env, id: string): number {
  let [at, since]: [string | undefined, number] = [id, Number.POSITIVE_INFINITY];
  for (let step = 0; at !== undefined; step += 1) {
    const above: ReturnType<typeof specOf> = step < MOST_ABOVE ? specOf(env, at) : undefined;
    if (!above) return 0;
    since = Math.min(since, Date.parse(above.created_at));
    at = above.parent;
  }
  return since;
}

function specOf(env: Env, id: string): Pick<SessionSpec, 'created_at' | 'parent'> | undefined {
  try {
    return JSON.parse(readFileSync(join(placeOf(env, id).dir, FILES.spec), 'utf8')) as SessionSpec;
  } catch {
    return undefined; // removed, or no name of a session
  }
}
