/** What would be started, before anything is: whether the agent can be started so, and behind its gate. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newSessionId } from '../contract/index.js';
import { type DryPlan, dryPlan, type SessionSpec } from '../host/index.js';
import { sessionDir } from '../link/index.js';
import type { NewSpec } from './start.js';
import type { Where } from './where.js';

const hookProgram = fileURLToPath(new URL('../hook/main.cjs', import.meta.url));

/** Contract: throws what the user should read where the agent cannot be started so; starts and writes nothing. */
export function planned(where: Where, spec: NewSpec, prompt: string | undefined): Promise<DryPlan> {
  const id = newSessionId();
  const dir = sessionDir(where.env, id);
  const whole: SessionSpec = { v: 1, created_at: new Date().toISOString(), reins: where.version, ...spec, id };
  return dryPlan(whole, {
    dir,
    env: where.env,
    hook: [process.execPath, hookProgram],
    prompt,
    promptFile: join(dir, 'prompts', '001.md'),
  });
}
