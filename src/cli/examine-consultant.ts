/** Whom a session that is started here would consult, and whether that could be done. Nothing is started for it. */
import type { Config } from '../config/index.js';
import type { StartPlace } from '../sessions/index.js';
import type { Report } from './examine.js';

/** Contract: never throws. */
export async function examineConsultant(
  where: StartPlace,
  config: Config,
  agents: Report['agents'],
): Promise<Report['consultant']> {
  const { mayConsult, readyToConsult } = await import('../host/consult/ready.js');
  const used = mayConsult(config);
  const id = whom(config, agents);
  if (id === undefined) return { used, ok: false, reason: 'no agent was found that could be asked' };
  const is = (ready: Pick<Report['consultant'], 'ok' | 'model' | 'reason'>) => ({ used, agent: id, ...ready });
  const seen = agents.find((agent) => agent.id === id);
  // A module is a program: it is not run for a look.
  if (!seen && id !== 'practice' && config.adapters[id]?.module !== undefined)
    return is({ ok: false, reason: `${id} is an adapter of your own: whether it can be asked shows when it is` });
  const path = seen?.path ?? process.execPath;
  const agent = { adapter: id, path, ...(seen?.version === undefined ? {} : { version: seen.version }) };
  try {
    const missing = seen?.missing === undefined ? {} : { missing: `${seen.missing}; ${seen.install}` };
    const ready = await readyToConsult({ config, agent, cwd: where.cwd }, { env: where.env, ...missing });
    return is(typeof ready === 'string' ? { ok: false, reason: ready } : { ok: true, ...ready });
  } catch (error) {
    return is({ ok: false, reason: (error as Error).message });
  }
}

/** As `consult.backend` says; else the agent that would run. */
function whom({ consult, cli }: Config, agents: Report['agents']): string | undefined {
  const named = consult.backend ?? (cli.backend === 'auto' ? undefined : cli.backend);
  return named ?? agents.find(({ id, path, enabled }) => id !== 'custom' && enabled && path !== undefined)?.id;
}
