/**
 * Goes on with a session that ended or whose host died. Its directory, id and journal stay; the new host folds the
 * journal, so counters, hat, events and cost are what they were.
 */
import { join } from 'node:path';
import { adapterNamed } from '../adapters/index.js';
import { ReinsError } from '../contract/index.js';
import { FILES, lastWordsFile, writeWhole } from '../disk/index.js';
import { conversationIn, type Seat, type SessionSpec } from '../host/index.js';
import { journalOf, readPage } from '../journal/read.js';
import { type Place, placeOf, startHost } from '../link/index.js';
import { bringAdapters } from './adapter-modules.js';
import { ensureAgentFolder } from './agent-folder.js';
import { besideNobody } from './beside.js';
import { hatAgents } from './choose-agent.js';
import { withClaim } from './claim.js';
import { QUIET, type StartPorts } from './ports.js';
import { specOf } from './spec-file.js';
import { checkCwd, hostProgram } from './start.js';
import { sweepClaimed } from './sweep.js';
import type { Where } from './where.js';

/** What may be raised; the rest is what the session was started with. */
export interface ContinueAsk {
  maxIterations?: number;
  maxRuntime?: number;
  maxCost?: number;
  timeout?: number;
  idleTimeout?: number;
  /** Also where another loop works in the same folder. */
  shareFolder?: boolean;
}

export interface Continued {
  place: Place;
  spec: SessionSpec;
  /** The last entry before it went on. */
  since: number;
}

export interface ContinueHow {
  ask?: ContinueAsk;
  ports?: StartPorts;
}

interface How extends Required<ContinueHow> {
  seat: Seat;
}

/** Two that continue the same session would each start a host; the second finds the first one's alive. */
export function continueSession(where: Where, found: Place, seat: Seat, how: ContinueHow = {}): Promise<Continued> {
  const { ask = {}, ports = QUIET } = how;
  return withClaim(found, () => startAgain(where, found.id, { ask, ports, seat }));
}

async function startAgain(where: Where, id: string, { ask, seat, ports }: How): Promise<Continued> {
  const place = placeOf(where.env, id);
  if (place.alive) {
    throw new ReinsError('USAGE', { problem: `session ${place.id} is still running`, fix: `reins attach ${place.id}` });
  }
  const old = specOf(place);
  if (!old) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
  const agents = [...(old.agent ? [old.agent.adapter] : []), ...hatAgents(old.config)];
  await bringAdapters(old.config, agents, old);
  if (old.mode !== 'autonomous') checkResumable(place, old, seat);
  checkCwd(old.cwd);
  await endLeftovers(place, ports);
  const trusted = await ensureAgentFolder({ ...where, cwd: old.cwd }, agents, ports);
  const spec = { ...renewed(where, old, { ask, seat }), ...trusted };
  // What was shown before is not shown again.
  const since = readPage(join(place.dir, FILES.journal), { limit: 1 }).entries[0]?.seq ?? 0;
  const { starter } = await besideNobody(where, { spec, ports, share: ask.shareFolder === true }, () =>
    startHostAgain(where, place, spec),
  );
  return { place: { ...placeOf(where.env, id), starter }, spec, since };
}

function startHostAgain(where: Where, { dir, id }: Place, spec: SessionSpec): Promise<{ starter: string }> {
  try {
    writeWhole(join(dir, FILES.spec), `${JSON.stringify(spec, null, 1)}\n`);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
  return startHost({ program: hostProgram, dir, env: where.env, lastWords: lastWordsFile(where.env, id) });
}

/** A session with a person goes on where its agent can take up the conversation that the journal names. */
function checkResumable(place: Place, old: SessionSpec, seat: Seat): void {
  const no = (problem: string, fix = 'start a new one') => new ReinsError('USAGE', { problem, fix });
  if (old.mode !== 'interactive' && old.mode !== 'conversation')
    throw no(`session ${place.id} was ${old.mode}: it cannot be continued`);
  const agent = adapterNamed(old.agent?.adapter ?? '');
  if (!agent?.resumes) throw no(`${agent?.label ?? 'its agent'} cannot take up a conversation by its id`);
  if (conversationIn(journalOf(join(place.dir, FILES.journal))) === undefined) {
    throw no(`session ${place.id} never had a conversation: there is nothing to go on with`);
  }
  if (old.mode === 'interactive' && seat.tied && !seat.terminal) {
    throw no(`session ${place.id} is interactive and stdout is no terminal`, 'use -d, and `reins attach` later');
  }
}

/** The old agent must not work beside the new one. */
async function endLeftovers(place: Place, ports: StartPorts): Promise<void> {
  const { processes, left } = await sweepClaimed(place);
  if (processes.length > 0) ports.tell(`Ended ${processCount(processes.length)} its dead host had left.`);
  if (left > 0) {
    throw new ReinsError('USAGE', {
      problem: `${processCount(left)} of ${place.id} could not be ended`,
      fix: `end them yourself: reins kill ${place.id} names them`,
    });
  }
}

/** Limits may be raised, and what agents may trust is as it is now; everything else is what the session was started with. */
function renewed(where: Where, session: SessionSpec, { ask, seat }: Omit<How, 'ports'>): SessionSpec {
  // A conversation holds its first prompt already: it is not given twice.
  const { trusted_folder: _then, ...known } = session;
  const { prompt_file: _given, ...resumed } = known;
  const old = session.mode === 'autonomous' ? known : resumed;
  const loop = { ...old.config.event_loop };
  if (ask.maxIterations !== undefined) loop.max_iterations = ask.maxIterations;
  if (ask.maxRuntime !== undefined) loop.max_runtime_seconds = ask.maxRuntime;
  if (ask.maxCost !== undefined) loop.max_cost_usd = ask.maxCost;
  return {
    ...old,
    seat,
    reins: where.version,
    ...(ask.timeout === undefined ? {} : { timeout_secs: ask.timeout }),
    ...(ask.idleTimeout === undefined ? {} : { idle_timeout_secs: ask.idleTimeout }),
    config: { ...old.config, event_loop: loop },
  };
}

const processCount = (count: number): string => (count === 1 ? '1 process' : `${count} processes`);
