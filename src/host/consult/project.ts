/** The decisions of the project a folder belongs to. */
import type { Env } from '../../contract/index.js';
import { type Decisions, openDecisions, projectAt } from '../../decisions/index.js';
import { stateDir } from '../../disk/index.js';
import { workingTreeOf } from '../../proc/repository.js';

export const decisionsAt = (cwd: string, env: Env): Decisions =>
  openDecisions({ stateDir: stateDir(env), project: projectAt(cwd, (folder) => workingTreeOf(folder)?.top) });
