/**
 * Two loops in one folder undo each other's work, and neither knows. So a loop that starts where another works is told so:
 * whoever starts it is asked, and refused where nobody can be. The look and the start are one step for everyone who starts a
 * loop in that folder (a claim), or two that start in the same instant would not see each other. A session with a person
 * in it is no loop: there a line has to do.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ReinsError } from '../contract/index.js';
import { makeDir, stateDir } from '../disk/index.js';
import type { SessionSpec } from '../host/index.js';
import { workingTreeOf } from '../proc/repository.js';
import { livingPlaces } from './catalog.js';
import { type Claimed, withClaimOn } from './claim.js';
import { insideSession } from './inside.js';
import type { StartPorts } from './ports.js';
import { specOf } from './spec-file.js';
import type { NewSpec } from './start.js';
import type { Where } from './where.js';

/** Many may be started here at once, each taking as long as a host takes. */
const PATIENCE_MS = 60_000;

interface Starting {
  spec: NewSpec;
  ports: StartPorts;
  /** The user said it: both work here. */
  share: boolean;
}

/** Contract: `call` starts the session, and is called at most once; throws FOLDER_BUSY where it must not start. */
export async function besideNobody<T>(where: Where, starting: Starting, call: () => Promise<T>): Promise<T> {
  const { spec, ports } = starting;
  const tree = treeOf(spec.cwd);
  const agents = agentsIn(where, tree);
  const isLoop = spec.mode === 'autonomous';
  for (const one of agents.filter(({ mode }) => (mode === 'autonomous') !== isLoop))
    ports.tell(
      `! ${one.mode === 'autonomous' ? 'a loop' : 'an agent'} works in this folder too: ${lineOf(one, ports)}`,
    );
  if (!isLoop) return call();
  const share = starting.share || spec.config.event_loop.share_folder === true;
  const agreed = new Set<string>();
  for (;;) {
    const tried = await withClaimOn(
      claimOn(where, tree, 'starting a loop in this folder'),
      async () => {
        const others = agentsIn(where, tree).filter(({ mode, id }) => mode === 'autonomous' && !agreed.has(id));
        return others.length > 0 && !share ? { others } : { started: await call() };
      },
      PATIENCE_MS,
    );
    if ('started' in tried) return tried.started;
    // Asked with the claim given back: a person takes their time.
    await ask(where, tried.others, starting);
    for (const { id } of tried.others) agreed.add(id);
  }
}

/** One at a time in this working tree: making it, removing it, merging it, starting a loop in it. */
export const withFolder = <T>(where: Where, tree: string, call: () => Promise<T>): Promise<T> =>
  withClaimOn(claimOn(where, tree, 'at work on this worktree'), call, PATIENCE_MS);

async function ask(where: Where, others: SessionSpec[], { spec, ports }: Starting): Promise<void> {
  const lines = [...new Set(others.map((one) => lineOf(one, ports)))];
  // Whoever leaves it alone at once does not wait for a question; and an agent's own shell has a terminal too.
  const mayShare = spec.seat.tied && !insideSession(where) ? ports.mayShare : undefined;
  if (await mayShare?.(lines)) return;
  throw new ReinsError('FOLDER_BUSY', { others: lines.join('; ') });
}

/** The agents at work in this working tree, whoever started them. */
function agentsIn({ env }: Where, tree: string): SessionSpec[] {
  return livingPlaces(env)
    .filter(({ alive }) => alive)
    .flatMap((place) => specOf(place) ?? [])
    .filter(({ mode, cwd }) => mode !== 'exec' && treeOf(cwd) === tree);
}

/** What two loops would share: the whole working tree, or, outside of any, the folder alone. */
export function treeOf(cwd: string): string {
  try {
    const real = realpathSync(cwd);
    return workingTreeOf(real)?.top ?? real;
  } catch {
    return cwd; // gone: nobody starts there
  }
}

/** The folder is in use for whoever starts there; by whom is not everybody's to know. */
function lineOf({ id, name, namespace, agent, created_at: at }: SessionSpec, { mayKnow }: StartPorts): string {
  if (mayKnow?.({ id, namespace }) === false) return 'one that you may not see';
  return `${id} (${name}, ${agent?.adapter ?? '?'}) since ${new Date(at).toLocaleString('sv-SE').slice(0, 16)}`;
}

function claimOn({ env }: Where, tree: string, held: string): Claimed {
  const dir = join(stateDir(env), 'folders');
  try {
    makeDir(dir);
  } catch {
    // Where nothing can be written no session starts, and that says why.
  }
  const file = join(dir, createHash('sha256').update(tree).digest('hex').slice(0, 32));
  return { file, held };
}
