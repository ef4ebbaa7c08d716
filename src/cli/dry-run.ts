/** `reins run --dry-run`: exactly what would be started, and nothing started: argv, environment changes, prompt, policy. */
import { join } from 'node:path';
import { newSessionId, type SessionId } from '../contract/index.js';
import { type DryPlan, dryPlan, type SessionSpec } from '../host/index.js';
import { sessionDir } from '../link/index.js';
import type { NewSpec } from './commands/run.js';
import { type Context, hookProgram } from './context.js';

/** Contract: throws what the user should read where the agent cannot be started so; starts and writes nothing. */
export function planned(context: Context, spec: NewSpec, prompt: string | undefined): Promise<DryPlan> {
  const id: SessionId = newSessionId();
  const dir = sessionDir(context.env, id);
  const whole: SessionSpec = { v: 1, created_at: new Date().toISOString(), reins: context.version, ...spec, id };
  return dryPlan(whole, {
    dir,
    env: context.env,
    hook: [process.execPath, hookProgram],
    prompt,
    promptFile: join(dir, 'prompts', '001.md'),
  });
}

export async function dryRun(context: Context, spec: NewSpec, plan: DryPlan): Promise<number> {
  const { policy } = plan;
  if (context.channels.format === 'json') {
    context.channels.json({ ...plan, cwd: spec.cwd, mode: spec.mode, trust: spec.trust });
    return 0;
  }
  const lines = [
    `agent   ${spec.agent?.adapter} ${spec.agent?.version ?? ''} (${spec.agent?.path})`.trimEnd(),
    `mode    ${spec.mode}, trust ${spec.trust} (${spec.trust_source}), door ${plan.door}, ${plan.io}`,
    `cwd     ${spec.cwd}`,
    'argv',
    ...plan.argv.map((arg) => `  ${JSON.stringify(arg)}`),
    'environment',
    ...Object.entries(plan.env).map(([name, value]) => (value === null ? `  unset ${name}` : `  ${name}=${value}`)),
    ...(plan.stdin ? [`stdin   ${plan.stdin}`] : []),
    ...plan.notes.map((note) => `note    ${note}`),
    'policy',
    ...policy.map((line) => `  ${line}`),
    'prompt',
    ...(plan.prompt ?? '(none: the agent starts empty)').split('\n').map((line) => `  ${line}`),
  ];
  context.channels.out(`${lines.join('\n')}\n`);
  return 0;
}
