/**
 * The host's process: begun with the session's directory, it loads, waits on stdin for the word to go, answers its
 * starter with one line, serves until the session is over, and leaves the directory without `host.json` and `host.sock`.
 * A signal to the host itself is a stop of the session: whoever ends us must not leave an agent behind.
 */
import { readFileSync, readSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import {
  type Access,
  type Entry,
  HeldLog,
  type Inquiry,
  type Mode,
  newNonce,
  once,
  type Principal,
  systemClock,
} from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { isEmpty, Journal } from '../journal/journal.js';
import type { Doorman } from './access.js';
import { Address } from './address.js';
import { emit, readArgs } from './commands.js';
import { unspare } from './environment.js';
import { Host } from './host.js';
import type { HostOptions } from './host-options.js';
import { agentsOf, moduleOf, workFactory } from './modes/create.js';
import type { RowKeeper } from './row-file.js';
import type { SessionSpec } from './spec.js';

/** Lines of the log that wait until it is loaded. */
const MOST_HELD = 1000;

/** How long a mere onlooker that does not read may keep a finished host alive. */
const FAREWELL_MS = 2_000;

/** By then an agent has been started and most commands have ended. */
const START_IS_OVER_MS = 1_000;

function say(line: { ok: boolean; reason?: string; code?: string }): void {
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // Whoever began us is gone. A detached session lives on without it; a tied one waits for it in vain and ends.
  }
}

/** Not by `process.stderr`: where they cannot be written, on a full disk, that is an exception of its own, and so on. */
function lastWords(error: unknown): void {
  try {
    writeSync(2, `${(error as Error)?.stack ?? String(error)}\n`);
  } catch {
    // The journal says it too, in short.
  }
}

/** Whose account this is: whoever opens our socket has it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`; // an account without an entry, as in some containers
  }
}

/** Waits, having done nothing yet, for the word of whoever began us (`go WORD`); undefined if it ended without one. */
function toldToGo(): string | undefined {
  const room = Buffer.alloc(16);
  for (let text = ''; ; ) {
    const length = readSync(0, room);
    text += room.toString('latin1', 0, length);
    if (text.includes('\n')) return text.slice('go'.length, text.indexOf('\n')).trim();
    if (length === 0) return undefined;
  }
}

async function judgingOf(
  spec: SessionSpec,
  journal: Journal,
  before: Iterable<Entry>,
): Promise<HostOptions['judging']> {
  const [{ createPolicy }, { agentNeeds }, { watchCalls }, { Stages }, { watchAnswers }, { reachableBy }] =
    await Promise.all([
      import('./policy.js'),
      import('./agent-needs.js'),
      import('./watch-calls.js'),
      import('./stages.js'),
      import('./consult/answers.js'),
      import('./reachable.js'),
    ]);
  return {
    policy: createPolicy(spec, before),
    needs: agentNeeds,
    watch: watchCalls,
    stages: (ports) => new Stages(ports),
    answers: watchAnswers({ spec, env: process.env, journal, before, clock: systemClock }),
    reachable: () => reachableBy(spec.config),
  };
}

/** What it was started as. No prompt, no environment: names and numbers. */
function logged(log: HeldLog, spec: SessionSpec, journal: Journal): void {
  log.log('info', 'started', {
    pid: process.pid,
    reins: spec.reins,
    node: process.version,
    mode: spec.mode,
    agent: spec.agent?.adapter ?? spec.exec?.argv[0],
    cwd: spec.cwd,
    entries_before: journal.seq,
    load_ms: Math.round(performance.now()),
  });
}

