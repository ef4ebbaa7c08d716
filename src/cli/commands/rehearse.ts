/**
 * `reins rehearse SCENARIO`: the real agent, offline, on a model that says what the scenario says. A policy, a hat graph
 * or a prompt can be tried at no cost, also in CI. The agent is a pinned one from the cache; its home, config and key are
 * disposable; it works in an empty folder unless `--here` is said, because the tools it calls really run.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ReinsError, unreadableBecause } from '../../contract/index.js';
import { stateDir } from '../../disk/index.js';
import { decisionsAt } from '../../host/index.js';
import { ensureFolderTrust, readSettings } from '../../sessions/run.js';
import {
  install,
  type LabAgent,
  type LabScenario,
  loadScenario,
  ModelServer,
  prepareSeat,
  versions,
} from '../../testing/index.js';
import type { Context } from '../context.js';
import { practiceConsultant } from '../practice-consultant.js';
import { nonInteractive } from '../seat.js';
import { startPorts } from '../start-ports.js';
import { type RunFlags, run } from './run.js';

export interface RehearseFlags extends RunFlags {
  here?: boolean;
  keep?: boolean;
}

const DEFAULT_AGENT: LabAgent = 'claude';
const DEFAULT_PROMPT = 'Play the scenario.';

export async function rehearse(context: Context, file: string, words: string[], flags: RehearseFlags): Promise<number> {
  const agent = labAgent(context, flags);
  const scenario = await loadScenario(file).catch((error: Error) => {
    throw new ReinsError('USAGE', {
      problem: `the scenario ${file} cannot be read: ${unreadableBecause(error)}`,
      fix: 'see docs/agents.md',
    });
  });
  const where = flags.here ? 'in this folder' : 'in an empty folder of its own (--here: in this one)';
  context.channels.chrome(
    `Rehearsal with ${agent} ${versions[agent].version}, offline, ${where}. (The first time it is installed.)`,
  );
  const installed = await install(agent, context.env).catch((error: Error) => {
    throw new ReinsError('AGENT_UNSTARTABLE', { agent, reason: error.message, fix: 'is the npm registry in reach?' });
  });
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'reins-rehearse-')));
  const cwd = flags.here ? context.cwd : join(dir, 'project');
  mkdirSync(cwd, { recursive: true });
  /** What was decided here before is none of the rehearsal's. */
  const before = new Set(
    decisionsAt(cwd, context.env)
      .list()
      .map(({ id }) => id),
  );
  const server = await ModelServer.start({ scenario: withAnEnd(context, scenario, flags), cwd });
  try {
    const seat = prepareSeat({ installed, url: server.url, cwd, dir, path: context.env.PATH ?? '' });
    const env = {
      ...seat.env,
      PATH: [dirname(installed.program), seat.env.PATH].join(delimiter),
      XDG_STATE_HOME: dirname(stateDir(context.env)),
      ...(scenario.consult === undefined ? {} : { PRACTICE_CONSULT: scenario.consult }),
      ...(context.env.XDG_CONFIG_HOME ? { XDG_CONFIG_HOME: context.env.XDG_CONFIG_HOME } : {}),
    };
    const settings = readSettings(context, { set: [] });
    const project = settings.loaded.project?.file;
    // It is handed on as a file that was named; whether it may be followed is asked where it lies.
    if (flags.config === undefined && !flags.here) {
      await ensureFolderTrust(context, settings, {
        ...startPorts(context, { mayAsk: nonInteractive(context, flags) === null }),
        forThisRun: flags.trustFolder === true,
      });
    }
    const code = await run({ ...context, env, cwd }, words.length > 0 ? words : [DEFAULT_PROMPT], {
      ...flags,
      ...atMost(scenario, flags),
      backend: agent,
      // Nobody real is consulted, and the turns of the scenario stay the asking agent's.
      set: [...practiceConsultant, ...(flags.set ?? [])],
      ...(flags.config === undefined && project !== undefined && !flags.here ? { config: project } : {}),
      name: flags.name ?? 'rehearsal',
    });
    const left = server.left > 0 ? `, ${server.left} turns were not asked for` : '';
    context.channels.chrome(`Rehearsal: the model was asked ${server.main.length} times${left}.`);
    if (flags.keep) context.channels.chrome(`Kept: ${dir}`);
    return code;
  } finally {
    await server.close();
    unlearn(cwd, context, { ...flags, before });
    if (!flags.keep) rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What was only played is no decision of the project's. */
function unlearn(cwd: string, { env }: Context, { here, before }: RehearseFlags & { before: Set<string> }): void {
  const decisions = decisionsAt(cwd, env);
  if (!here) decisions.forget();
  for (const { id, by, revoked } of decisions.list())
    if (by.kind === 'consultant' && by.adapter === 'practice' && !revoked && !before.has(id))
      decisions.revoke(id, { at: Date.now(), reason: 'it was a rehearsal' });
}

/** A loop that has heard the whole scenario is done: what its model says from then on keeps the promise. */
function withAnEnd(context: Context, scenario: LabScenario, flags: RehearseFlags): LabScenario {
  if (scenario.end !== undefined || flags.interactive) return scenario;
  const { event_loop: loop } = readSettings(context, flags.config === undefined ? {} : { config: flags.config }).loaded
    .config;
  return { ...scenario, end: `The scenario is over.\n\n${flags.completionPromise ?? loop.completion_promise}` };
}

/** Each iteration takes a turn at least, and one hears the end; a gate that never passes would go on for ever. */
function atMost({ turns }: LabScenario, flags: RehearseFlags): Pick<RehearseFlags, 'maxIterations'> {
  if (flags.maxIterations !== undefined || turns.some(({ times }) => times === 'always')) return {};
  const played = turns.reduce((sum, { times = 1 }) => sum + Number(times), 0);
  return { maxIterations: played + 1 };
}

function labAgent(context: Context, flags: RehearseFlags): LabAgent {
  const configured = readSettings(context, flags.config === undefined ? {} : { config: flags.config }).loaded.config.cli
    .backend;
  const wanted = flags.backend ?? (configured === 'auto' ? DEFAULT_AGENT : configured);
  if (!Object.hasOwn(versions, wanted)) {
    const known = Object.keys(versions).join(', ');
    throw new ReinsError('USAGE', { problem: `${wanted} cannot be rehearsed`, fix: `choose one of ${known} with -b` });
  }
  return wanted as LabAgent;
}
