/** `reins run --dry-run`: exactly what would be started, and nothing started: argv, environment changes, prompt, policy. */
import type { DryPlan } from '../host/index.js';
import type { NewSpec } from '../sessions/start.js';
import type { Context } from './context.js';

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
