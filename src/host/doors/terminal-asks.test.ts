/** Real programs in real terminals: what they ask becomes an inquiry, what they only print does not. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { type Entry, type SessionId, silentLog, systemClock } from '../../contract/index.js';
import { Journal } from '../../journal/journal.js';
import { startProcess } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import { Desk } from '../desk.js';
import { Output } from '../output.js';
import { Presses } from '../presses.js';
import { Stages } from '../stages.js';
import { QuietTerminal } from './quiet.js';
import { asksAt } from './terminal-asks.js';

/** It bounds a hang, as elsewhere, and measures nothing: eight of these at once on a machine at full load take ten seconds and more. */
const PATIENCE_MS = 30_000;

// They wait most of the time: side by side.
vi.setConfig({ maxConcurrency: 8 });

/** A shell script at a terminal of its own, with a desk at which everything waits for a person. */
async function at({ onTestFinished }: TestContext, script: string, { node = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'asks-'));
  const session = 'k7f2m9qd' as SessionId;
  const { journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session, clock: systemClock });
  const entries: Entry[] = [];
  journal.subscribe((entry) => void entries.push(entry));
  const presses = new Presses(systemClock);
  const desk = new Desk({
    session,
    journal,
    clock: systemClock,
    graceMs: 0,
    presses,
    presence: async () => ({ present: true, reason: 'here' }),
    exclusive: (draft) => draft.exclusive,
    grant: async () => undefined,
    changed: () => undefined,
    deniedUnasked: () => undefined,
    // Nothing is routed here: all of it is held for people.
    route: () => Promise.reject(new Error('not asked')),
    consult: () => Promise.reject(new Error('not asked')),
    consulting: { who: 'nobody', ms: 0, suggest: false },
    never: async () => undefined,
    stages: (all) => new Stages(all),
  });
  const size = { cols: 80, rows: 24 };
  const recording = { path: join(dir, 'terminal.cast'), maxBytes: 1e6, onTrouble: () => undefined };
  const output = new Output({ size, clock: systemClock, log: silentLog, recording });
  const env = { PATH: process.env.PATH ?? '', TERM: 'xterm' };
  const [command, args] = node ? [process.execPath, ['-e', script]] : ['sh', ['-c', script]];
  const started = await startProcess({ command, args, cwd: dir, env, io: 'pty', size, stdin: 'open' });
  if (!started.ok) throw new Error(started.reason);
  const { proc } = started;
  const agent = { proc, pids: () => childrenOf(proc.pid) } as unknown as RunningAgent;
  let looks = 0;
  const quiet = new QuietTerminal({
    clock: systemClock,
    quietMs: 30,
    make: async () => {
      const asks = asksAt({
        ports: { clock: systemClock, journal, presses },
        agent,
        output,
        ask: (draft) => desk.open(draft, { held: true }),
        wrote: (bytes) => output.recording?.input(bytes, { redact: false }),
      });
      const look = asks.look.bind(asks);
      asks.look = () => look().finally(() => void looks++);
      return asks;
    },
  });
  void proc.exited.then(() => quiet.end());
  let said = '';
  proc.onOutput((chunk) => {
    said += Buffer.from(chunk).toString();
    output.write(chunk);
    quiet.heard(chunk);
  });
  onTestFinished(async () => {
    // Its terminal is gone: that ends every one of these programs.
    proc.close();
    await proc.exited;
    output.close();
    journal.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const open = (count = 1) =>
    vi.waitFor(
      () => {
        expect(desk.count).toBe(count);
        return desk.list()[0]!;
      },
      { timeout: PATIENCE_MS, interval: 10 },
    );
  const answer = (text: string) => {
    const [inquiry] = desk.list();
    const values = { [inquiry!.questions![0]!.id]: [text] };
    desk.answer({ inquiry: inquiry!.id, verdict: { kind: 'values', values }, by: { kind: 'default' } });
  };
  const closed = (id: string) =>
    vi.waitFor(() => entries.find((entry) => entry.type === 'inquiry.closed' && entry.data.inquiry === id)!.data, {
      timeout: PATIENCE_MS,
      interval: 10,
    });
  const shows = (text: string) =>
    vi.waitFor(() => expect(said).toContain(text), { timeout: PATIENCE_MS, interval: 10 });
  /** So many whole looks at a terminal that is quiet. */
  const looked = (count: number) =>
    vi.waitFor(() => expect(looks).toBeGreaterThanOrEqual(count), { timeout: PATIENCE_MS, interval: 10 });
  const type = (text: string) => {
    presses.pressed(Buffer.from(text));
    return proc.write(text);
  };
  const onDisk = async () => {
    await output.recording?.close();
    return readdirSync(dir)
      .map((name) => readFileSync(join(dir, name), 'latin1'))
      .join('\n');
  };
  const pts = () => readlinkSync(`/proc/${proc.pid}/fd/2`);
  /** As if another program at this terminal did it. */
  const stty = (...how: string[]) => void execFileSync('stty', ['-F', pts(), ...how]);
  const prints = (text: string) => appendFileSync(pts(), text);
  /** Right when such an entry is written, and before anything else happens. */
  const upon = (type: Entry['type'], call: () => void) => {
    const undo = journal.subscribe((entry) => {
      if (entry.type !== type) return;
      undo();
      call();
    });
  };
  const sent = () => entries.flatMap((entry) => (entry.type === 'input.sent' ? [entry.data.bytes] : []));
  return {
    looks: () => looks,
    stty,
    prints,
    upon,
    sent,
    desk,
    entries,
    open,
    answer,
    closed,
    shows,
    looked,
    type,
    onDisk,
    said: () => said,
  };
}

function childrenOf(pid: number): number[] {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return own === '' ? [] : own.split(' ').flatMap((child) => [Number(child), ...childrenOf(Number(child))]);
  } catch {
    return [];
  }
}

