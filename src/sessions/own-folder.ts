/**
 * A folder of its own for a session: a worktree of the repository it is started in, made or taken up again. Never implicit.
 * Config, prompt and trust are those of the folder the user stood in; the agent works in the same place of the worktree,
 * which holds what was committed and nothing else. One that was just made goes again if the session does not start.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { newSessionId, ReinsError, shellWord } from '../contract/index.js';
import type { SessionSpec } from '../host/index.js';
import {
  branchOf,
  folderOf,
  isWorktreeName,
  makeWorktree,
  repositoryWithRoot,
  uncommitted,
  undoMake,
  type Worktree,
  worktreesOf,
} from '../proc/worktrees.js';
import { withFolder } from './beside.js';
import { insideSession } from './inside.js';
import type { StartPorts } from './ports.js';
import type { AgentTask } from './start-session.js';
import type { Where } from './where.js';

interface OwnFolderAsk {
  asked: string | true;
  task: Pick<AgentTask, 'name' | 'trustFolder'>;
  ports: StartPorts;
}

type TreeSpec = NonNullable<SessionSpec['worktree']>;

export class OwnFolder {
  readonly #where: Where;
  readonly #ask: OwnFolderAsk;
  #undo: (() => Promise<void>) | undefined;

  constructor(where: Where, ask: OwnFolderAsk) {
    this.#where = where;
    this.#ask = ask;
  }

  /** Where the agent works instead of `from`. Throws WORKTREE_REFUSED, GIT_FAILED. */
  readonly at = async (from: string): Promise<{ cwd: string; worktree: TreeSpec }> => {
    const { repository, root } = repositoryWithRoot(from);
    const name = this.#nameFor();
    const folder = folderOf(root, name);
    await withFolder(this.#where, folder, async () => {
      const known = worktreesOf(repository, root).find((one) => one.name === name);
      if (known) this.#takeUp(known);
      else await this.#make({ from, repository, root, name });
    });
    const cwd = sameIn(folder, relative(repository.top, realpathSync(from)));
    return { cwd, worktree: { name, branch: branchOf(name), folder, root, from } };
  };

  /** From here on somebody works in it. */
  keep(): void {
    this.#undo = undefined;
  }

  /** Contract: takes away what was made and not used, and never throws. */
  async undo(): Promise<void> {
    await this.#undo?.().catch(() => undefined); // it is listed, and can be removed
    this.#undo = undefined;
  }

  #nameFor(): string {
    const { asked, task } = this.#ask;
    if (asked !== true) return asked;
    return task.name !== undefined && isWorktreeName(task.name) ? task.name : newSessionId();
  }

  #takeUp({ name, branch, folder, state }: Worktree): void {
    if (state !== 'ready') {
      throw new ReinsError('WORKTREE_REFUSED', {
        reason: `the worktree ${name} is ${state === 'gone' ? 'registered, and its folder is gone' : 'only half made'}`,
        fix: `remove what is left of it, it asks before anything is lost: reins worktree rm ${name}`,
      });
    }
    this.#ask.ports.tell(`Goes on in the worktree ${name} (branch ${branch}, ${folder}).`);
  }

  async #make(place: { from: string } & Omit<Parameters<typeof makeWorktree>[0], 'mayFilter'>): Promise<void> {
    const { ports } = this.#ask;
    const { name, from, repository } = place;
    const made = await makeWorktree({ ...place, mayFilter: (runs) => this.#mayFilter(runs) });
    this.#undo = () => undoMake(repository, made, made.commit);
    ports.tell(`Made the worktree ${name}: branch ${made.branch} from ${made.commit.slice(0, 9)}, in ${made.folder}`);
    ports.tell(`When it is done: reins worktree merge ${name}`);
    const left = (await uncommitted(from))?.length ?? 0;
    if (left > 0) ports.tell(`! not in it, because not committed here: ${left} ${left === 1 ? 'file' : 'files'}`);
    if (existsSync(join(made.folder, '.gitmodules')))
      ports.tell(`! its submodules are empty: git -C ${shellWord(made.folder)} submodule update --init`);
  }

  async #mayFilter(runs: string[]): Promise<boolean> {
    const { ports, task } = this.#ask;
    // Refused to an agent long before (folder-trust.ts), as its yes is here.
    if (task.trustFolder) {
      ports.tell('--trust-folder: git runs these to write the worktree:');
      for (const line of runs) ports.tell(`  ${line}`);
      return true;
    }
    return (insideSession(this.#where) ? undefined : await ports.mayFilter?.(runs)) === true;
  }
}

/** The same place below `folder`; made where the commit does not have it. A link in it would lead elsewhere. */
function sameIn(folder: string, way: string): string {
  let at = folder;
  for (const part of way.split(sep).filter(Boolean)) {
    at = join(at, part);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) mkdirSync(at);
    else if (!stat.isDirectory()) {
      const reason = `${way} is no folder in the commit it starts from`;
      throw new ReinsError('WORKTREE_REFUSED', { reason, fix: 'commit what you have, or start from the root' });
    }
  }
  return at;
}

/** For who goes on with a session. Contract: throws WORKTREE_GONE with the way back. */
export function checkStillThere(session: string, { name, branch, folder, root }: TreeSpec): void {
  if (existsSync(folder)) return;
  throw new ReinsError('WORKTREE_GONE', {
    name,
    session,
    dir: folder,
    fix: `bring it back, if its branch is still there: git -C ${shellWord(root)} worktree add -f ${shellWord(folder)} ${branch}`,
  });
}
