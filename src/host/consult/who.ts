/** Whom a session consults: the agent that `consult.backend` names, else its own. Found and asked for its version once. */
import type { Adapter, ConsultAsk, Consultation } from '../../adapters/index.js';
import { findAgent, loadAdapters, loadConsultation, loadedAdapter, look } from '../../adapters/loaded.js';
import { adapterSettings } from '../../config/quick.js';
import type { Clock, Env } from '../../contract/index.js';
import { moduleOf } from '../modes/create.js';
import type { SessionSpec } from '../spec.js';
import type { PrivateFolders } from './private-run.js';

export interface Consulting {
  adapter: Adapter;
  path: string;
  ask: Omit<ConsultAsk, 'cwd' | 'dir' | 'promptFile'>;
  consultation: Consultation;
}

export type ConsultingSpec = Pick<SessionSpec, 'config' | 'agent' | 'cwd'>;

export const consultedId = ({ config, agent }: Pick<SessionSpec, 'config' | 'agent'>): string =>
  config.consult.backend ?? agent?.adapter ?? config.cli.backend;

/** Why nobody can be, as far as that is known without a look for the program. */
export async function whyNobody(spec: ConsultingSpec): Promise<string | undefined> {
  const way = await wayOf(spec);
  return typeof way === 'string' ? way : undefined;
}

async function wayOf(spec: ConsultingSpec): Promise<Pick<Consulting, 'adapter' | 'consultation'> | string> {
  const id = consultedId(spec);
  await loadAdapters([id], moduleOf(spec));
  const adapter = loadedAdapter(id);
  if (!adapter) return `nobody knows an agent called ${id} (consult.backend)`;
  if (!adapterSettings(spec.config, id).enabled) return `${id} is switched off (adapters.${id}.enabled)`;
  const consultation = await loadConsultation(adapter);
  return typeof consultation === 'string' ? consultation : { adapter, consultation };
}

/** A text says why nobody can be consulted. */
export async function whoIsConsulted(
  spec: ConsultingSpec,
  { env, clock }: { env: Env; clock: Clock },
): Promise<Consulting | string> {
  const id = consultedId(spec);
  const { consult, cli } = spec.config;
  const way = await wayOf(spec);
  if (typeof way === 'string') return way;
  const { adapter, consultation } = way;
  const known = spec.agent?.adapter === id ? spec.agent : undefined;
  const command = id === 'custom' ? { command: cli.command ?? '' } : {};
  // Not from the project's folder: a PATH that names `.` must not find a program there.
  const found = known ?? (await findAgent(adapter, { env, cwd: '/', clock, ...command }));
  if (typeof found === 'string') return found;
  return {
    adapter,
    path: found.path,
    consultation,
    ask: {
      args: consult.args,
      named: consult.backend === id,
      custom: { args: cli.args, prompt_mode: 'stdin', ...(cli.command === undefined ? {} : { command: cli.command }) },
      env: { ...env, ...adapterSettings(spec.config, id).env },
      look,
      clock,
      ...(consult.model === undefined ? {} : { model: consult.model }),
      ...(found.version ? { version: found.version } : {}),
      ...(consult.reads ? { reads: spec.cwd } : {}),
    },
  };
}

/** Contract: never throws; what stands in the way of a look stands in the way of the start. */
export function consultPlan({ consultation, ask }: Consulting, { cwd, dir, promptFile }: PrivateFolders) {
  try {
    return consultation({ ...ask, cwd, dir, promptFile });
  } catch (error) {
    return { refused: 'no-door' as const, reason: (error as Error).message };
  }
}

/** At rest: what it takes to consult somebody later, whatever becomes of our files meanwhile. */
export async function loadWho(spec: SessionSpec): Promise<void> {
  const id = consultedId(spec);
  await loadAdapters([id], moduleOf(spec));
  const adapter = loadedAdapter(id);
  if (adapter) await loadConsultation(adapter);
}
