/**
 * `reins run --continue`: goes on with a session that ended or whose host died. Its directory, id and journal stay; the
 * new host folds the journal, so counters, hat, events and cost are what they were.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterNamed } from '../adapters/index.js';
import { ReinsError } from '../contract/index.js';
import { FILES, lastWordsFile, writeWhole } from '../disk/index.js';
import { conversationIn, type SessionSpec } from '../host/index.js';
import { readJournal } from '../journal/index.js';
import { type Place, placeOf, startHost } from '../link/index.js';
import { ensureAgentFolder } from './agent-trust.js';
import { hatAgents } from './choose-agent.js';
import { withClaim } from './claim.js';
import type { RunFlags } from './commands/run.js';
import { type Context, hostProgram } from './context.js';
import { followSession } from './follow.js';
import { findSession, specOf } from './sessions.js';
import { checkCwd, currentSize, nonInteractive, presenceOf } from './start.js';
import { sweepClaimed } from './sweep.js';
import { processCount } from './table.js';
import { view } from './view-session.js';

export async function continueSession(context: Context, flags: RunFlags): Promise<number> {
  const found = findSession(context, flags.continue!);
  // Two that continue the same session would each start a host; the second finds the first one's alive.
  const { place, spec, since } = await withClaim(found, () => startAgain(context, found.id, flags));
  if (flags.detach) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  if (spec.mode === 'interactive') return view(context, place, { spec, verbose: false });
  return followSession(context, {
    place,
    tie: true,
    answers: true,
    verbose: (flags.verbose ?? 0) > 0,
    since,
  });
}

async function startAgain(
  context: Context,
  id: string,
  flags: RunFlags,
): Promise<{ place: Place; spec: SessionSpec; since: number }> {
  const place = placeOf(context.env, id);
  if (place.alive) {
    throw new ReinsError('USAGE', { problem: `session ${place.id} is still running`, fix: `reins attach ${place.id}` });
  }
  const old = specOf(place);
  if (!old) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
  if (old.mode !== 'autonomous') checkResumable(place, old, flags);
  checkCwd(old.cwd);
  await endLeftovers(context, place);
  const trusted = await ensureAgentFolder(context, {
    cwd: old.cwd,
    agents: [...(old.agent ? [old.agent.adapter] : []), ...hatAgents(old.config)],
    mayAsk: nonInteractive(context, flags) === null,
  });
  const spec = { ...renewed(context, old, flags), ...trusted };
  const since = lastSeq(join(place.dir, FILES.journal));
  try {
    writeWhole(join(place.dir, FILES.spec), `${JSON.stringify(spec, null, 1)}\n`);
  } catch (error) {
    throw new ReinsError('STATE_DIR', { dir: place.dir, reason: (error as Error).message }, { cause: error });
  }
  await startHost({
    program: hostProgram,
    dir: place.dir,
    env: context.env,
    lastWords: lastWordsFile(context.env, place.id),
  });
  return { place: placeOf(context.env, id), spec, since };
}

/** An interactive session goes on where its agent can take up the conversation that the journal names. */
function checkResumable(place: Place, old: SessionSpec, flags: RunFlags): void {
  const no = (problem: string, fix = 'start a new one') => new ReinsError('USAGE', { problem, fix });
  if (old.mode !== 'interactive') throw no(`session ${place.id} was ${old.mode}: it cannot be continued`);
  const agent = adapterNamed(old.agent?.adapter ?? '');
  if (!agent?.resumes) throw no(`${agent?.label ?? 'its agent'} cannot take up a conversation by its id`);
  if (conversationIn(readJournal(join(place.dir, FILES.journal))) === undefined) {
    throw no(`session ${place.id} never had a conversation: there is nothing to go on with`);
  }
  if (!flags.detach && !process.stdout.isTTY) {
    throw no(`session ${place.id} is interactive and stdout is no terminal`, 'use -d, and `reins attach` later');
  }
}

/** The old agent must not work beside the new one. */
async function endLeftovers(context: Context, place: Place): Promise<void> {
  const { processes, left } = await sweepClaimed(place);
  if (processes.length > 0) context.channels.chrome(`Ended ${processCount(processes.length)} its dead host had left.`);
  if (left > 0) {
    throw new ReinsError('USAGE', {
      problem: `${processCount(left)} of ${place.id} could not be ended`,
      fix: `end them yourself: reins kill ${place.id} names them`,
    });
  }
}

/** Limits may be raised, and what agents may trust is as it is now; everything else is what the session was started with. */
function renewed(context: Context, session: SessionSpec, flags: RunFlags): SessionSpec {
  // A conversation holds its first prompt already: it is not given twice.
  const { trusted_folder: _then, ...known } = session;
  const { prompt_file: _given, ...resumed } = known;
  const old = session.mode === 'interactive' ? resumed : known;
  const why = nonInteractive(context, flags);
  const loop = { ...old.config.event_loop };
  if (flags.maxIterations !== undefined) loop.max_iterations = flags.maxIterations;
  if (flags.maxRuntime !== undefined) loop.max_runtime_seconds = flags.maxRuntime;
  if (flags.maxCost !== undefined) loop.max_cost_usd = flags.maxCost;
  return {
    ...old,
    size: currentSize(),
    tied: flags.detach !== true,
    non_interactive: why,
    presence: presenceOf(why),
    reins: context.version,
    ...(flags.timeout === undefined ? {} : { timeout_secs: flags.timeout }),
    ...(flags.idleTimeout === undefined ? {} : { idle_timeout_secs: flags.idleTimeout }),
    config: { ...old.config, event_loop: loop },
  };
}

/** What was shown before is not shown again. */
function lastSeq(journal: string): number {
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  try {
    return (JSON.parse(lines.at(-1) ?? '{}') as { seq?: number }).seq ?? 0;
  } catch {
    return lines.length - 1; // a torn last line: the host will cut it off
  }
}
