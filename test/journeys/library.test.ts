/** The library from a program of its own, against real hosts: what it reads, what it answers, what it leaves behind. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { type Ended, type Running, startReins } from './support/cli.js';
import { json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const LIBRARY = join(import.meta.dirname, '../../dist/index.js');

function program(world: World, code: string): Running {
  const cli = world.write(`${world.root}/program.mjs`, `import * as reins from '${LIBRARY}';\n${code}`);
  return startReins(world, [], { cli });
}

/** What it printed as its last line, as JSON. */
async function result<T>(world: World, code: string): Promise<T> {
  const { code: exit, stdout, stderr }: Ended = await program(world, code).done;
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as T;
}

const rows = (world: World): Promise<SessionRow[]> => json(world, ['ls']);

describe('a session of a program', () => {
  test('ends with the program, also by kill -9; a detached one lives on', async () => {
    const world = newWorld();
    const running = program(
      world,
      `await reins.startSession({ command: ['sh', '-c', 'setsid sleep 300 & sleep 300'], name: 'tied' });
       const free = await reins.startSession({ command: ['sleep', '300'], name: 'free', detach: true });
       console.log(free.id);
       setInterval(() => undefined, 1000);`,
    );
    await until('its sessions', () => running.stdout.includes('\n'));
    expect((await rows(world)).map(({ name }) => name).sort()).toEqual(['free', 'tied']);
    process.kill(running.pid, 'SIGKILL');
    await until('the end of the tied one', async () => (await rows(world)).length === 1);
    const [left] = await rows(world);
    expect(left).toMatchObject({ name: 'free', state: 'working' });
    // What the other started is gone too: all that still runs is the host and the sleep of this one.
    expect(world.running().filter((line) => line.includes('sleep'))).toHaveLength(1);
    await result(
      world,
      `const one = await reins.openSession('free'); console.log(JSON.stringify(await one.stop())); one.detach();`,
    );
  });

  test('a slow reader of its output gets every byte; nothing piles up in the program', async () => {
    const world = newWorld();
    const bytes = 24 * 1024 * 1024;
    const got = await result<{ read: number; wrong: number; kinds: string[]; most: number }>(
      world,
      `import { setFlagsFromString } from 'node:v8';
       import { runInNewContext } from 'node:vm';
       setFlagsFromString('--expose-gc');
       const gc = runInNewContext('gc');
       const session = await reins.startSession({ command: ['sh', '-c', 'head -c ${bytes} /dev/zero | tr "\\\\0" x'], pty: false });
       let read = 0, wrong = 0, most = 0, pieces = 0;
       const kinds = new Set();
       for await (const piece of session.output()) {
         if (piece.offset !== read) wrong += 1;
         read += piece.bytes.length;
         kinds.add(piece.kind);
         // A reader that takes its time: other things run between two pieces.
         await new Promise((next) => setTimeout(next, 1));
         if (++pieces % 20 !== 0) continue;
         gc();
         most = Math.max(most, process.memoryUsage().arrayBuffers);
       }
       console.log(JSON.stringify({ read, wrong, most, kinds: [...kinds] }));`,
    );
    expect(got).toMatchObject({ read: bytes, wrong: 0, kinds: ['output'] });
    expect(got.most).toBeLessThan(bytes / 2);
  });

  test('entries come in order and whole, from the first or from any other', async () => {
    const world = newWorld();
    const got = await result<{ all: number[]; later: number[]; types: string[] }>(
      world,
      `const session = await reins.startSession({ agent: 'practice', prompt: 'loop please' });
       const all = [], types = [];
       for await (const entry of session.entries()) { all.push(entry.seq); types.push(entry.type); await new Promise((next) => setImmediate(next)); }
       const { outcome } = await session.wait();
       console.log(JSON.stringify({ all, types, later: [], outcome }));`,
    );
    expect(got.all).toEqual(got.all.map((_, index) => index + 1));
    expect(got.types[0]).toBe('session.started');
    expect(got.types.at(-1)).toBe('session.ended');
    expect(got.types.filter((type) => type === 'iteration.started')).toHaveLength(3);
  });

  test('what it printed and what happened is still there for who comes late, also when it is over', async () => {
    const world = newWorld();
    type Late = { text: string; kinds: string[]; types: string[]; later: number[]; told: string[]; shortRead: number };
    const got = await result<Late>(
      world,
      `const late = async (command, pty) => {
         const session = await reins.startSession({ command, pty });
         await session.wait();
         while ((await reins.openSession(session.id).catch(({ code }) => code)) !== 'SESSION_ENDED') await new Promise((next) => setTimeout(next, 20));
         return session;
       };
       const text = [], kinds = new Set();
       for (const pty of [true, false]) {
         for await (const piece of (await late(['sh', '-c', 'echo one; echo two'], pty)).output()) {
           text.push(Buffer.from(piece.bytes).toString());
           kinds.add(piece.kind);
         }
       }
       const session = await late(['sh', '-c', ':']);
       const types = [], later = [];
       for await (const entry of session.entries()) types.push(entry.type);
       for await (const entry of session.entries({ since: 2 })) { later.push(entry.seq); if (later.length === 2) break; }
       // Far more than is kept for nobody: the first of it, and then the truth.
       let shortRead = 0;
       const told = [];
       try {
         for await (const piece of (await late(['sh', '-c', 'head -c 5000000 /dev/zero | tr "\\\\0" x'], false)).output()) {
           if (piece.offset === shortRead) shortRead += piece.bytes.length;
           else told.push('it jumps');
         }
       } catch (error) { told.push(error.code); }
       console.log(JSON.stringify({ text: text.join(''), kinds: [...kinds], types, later, told, shortRead }));`,
    );
    expect(got.text).toBe('one\r\ntwo\r\none\ntwo\n');
    expect(got.kinds).toEqual(['output']);
    expect(got.types[0]).toBe('session.started');
    expect(got.types.filter((type) => type === 'session.ended')).toHaveLength(1);
    expect(got.later).toEqual([3, 4]);
    // All of it, or told that it is not.
    expect(got.shortRead).toBeGreaterThan(200_000);
    if (got.shortRead < 5_000_000) expect(['it jumps', 'SESSION_ENDED']).toContain(got.told[0]);
  });

  test('leaving a loop early closes that link and no other', async () => {
    const world = newWorld();
    const got = await result<{ seen: string; exit: number; viewers: number[] }>(
      world,
      `const session = await reins.startSession({ command: ['sh'] });
       const before = (await session.row()).viewers;
       let seen;
       for await (const entry of session.entries()) { seen = entry.type; break; }
       let after = -1;
       while (after !== before) after = (await session.row()).viewers;
       await session.keys('"exit 7" Enter');
       console.log(JSON.stringify({ seen, exit: (await session.wait()).exit_code, viewers: [before, after] }));`,
    );
    expect(got).toMatchObject({ seen: 'session.started', exit: 7 });
  });
});

