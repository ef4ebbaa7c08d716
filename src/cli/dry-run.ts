/** `reins run --dry-run`: exactly what would be started, and nothing started: argv, environment changes, prompt, policy. */
import type { DryPlan } from '../host/index.js';
import { planText } from '../sessions/run.js';
import type { NewSpec } from '../sessions/start.js';
import type { Context } from './context.js';

export async function dryRun(context: Context, spec: NewSpec, plan: DryPlan): Promise<number> {
  if (context.channels.format === 'json') {
    context.channels.json({ ...plan, cwd: spec.cwd, mode: spec.mode, trust: spec.trust });
    return 0;
  }
  context.channels.out(planText(spec, plan));
  return 0;
}
