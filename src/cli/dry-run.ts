/** `reins run --dry-run`: exactly what would be started, and nothing started: argv, environment changes, prompt, policy. */
import { join } from 'node:path';
import { newSessionId, type SessionId } from '../contract/index.js';
import { dryPlan, type SessionSpec } from '../host/index.js';
import { sessionDir } from '../link/index.js';
import type { NewSpec } from './commands/run.js';
import { type Context, hookProgram } from './context.js';

export async function dryRun(context: Context, spec: NewSpec, prompt: string | undefined): Promise<number> {
  const id: SessionId = newSessionId();
  const dir = sessionDir(context.env, id);
  const whole: SessionSpec = { v: 1, created_at: new Date().toISOString(), reins: context.version, ...spec, id };
  const planned = await dryPlan(whole, {
    dir,
    env: context.env,
    hook: [process.execPath, hookProgram],
    prompt,
    promptFile: join(dir, 'prompts', '001.md'),
  });
  const { policy } = planned;
  if (context.channels.format === 'json') {
    context.channels.json({ ...planned, cwd: spec.cwd, mode: spec.mode, trust: spec.trust });
    return 0;
  }
  const lines = [
    `agent   ${spec.agent?.adapter} ${spec.agent?.version ?? ''} (${spec.agent?.path})`.trimEnd(),
    `mode    ${spec.mode}, trust ${spec.trust} (${spec.trust_source}), door ${planned.door}, ${planned.io}`,
    `cwd     ${spec.cwd}`,
    'argv',
    ...planned.argv.map((arg) => `  ${JSON.stringify(arg)}`),
    'environment',
    ...Object.entries(planned.env).map(([name, value]) => (value === null ? `  unset ${name}` : `  ${name}=${value}`)),
    ...(planned.stdin ? [`stdin   ${planned.stdin}`] : []),
    ...planned.notes.map((note) => `note    ${note}`),
    'policy',
    ...policy.map((line) => `  ${line}`),
    'prompt',
    ...(planned.prompt ?? '(none: the agent starts empty)').split('\n').map((line) => `  ${line}`),
  ];
  context.channels.out(`${lines.join('\n')}\n`);
  return 0;
}
