/**
 * An adapter in a module of the user's own. It is imported where it is wanted and nowhere else, believed only as far as its
 * shape was looked at, may not pass for an agent that comes with Reins, and is not asked whether it has a gate: under guarded
 * its plan has to bring one (decision 047).
 */
import { pathToFileURL } from 'node:url';
import { ReinsError } from '../contract/index.js';
import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { adapterProblems, doorProblem, gateProblem, planProblems } from './module-shape.js';

/** A module that waits for something at its top level would hold up whoever starts a session. */
const LOAD_MS = 10_000;

const brought = new Map<string, { file: string; adapter: Adapter }>();

/** One that this process has imported. */
export const broughtAdapter = (id: string): Adapter | undefined => brought.get(id)?.adapter;

/** Contract: throws ADAPTER_INVALID with what is wrong; `id` is the name it is wanted under, where one was given. */
export async function bringAdapter(file: string, id?: string): Promise<Adapter> {
  const no = (reason: string, cause?: unknown) => new ReinsError('ADAPTER_INVALID', { file, reason }, { cause });
  const module = await imported(file).catch((error: unknown) => {
    throw no(error instanceof Error ? error.message : String(error), error);
  });
  const { default: given } = module;
  const problems = adapterProblems(given);
  if (problems.length > 0) throw no(problems.join('; '));
  const adapter = given as Adapter;
  if (id !== undefined && adapter.id !== id) throw no(`its id is ${adapter.id}, and it was to be ${id}`);
  const before = brought.get(adapter.id);
  if (before && before.file !== file) throw no(`this program has ${adapter.id} from ${before.file} already`);
  brought.set(adapter.id, before ?? { file, adapter: held(adapter, file) });
  return brought.get(adapter.id)!.adapter;
}

async function imported(file: string): Promise<{ default?: unknown }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not load within ${LOAD_MS / 1000} s`)), LOAD_MS);
  });
  try {
    return await Promise.race([import(pathToFileURL(file).href) as Promise<{ default?: unknown }>, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What it says is looked at each time: a plan without a gate is none, and what it throws is its own fault, not ours. */
function held(adapter: Adapter, file: string): Adapter {
  const { id, label, command, install, plain, resumes, asksFolderTrust, folder } = adapter;
  const no = (reason: string) => new ReinsError('ADAPTER_INVALID', { file, reason });
  const said = <T>(what: string, call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw no(`its ${what} threw: ${(error as Error)?.message ?? String(error)}`);
    }
  };
  return {
    // No `priority`: it is used where it is named.
    ...{ id, label, command, install },
    ...(plain === undefined ? {} : { plain }),
    ...(resumes === undefined ? {} : { resumes }),
    ...(asksFolderTrust === undefined ? {} : { asksFolderTrust }),
    ...(folder === undefined ? {} : { folder }),
    ...(adapter.takesName ? { takesName: (version) => said('takesName', () => adapter.takesName!(version)) } : {}),
    ...(adapter.consultation
      ? {
          consultation(ask: ConsultAsk): ConsultPlan | Refusal {
            const plan = said('consultation', () => adapter.consultation!(ask));
            const problems = planProblems(plan);
            if (problems.length > 0) throw no(problems.join('; '));
            if (!('refused' in plan) && (!plan.decoder || plan.stdin === 'open'))
              throw no('its plan for a consultation has no decoder, or waits for more than a prompt');
            return plan;
          },
        }
      : {}),
    door(ask) {
      const door = said('door', () => adapter.door(ask));
      const problem = doorProblem(door);
      if (problem) throw no(problem);
      return door;
    },
    plan(ask: LaunchAsk): LaunchPlan | Refusal {
      const plan = said('plan', () => adapter.plan(ask));
      const problems = planProblems(plan);
      if (problems.length > 0) throw no(problems.join('; '));
      if ('refused' in plan) return plan;
      const open = ask.trust === 'guarded' ? gateProblem(plan, ask.door) : undefined;
      return open === undefined ? plan : { refused: 'ungated', reason: open };
    },
  };
}