const SECRET = 'hunter2-correct';
const ASKS = 'stty -echo; printf "Password: "; read x; stty echo; echo; echo "length ${#x}";';

describe.concurrent('a password prompt', () => {
  it('is a secret for people; the answer is typed unseen and stands nowhere', async (test) => {
    const { open, answer, closed, shows, onDisk, sent } = await at(test, `${ASKS} read y`);
    const inquiry = await open();
    expect(inquiry).toMatchObject({
      kind: 'question',
      exclusive: true,
      questions: [{ text: 'Password:', secret: true }],
    });
    answer(SECRET);
    await shows(`length ${SECRET.length}`);
    expect(await closed(inquiry.id)).toMatchObject({ how: 'delivered' });
    const disk = await onDisk();
    expect(disk).not.toContain('hunter2');
    expect(disk).toContain('(secret)');
    expect(sent()).toEqual([64, 64]);
  });

  it('is one without any prompt, and one of a program inside a program', async (test) => {
    const bare = await at(test, 'stty -echo; read x; echo "length ${#x}"; read y');
    expect((await bare.open()).questions?.[0]).toMatchObject({
      secret: true,
      text: expect.stringContaining('not shown'),
    });
    bare.answer(SECRET);
    await bare.shows('length 15');
    const inner = await at(test, `sh -c '${ASKS} read y' | cat`);
    await inner.open();
    inner.answer(SECRET);
    await inner.shows('length 15');
  });

  it('typed at the terminal as always is no business of ours, and nothing is typed twice', async (test) => {
    const { open, answer, type, shows, closed, desk, said } = await at(test, `${ASKS} read y`);
    const inquiry = await open();
    await type('half');
    answer(SECRET);
    expect(await closed(inquiry.id)).toMatchObject({
      how: 'cancelled',
      reason: expect.stringContaining('begun to type'),
    });
    const again = await open(2);
    await type('-typed\r');
    await shows('length 10');
    expect(await closed(again.id)).toMatchObject({ how: 'cancelled', by: { kind: 'agent' } });
    expect(said()).not.toContain('half');
    expect(desk.list()).toEqual([]);
  });

  it('is over when echo comes back, also without a word', async (test) => {
    const { open, closed, stty } = await at(test, 'printf "PIN: "; stty -echo; read x');
    const inquiry = await open();
    stty('echo');
    expect(await closed(inquiry.id)).toMatchObject({
      how: 'cancelled',
      reason: expect.stringContaining('no key was pressed'),
    });
  });

  it('is answered although its program ends with it, without a word', async (test) => {
    const { open, answer, closed } = await at(test, 'stty -echo; printf "PIN: "; read x');
    const { id } = await open();
    answer('1234');
    expect(await closed(id)).toMatchObject({ how: 'delivered' });
  });

  it('asked again is another one, in the same words', async (test) => {
    const { open, answer, shows } = await at(test, `${ASKS} ${ASKS} read y`);
    await open();
    answer('one');
    await shows('length 3');
    await open(2);
    answer('three');
    await shows('length 5');
  });
});

const GO_ON = 'printf "Go on? [y/N] "; read x; echo "said $x.";';

