/**
 * The bad habits of agents, each by its scenario's name, so that whoever supervises can be tested against them. A habit
 * ends the turn, ends the process, or simply leaves the turn to go on. Children it leaves behind end by themselves.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { TurnEnd } from './face.js';
import { facts, hostileBytes, hostileText } from './habits.js';
import { waitReally } from './session.js';
import { type Stage, say } from './stage.js';
import { CHILD_SECS, deaf, forever, loop, orphan, usageReset } from './stubborn.js';

type Habit = (stage: Stage, n: number | undefined) => Promise<TurnEnd | undefined>;

/** Writes of a flood are this large: larger than any pipe's buffer. */
const CHUNK = 256 * 1024;

export async function misbehave(name: string, n: number | undefined, stage: Stage): Promise<TurnEnd | undefined> {
  const habit = habits[name];
  if (!habit) throw new Error(`no such habit: ${name}`);
  return habit(stage, Number.isFinite(n) ? n : undefined);
}

/** Habits that show before anything else does: called at the start when chosen by flag. */
export function misbehaveEarly(name: string): Promise<never> | undefined {
  if (name === 'die-before-ready') process.exit(1);
  if (name === 'hang') return forever();
  if (name === 'ignore-term' || name === 'stubborn') deaf();
  return undefined;
}

const habits: Record<string, Habit> = {
  loop,
  'die-before-ready': async () => process.exit(1),
  hang: () => forever(),
  async 'ignore-term'(stage) {
    deaf();
    await say(`I am ${process.pid} and ignore SIGTERM, SIGINT and SIGHUP.`, stage);
    return forever();
  },
  async stubborn(stage) {
    deaf();
    await say(`I am ${process.pid}, ignore signals, and my child ${orphan()} has its own session.`, stage);
    return forever();
  },
  async 'setsid-child'(stage) {
    await say(`child ${orphan()} runs in a session of its own.`, stage);
    return undefined;
  },
  async 'double-fork'(stage) {
    const script = `sleep ${CHILD_SECS} </dev/null >/dev/null 2>&1 & echo $!`;
    // The shell leads a session of its own and ends: what it started has no parent and no leader.
    const { stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8', ...{ detached: true } });
    await say(`child ${stdout.trim()} belongs to nobody.`, stage);
    return undefined;
  },
  async slow(stage, n = 30) {
    await say('This takes a while.', stage);
    // Real seconds, whatever the pace: being slow is the point.
    await waitReally(n * 1000, stage.signal);
    if (!stage.signal.aborted) await say('At last.', stage);
    return undefined;
  },
  async 'slow-silently'(stage, n = 30) {
    await waitReally(n * 1000, stage.signal);
    return undefined;
  },
  async 'silent-child'() {
    orphan();
    return undefined;
  },
  async page(stage) {
    await stage.face.page?.(stage.signal);
    await say('Back from the settings.', stage);
    return undefined;
  },
  async retry(stage) {
    for (const attempt of [1, 2, 3]) {
      const delayMs = 500 * 2 ** (attempt - 1);
      stage.face.retrying({ attempt, of: 10, delayMs, status: 529 });
      await stage.session.wait(delayMs, stage.signal);
    }
    await say('The third retry worked.', stage);
    return undefined;
  },
  async 'usage-limit'(stage, n) {
    const resetsAt = usageReset(stage.session.cwd, n);
    if (resetsAt === undefined) {
      await say('The limit is over, and so is the work.\nLOOP_COMPLETE', stage);
      return undefined;
    }
    return {
      kind: 'error',
      text: `Claude AI usage limit reached|${resetsAt}`,
      status: 429,
      error: 'rate_limit',
      resetsAt,
    };
  },
  async echo(stage) {
    const bytes = Buffer.from(stage.prompt);
    await say(`bytes=${bytes.length} sha256=${createHash('sha256').update(bytes).digest('hex')}`, stage);
    await say(stage.prompt, stage);
    return undefined;
  },
  async env(stage) {
    await say(JSON.stringify(facts(stage.session.id), null, 1), stage);
    return undefined;
  },
  async hostile(stage) {
    if (stage.face.door === 'text') stage.face.raw(hostileBytes());
    await say(hostileText(), stage);
    return undefined;
  },
  async lines(stage, n = 20_000) {
    const line = (index: number) => `line ${index + 1} of ${n}`;
    for (let from = 0; from < n; from += 500) {
      const some = Array.from({ length: Math.min(500, n - from) }, (_, index) => line(from + index));
      stage.face.raw(stage.face.encode(some.join('\n')));
    }
    process.exit(0);
  },
  async flood(stage, n = 8) {
    const text = `${'flood '.repeat(20)}\n`.repeat(Math.ceil(CHUNK / 121));
    for (let sent = 0; sent < n * 1024 * 1024 && !stage.signal.aborted; sent += text.length) {
      stage.face.raw(stage.face.encode(text));
      // Let keys and signals in between.
      await new Promise(setImmediate);
    }
    await say('The flood is over.', stage);
    return undefined;
  },
  async 'long-line'(stage, n = 1) {
    stage.face.raw(stage.face.encode('x'.repeat(n * 1024 * 1024)));
    await say('That was one line.', stage);
    return undefined;
  },
  async 'split-utf8'(stage) {
    const bytes = stage.face.encode('größer 漢字 🙂 é');
    for (const byte of bytes) {
      stage.face.raw(Buffer.of(byte));
      if (byte >= 0x80) await stage.session.wait(5, stage.signal);
    }
    await say('Whole again.', stage);
    return undefined;
  },
  async garbage(stage) {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 167 + 13) % 256));
    stage.face.raw(Buffer.concat([bytes, Buffer.from('\x1b\\\x1b[0m\x0f\r\n')]));
    await say('That was not text.', stage);
    return undefined;
  },
};