describe('answers of a program', () => {
  test('a call is allowed, with the program on record', async () => {
    const world = newWorld();
    const got = await result<{ by: { kind: string }; ran: boolean }>(
      world,
      `import { existsSync } from 'node:fs';
       const session = await reins.startSession({ agent: 'practice', prompt: 'ask for permission', once: true });
       session.onInquiry(({ kind }) => (kind === 'run' ? 'allow' : undefined));
       let by;
       for await (const entry of session.entries()) if (entry.type === 'inquiry.answered') by ??= entry.data.answer.by;
       console.log(JSON.stringify({ by, ran: existsSync('practice.txt') }));`,
    );
    expect(got).toMatchObject({ ran: true, by: { kind: 'viewer' } });
  });

  test.each([
    ['says nothing', 'undefined', {}],
    ['throws', 'Promise.reject(new Error("no model"))', { failed: 'QUIET' }],
    ['is too late', 'new Promise((late) => setTimeout(() => late("allow"), 5000).unref())', { budgetMs: 50 }],
  ])('a handler that %s stands down, and nobody says yes for it', async (_how, reply, options) => {
    const world = newWorld();
    const given = JSON.stringify(options).replace('"QUIET"', '() => undefined');
    const got = await result<{ verdict: string; by: string; ran: boolean }>(
      world,
      `import { existsSync } from 'node:fs';
       const session = await reins.startSession({
         agent: 'practice', prompt: 'ask for permission', once: true, set: ['presence.grace_secs=0'],
       });
       session.onInquiry(() => ${reply}, ${given});
       let answer;
       for await (const entry of session.entries()) if (entry.type === 'inquiry.answered') answer ??= entry.data.answer;
       console.log(JSON.stringify({ verdict: answer.verdict.kind, by: answer.by.kind, ran: existsSync('practice.txt') }));`,
    );
    expect(got).toMatchObject({ verdict: 'deny', ran: false });
    expect(got.by).not.toBe('viewer');
  });

  test('what it may not start, it cannot: a folder nobody trusted, an agent that is not there', async () => {
    const world = newWorld();
    // Whether the file was committed cannot be found out: then it was.
    world.write('.git/index', 'no index of git');
    world.write('reins.yml', 'trust: full\n');
    const got = await result<string[]>(
      world,
      `const codes = [];
       for (const more of [{}, { agent: 'nosuch' }, { agent: 'codex', trustFolder: true }, { command: [] }, { command: ['nosuch'] }]) {
         await reins.startSession({ agent: 'practice', prompt: 'hello', ...more }).catch((error) => codes.push(error.code));
       }
       console.log(JSON.stringify(codes));`,
    );
    expect(got).toEqual(['FOLDER_UNTRUSTED', 'BACKEND_FLAG_UNKNOWN', 'AGENT_NOT_FOUND', 'USAGE', 'COMMAND_NOT_FOUND']);
    expect(await rows(world)).toEqual([]);
  });

  test('a host that dies is told, and nothing is left', async () => {
    const world = newWorld();
    const got = await result<{ code: string }>(
      world,
      `const session = await reins.startSession({ command: ['sh', '-c', 'setsid sleep 300 & sleep 300'] });
       process.kill((await session.row()).pid, 'SIGKILL');
       console.log(JSON.stringify(await session.wait().catch(({ code }) => ({ code }))));`,
    );
    expect(got).toEqual({ code: 'HOST_LOST' });
    await world.empty();
  });
});
