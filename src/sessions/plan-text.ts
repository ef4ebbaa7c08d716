/** A plan in words, line by line: what `reins run --dry-run` prints and a page shows before it starts one. */
import type { DryPlan } from '../host/index.js';
import type { NewSpec } from './start.js';

export function planText(spec: NewSpec, plan: DryPlan): string {
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
    ...plan.policy.map((line) => `  ${line}`),
    'prompt',
    ...(plan.prompt ?? '(none: the agent starts empty)').split('\n').map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
