/**
 * Whether an agent could be consulted: it can be started without its tools, is there, and has a login where one can be
 * looked for. Nothing is started or written.
 */
import { join } from 'node:path';
import { loginMissing } from '../../adapters/loaded.js';
import { type Env, systemClock } from '../../contract/index.js';
import { stateDir } from '../../disk/index.js';
import { foldersIn } from './private-run.js';
import { type ConsultingSpec, consultPlan, whoIsConsulted } from './who.js';

export { mayConsult } from './lazy.js';

/** A text says why not. `missing`: it is not there, which matters only if it could be asked. */
export async function readyToConsult(
  spec: ConsultingSpec,
  { env, missing }: { env: Env; missing?: string },
): Promise<{ model?: string } | string> {
  const who = await whoIsConsulted(spec, { env, clock: systemClock });
  if (typeof who === 'string') return who;
  const plan = consultPlan(who, foldersIn(join(stateDir(env), 'nobody'), 'c0'));
  if ('refused' in plan) return plan.reason;
  const why = missing ?? (await loginMissing(who.adapter.id, who.ask));
  return why ?? (plan.model === undefined ? {} : { model: plan.model });
}