describe.concurrent('a question', () => {
  it('after another, and another, however quickly each is answered', async (test) => {
    const many = 8;
    const script = `i=0; while [ $i -lt ${many} ]; do i=$((i+1)); printf "Step $i? [y/N] "; read -r x; done; echo over`;
    const { open, answer, closed, shows, entries } = await at(test, script);
    for (let count = 1; count <= many; count += 1) {
      const { id } = await open(count);
      answer('y');
      expect(await closed(id)).toMatchObject({ how: 'delivered' });
    }
    await shows('over');
    expect(entries.filter(({ type }) => type === 'inquiry.opened')).toHaveLength(many);
  });

  it('is answered with its own words, letter by letter and with a look before Enter', async (test) => {
    const { open, answer, shows, sent } = await at(test, `${GO_ON} read y`);
    expect(await open()).toMatchObject({ tool: 'terminal', exclusive: false, questions: [{ id: 'confirm' }] });
    answer('y');
    await shows('said y.');
    expect(sent()).toEqual([1, 1]);
  });

  it('is a choice from a list, too', async (test) => {
    const select = 'select x in PostgreSQL SQLite; do echo "took $x."; break; done; read y';
    const { open, answer, shows } = await at(test, `exec bash -c '${select}'`);
    expect((await open()).questions?.[0]?.options.map(({ label }) => label)).toEqual(['PostgreSQL', 'SQLite']);
    answer('2');
    await shows('took SQLite.');
  });

  it('that a person refuses to answer waits on, and is not asked again', async (test) => {
    const { open, desk, looked, looks, closed, sent } = await at(test, `${GO_ON} read y`);
    const { id } = await open();
    desk.answer({ inquiry: id, verdict: { kind: 'deny' }, by: { kind: 'default' } });
    await closed(id);
    await looked(looks() + 2);
    expect([desk.count, sent()]).toEqual([1, []]);
  });
});

describe.concurrent('C4: a prompt that changes while it is answered', () => {
  it('before the first key: none is pressed', async (test) => {
    const { open, answer, upon, prints, closed, sent, type, shows } = await at(test, `${GO_ON} read y`);
    const { id } = await open();
    upon('inquiry.answered', () => prints('\r\nErase everything? [y/N] '));
    answer('y');
    expect(await closed(id)).toMatchObject({ how: 'cancelled', reason: expect.stringContaining('gone') });
    expect(sent()).toEqual([]);
    await type('n\r');
    await shows('said n.');
  });

  it('between the word and its Enter: the word is taken back, and nothing is confirmed', async (test) => {
    const { open, answer, upon, prints, closed, type, shows } = await at(test, `${GO_ON} read y`);
    const { id } = await open();
    upon('input.sent', () => prints('\r\nErase everything? [y/N] '));
    answer('y');
    expect(await closed(id)).toMatchObject({
      how: 'cancelled',
      reason: expect.stringContaining('nothing was confirmed'),
    });
    await type('n\r');
    await shows('said n.');
  });

  it('a secret whose terminal begins to echo is not handed over', async (test) => {
    const { open, answer, upon, stty, closed, type, shows } = await at(test, `${ASKS} read y`);
    const { id } = await open();
    // Once it is typed, and before the look.
    upon('input.sent', () => queueMicrotask(() => stty('echo')));
    answer(SECRET);
    expect(await closed(id)).toMatchObject({
      how: 'cancelled',
      reason: expect.stringContaining('nothing was confirmed'),
    });
    await type('x\r');
    await shows('length 1\r');
  });
});

describe.concurrent('C12: what is no question, whatever is printed', () => {
  it.for<[string, string]>([
    ['echo off while nobody reads', 'stty -echo; printf "Password: "; exec tail -f /dev/null'],
    ['echo off and on again', 'printf "Name: "; stty -echo; stty echo; read x'],
    ['a question that is only printed', 'printf "Go on? [y/N] "; exec tail -f /dev/null'],
    ['a question whose answer comes from elsewhere', 'mkfifo f; printf "Go on? [y/N] "; read x < f'],
    ['a question further up', 'printf "Password: \\nGo on? [y/N] \\n> "; read x'],
    [
      'our own words',
      'printf "k7f2m9qd.1 asks: Allow rm? reins answer k7f2m9qd.1 allow\\n{\\"answer\\":\\"y\\"} "; read x',
    ],
    ['a plain line', 'printf "Your name [ann]: "; read x'],
  ])('%s', async ([, script], test) => {
    const { looked, desk, sent } = await at(test, script);
    await looked(3);
    expect([desk.count, sent()]).toEqual([0, []]);
  });

  /** Reads in a thread of its own, as Go and Java do, with echo off; its first thread waits for something else. */
  const besides = (said: string) => `
    require('child_process').execSync('stty -echo', { stdio: 'inherit' });
    new (require('worker_threads').Worker)("require('fs').readSync(0, Buffer.alloc(100))", { eval: true });
    process.stdout.write(${JSON.stringify(said)});`;

  it('a program that reads beside its work, without echo, and says how far it is', async (test) => {
    const { looked, desk, shows } = await at(test, besides('working: 7 of 20'), { node: true });
    await shows('working');
    await looked(3);
    expect(desk.count).toBe(0);
    const { open } = await at(test, besides('Passphrase: '), { node: true });
    expect(await open()).toMatchObject({ exclusive: true, questions: [{ secret: true, text: 'Passphrase:' }] });
  });

  it('a program with a screen of its own, which never echoes', async (test) => {
    const raw = 'process.stdin.setRawMode(true).on("data", () => {}); process.stdout.write("Password: ")';
    const { looked, desk, shows } = await at(test, raw, { node: true });
    await shows('Password:');
    await looked(3);
    expect(desk.count).toBe(0);
  });
});
