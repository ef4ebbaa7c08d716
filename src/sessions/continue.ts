/**
 * Goes on with a session that ended or whose host died. Its directory, id and journal stay; the new host folds the
 * journal, so counters, hat, events and cost are what they were.
 */
import { join } from 'node:path';
import { adapterNamed } from '../adapters/index.js';
import { type Change, type Entry, ReinsError } from '../contract/index.js';
import { FILES, lastWordsFile, writeWhole } from '../disk/index.js';
import { conversationIn, type Seat, type SessionSpec } from '../host/index.js';
import { journalOf, readPage } from '../journal/read.js';
import { type Place, placeOf, startHost } from '../link/index.js';
import { bringAdapters } from './adapter-modules.js';
import { besideNobody } from './beside.js';
import { withClaim } from './claim.js';
import { QUIET, type StartPorts } from './ports.js';
import { type ContinueAsk, type Renewal, renewed } from './renew.js';
import { specOf } from './spec-file.js';
import { checkCwd, hostProgram, withMark } from './start.js';
import { sweepClaimed } from './sweep.js';
import { forgetTold } from './tell-died.js';
import type { Where } from './where.js';

export interface Continued {
  place: Place;
  spec: SessionSpec;
  /** The last entry before it went on. */
  since: number;
  /** What it goes on with differently. */
  changes: Change[];
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
  if (old.agent) await bringAdapters(old.config, [old.agent.adapter], old);
  if (old.mode !== 'autonomous') checkResumable(place, old, seat);
  if (old.worktree) (await import('./own-folder.js')).checkStillThere(place.id, old.worktree);
  checkCwd(old.cwd);
  const renewal = await renewed(where, old, { ask, seat, ports });
  await endLeftovers(place, ports);
  // What was shown before is not shown again.
  const since = readPage(join(place.dir, FILES.journal), { limit: 1 }).entries[0]?.seq ?? 0;
  const { spec, changes } = withUntold(place, old, renewal, since);
  const { starter } = await besideNobody(where, { spec, ports, share: ask.shareFolder === true }, () => {
    write(place, spec, renewal.prompt);
    const lastWords = lastWordsFile(where.env, place.id);
    return startHost({ program: hostProgram, dir: place.dir, env: withMark(where.env, spec), lastWords }).catch(
      (error: unknown) => {
        write(place, old); // it did not go on: what was new for it is not its own
        throw error;
      },
    );
  });
  return { place: { ...placeOf(where.env, id), starter }, spec, since, changes };
}

/** Changes of a start that never got as far as its journal are told with those of this one. */
function withUntold(place: Place, old: SessionSpec, renewal: Renewal, since: number): Renewal {
  const { changed } = old;
  const journal = journalOf(join(place.dir, FILES.journal));
  const isTold = !changed || hasStarted(journal.since(changed.since));
  const changes = [...(isTold ? [] : changed.changes), ...renewal.changes];
  const from =
    renewal.prompt === undefined ? {} : { prompt_file: join(place.dir, FILES.prompts, `prompt-${since}.md`) };
  return {
    changes,
    spec: { ...renewal.spec, ...from, ...(changes.length > 0 ? { changed: { since, changes } } : {}) },
  };
}

function hasStarted(entries: Iterable<Entry>): boolean {
  for (const { type } of entries) if (type === 'session.started') return true;
  return false;
}

/** The prompt first: a spec never names one that is not there. */
function write(place: Place, spec: SessionSpec, prompt?: string): void {
  try {
    if (prompt !== undefined) writeWhole(spec.prompt_file!, prompt);
    writeWhole(join(place.dir, FILES.spec), `${JSON.stringify(spec, null, 1)}\n`);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir: place.dir, reason: (error as Error).message }, { cause: error });
  }
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
  forgetTold(place);
  if (processes.length > 0) ports.tell(`Ended ${processCount(processes.length)} its dead host had left.`);
  if (left > 0) {
    throw new ReinsError('USAGE', {
      problem: `${processCount(left)} of ${place.id} could not be ended`,
      fix: `end them yourself: reins kill ${place.id} names them`,
    });
  }
}

const processCount = (count: number): string => (count === 1 ? '1 process' : `${count} processes`);