async function main(dir: string, word: string): Promise<void> {
  const spec = JSON.parse(readFileSync(join(dir, FILES.spec), 'utf8')) as SessionSpec;
  const { journal, entries } = Journal.open({ file: join(dir, FILES.journal), session: spec.id, clock: systemClock });
  const work = await workFactory(spec.mode, await agentsOf(spec), moduleOf(spec));
  // Before anything is judged: a session that goes on may have been answered meanwhile.
  const goesOn = !spec.exec && !isEmpty(entries);
  const lostInquiries = () => import('./lost-inquiries.js');
  const lost = goesOn ? new (await lostInquiries()).FoundAgain(entries, { journal, dir }) : undefined;
  const judging = spec.exec ? undefined : await judgingOf(spec, journal, entries);
  // Told by descent, while whoever began us still waits for our first word.
  const parents = once(() => import('./parent.js'));
  const facts = judging && spec.parent !== undefined ? { spec, policy: judging.policy, env: process.env } : undefined;
  const parent = facts && (await parents()).parentAbove(facts);
  // The run that began us is known by its word. Everyone else looks, until it has shown which process it is.
  const who: Principal = { kind: 'user', name: userName() };
  const callers = once(() => import('./caller.js'));
  const begunBy: Access = spec.exec ? { who, may: 'admin' } : (await callers()).judgeStarter(who, spec.trust);
  const unknown: Access = {
    who: { kind: 'program', name: 'someone' },
    may: 'view',
    why: 'it did not show which process it is',
  };
  const doorman = (challenge: string): Doorman => ({
    challenge,
    hello: async ({ starter }) => (starter && starter === word ? begunBy : unknown),
    prove: async (claim) => (await callers()).judge(claim, { session: spec.id, challenge, who, parent }),
  });
  // One command has no hooks: whoever comes all the same waits for it to be loaded.
  const hookLinks = once(() => import('./hook-links.js'));
  if (!spec.exec) await hookLinks();
  const address = new Address({
    dir,
    spec,
    journal,
    clock: systemClock,
    accept: (link) => host.accept(link, doorman(newNonce())),
    looked: () => keptRow?.look(),
    acceptHook: async (link) => {
      const { acceptHook, callHook } = await hookLinks();
      acceptHook(link, {
        session: spec.id,
        version: spec.reins,
        hook: (call, gone) => callHook(host, call, gone),
        emitKey: drop?.via.key,
        emit: async (args) => emit(host, readArgs('emit', args)),
      });
    },
  });
  let isOver = false;
  let left: Inquiry[] = [];
  let keptRow: RowKeeper | undefined;
  let endLog: Promise<() => void> | undefined;
  const writeLog = () => {
    endLog ??= import('./host-log.js')
      .then(({ openHostLog }) => openHostLog({ dir, session: spec.id, env: process.env, journal, held: log }))
      .catch(() => () => undefined); // a disk that takes nothing: the journal tells
  };
  const log: HeldLog = new HeldLog({ most: MOST_HELD, clock: systemClock, trouble: () => writeLog() });
  logged(log, spec, journal);
  const newSecret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
  const bin = address.programs();
  // Only a loop takes events.
  const looping = spec.mode === 'autonomous';
  const drop = looping
    ? new (await import('./emit-drop.js')).EmitDrop({
        key: newSecret(),
        session: spec.id,
        clock: systemClock,
        emit: (args) => emit(host, args),
      })
    : undefined;
  if (drop) process.on('exit', () => drop.close());
  const inside = drop
    ? (await import('./inside-programs.js')).insidePrograms({ dir, bin, via: drop.via, ralph: spec.ralph === true })
    : undefined;
  let secret: string | undefined;
  const host: Host = new Host({
    spec,
    dir,
    env: process.env,
    journal,
    before: entries,
    lost,
    parent,
    clock: systemClock,
    log,
    hook: {
      /** Read now, and kept: only one that no tool call can ask for has none. */
      argv: spec.exec ? [] : (await import('./hook-program.js')).keepHookProgram(dir),
      socket: address.hookSocket,
      get secret() {
        // Made when first wanted: one command has no hooks, and real randomness takes a while to load.
        secret ??= newSecret();
        return secret;
      },
    },
    bin,
    ...(inside ? { inside } : {}),
    work,
    judging,
  });
  const { command, webhooks } = spec.config.notify;
  const tells = !spec.exec && (command !== undefined || webhooks.length > 0);
  const messenger = tells
    ? (await import('./notify.js')).openMessenger(host, { env: process.env, clock: systemClock, log })
    : undefined;
  journal.onTrouble((reason) => {
    log.log('error', 'the journal cannot be written', { reason });
    journal.append('notice', { level: 'error', code: 'journal', text: `The journal cannot be written: ${reason}` });
  });
  await address.open();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // One that an agent started ends with its parent, which starts it anew: nobody waits for it.
      if (spec.parent === undefined) left = host.lose();
      void host.work.stop({ how: 'stop', why: `${signal} to the host`, signal });
    });
  }
  // Our own bug must not leave an agent behind: end it, say so, and only then go.
  let isCrashing = false;
  const crash = (error: unknown) => {
    lastWords(error);
    log.log('error', 'crashed', { error });
    if (isCrashing) return; // a second one must not cut the first one's work short
    isCrashing = true;
    void host
      .crash(error)
      .then(() => messenger?.close())
      .finally(() => process.exit(70));
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  say({ ok: true });
  systemClock.after(START_IS_OVER_MS, () => {
    writeLog();
    const rest = import('./at-rest.js').then(({ comeToRest }) => comeToRest(spec));
    const rows = import('./row-file.js').then(({ keepRow }) => {
      if (!isOver) keptRow = keepRow({ dir, journal, clock: systemClock, row: () => host.row() });
    });
    const judges = spec.exec ? [] : [lostInquiries()];
    // What cannot be loaded now fails again where it is wanted, and is told there.
    Promise.all([hookLinks(), callers(), rest, rows, ...judges]).then(
      () => log.log('info', 'at rest'),
      (error: unknown) => log.log('warn', 'not all it may need could be loaded', { error }),
    );
  });

  const finish = await host.run();
  log.log('info', 'ended', { outcome: finish.outcome, exit_code: finish.exitCode, reason: finish.reason });
  isOver = true;
  keptRow?.close();
  // Before it cannot be found any more. A disk that takes nothing: its journal says the same to who looks.
  if (left.length > 0)
    await lostInquiries()
      .then(({ markLost }) => markLost(dir, left))
      .catch(() => undefined);
  address.leave();
  // The run that started us is owed everything, however slowly it is read; anyone else gets a moment.
  const { tied } = host.viewers;
  const stay = setInterval(() => undefined, 60_000);
  // Nobody waits for the recording's last part, but it is written before we go.
  const saved = host.work.terminal?.recording?.close();
  const said = messenger?.close();
  void Promise.all([tied?.gone, saved, said]).then(() => setTimeout(() => process.exit(0), FAREWELL_MS));
  await host.viewers.farewell(finish);
  host.work.close();
  await saved;
  await said;
  await address.close();
  journal.close();
  (await endLog)?.();
  clearInterval(stay);
  process.exit(0);
}

unspare(process.env);
const dir = process.argv[2];
if (!dir) {
  say({ ok: false, reason: 'no session directory was given' });
  process.exit(2);
}
// What the session will most likely need is loaded while the command that wants it gets ready.
const likely = process.argv[3];
if (likely) await workFactory(likely as Mode).catch(() => undefined); // it fails again where it is told
const word = toldToGo();
if (word === undefined) process.exit(0);
main(dir, word).catch((error: unknown) => {
  const { message, code } = error as NodeJS.ErrnoException;
  say({ ok: false, reason: message, ...(code === undefined ? {} : { code }) });
  lastWords(error);
  process.exit(70);
});
