/**
 * Thousands of sessions that have ended: what it takes to list, find and complete is counted in files opened and
 * connections made by the built command line, and does not grow with them. The list of ended ones may be lost, torn or
 * wrong at any time.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { reins } from './support/cli.js';
import { entry, sessionDir } from './support/journal.js';
import { worker } from './support/loop.js';
import { detached, json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const ENDED = 5000;
const LIVE = 12;

/** A session that ended in order, as its host leaves it: made by hand, because five thousand take too long otherwise. */
function endedOnes(world: World, count: number, like: string): void {
  const spec = JSON.parse(readFileSync(join(sessionDir(world, like), 'session.json'), 'utf8')) as object;
  const journal = readFileSync(join(sessionDir(world, like), 'journal.jsonl'));
  for (let index = 0; index < count; index += 1) {
    const id = `e${String(index).padStart(7, '0')}`;
    const created_at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
    mkdirSync(sessionDir(world, id));
    writeFileSync(
      join(sessionDir(world, id), 'session.json'),
      JSON.stringify({ ...spec, id, name: `old-${index % 1000}`, created_at }),
    );
    writeFileSync(join(sessionDir(world, id), 'journal.jsonl'), journal);
  }
}

interface Counted {
  files: number;
  connections: number;
  stdout: string;
  stderr: string;
  code: number | null;
}

/** Runs the command line with every way to open a file of a session, and to connect, counted. */
async function counted(world: World, args: string[]): Promise<Counted> {
  const log = join(world.root, 'counted');
  const preload = world.write(
    join(world.root, 'count.mjs'),
    `import fs from 'node:fs'; import net from 'node:net'; import { syncBuiltinESMExports } from 'node:module';
const counts = { files: 0, connections: 0 };
for (const name of ['openSync', 'readFileSync', 'statSync', 'existsSync', 'lstatSync', 'readdirSync', 'open']) {
  const real = fs[name];
  fs[name] = (...args) => { if (String(args[0]).includes('/reins/sessions/')) counts.files += 1; return real(...args); };
}
const connect = net.connect;
net.connect = net.createConnection = (...args) => { counts.connections += 1; return connect(...args); };
syncBuiltinESMExports();
process.on('exit', () => fs.writeFileSync(${JSON.stringify(log)}, JSON.stringify(counts)));`,
  );
  const { stdout, stderr, code } = await reins(world, args, { env: { NODE_OPTIONS: `--import ${preload}` } });
  return { ...(JSON.parse(readFileSync(log, 'utf8')) as { files: number; connections: number }), stdout, stderr, code };
}

/** Hosts that have nothing to do have written down how things stand: `ls` and `inbox` connect to none of them. */
async function atRest(world: World, ids: string[]): Promise<void> {
  const isWritten = (id: string) => existsSync(join(sessionDir(world, id), 'row.json'));
  await until('their rows are written', () => ids.every(isWritten));
  for (const command of ['ls', 'inbox'])
    await until(`${command} connects to none`, async () => (await counted(world, [command])).connections === 0);
}

const listFile = (world: World) => join(world.state, 'reins', 'ended');

describe('with thousands of ended sessions', () => {
  test('ls, inbox, look-up by name, attach and completion take as much as with none', async () => {
    const world = newWorld();
    const first = await reins(world, ['exec', '--name', 'first', '--', 'sh', '-c', ':']);
    expect(first.code).toBe(0);
    const [model] = readdirSync(join(world.state, 'reins', 'sessions'));
    const live: string[] = [];
    for (let count = 0; count < LIVE; count += 1)
      live.push(await detached(world, ['exec', '--name', `live-${count}`, '--', 'sleep', '600']));
    const commands: string[][] = [
      ['ls', '-q'],
      ['inbox'],
      ['screen', 'live-3'],
      ['logs', 'live-7'],
      ['attach', 'live-5'],
      ['__complete', 'attach', ''],
      ['__complete', 'logs', ''],
      ['doctor', '--json'],
      ['screen', 'nobody'],
    ];
    await atRest(world, live);
    const few: Counted[] = [];
    for (const args of commands) few.push(await counted(world, args));

    endedOnes(world, ENDED, model!);
    // The first look makes the list.
    expect((await reins(world, ['ls', '-q'])).stdout.trim().split('\n').sort()).toEqual([...live].sort());
    expect(readFileSync(listFile(world), 'utf8').split('\n').length).toBeGreaterThan(ENDED);

    for (const [index, args] of commands.entries()) {
      const many = await counted(world, args);
      const before = few[index]!;
      expect(many.code, args.join(' ')).toBe(before.code);
      // Who lists them all asks those that are not at rest in that very moment.
      const isOfAll = ['ls', 'inbox', 'doctor'].includes(args[0]!);
      if (!isOfAll) expect(many.connections, args.join(' ')).toBe(before.connections);
      expect(many.files, args.join(' ')).toBeLessThanOrEqual(before.files + 2);
      if (args[0] === 'ls' || args[0] === 'screen') expect(many.stdout).toBe(before.stdout);
    }
    // An ended one by its name: the newest of that name are looked at, not all.
    const old = await counted(world, ['logs', 'old-17']);
    expect(old.code).toBe(30);
    expect(old.stderr).toContain('e0004017, e0003017');
    expect(old.files).toBeLessThan(few[0]!.files + 30);
    const one = await counted(world, ['logs', 'e0000017']);
    expect([one.code, one.connections]).toEqual([0, 0]);
    expect(one.files).toBeLessThan(10);
    expect((await json<SessionRow[]>(world, ['ls', '--all'])).length).toBe(ENDED + LIVE + 1);
  });

  test('the list of ended ones may be lost, torn or wrong: what is alive is seen', async () => {
    const world = newWorld();
    await reins(world, ['exec', '--', 'sh', '-c', ':']);
    const [model] = readdirSync(join(world.state, 'reins', 'sessions'));
    endedOnes(world, 30, model!);
    const live = await detached(world, ['exec', '--name', 'here', '--', 'sleep', '600']);
    const ids = async () => (await reins(world, ['ls', '-q'])).stdout.trim();
    expect(await ids()).toBe(live);
    for (const wrong of [
      '',
      'no list at all\n',
      '\0\0\0',
      `${live} "here"\n`,
      'e0000001 "x',
      `e0000001 "x"\ne0000002 "`,
    ]) {
      writeFileSync(listFile(world), wrong);
      expect(await ids(), JSON.stringify(wrong)).toBe(live);
    }
    rmSync(listFile(world));
    mkdirSync(listFile(world));
    expect(await ids()).toBe(live);
    rmSync(listFile(world), { recursive: true });
    rmSync(join(world.state, 'reins', 'live'), { recursive: true });
    expect(await ids()).toBe(live);
    // A name the list has wrong is not believed.
    appendFileSync(listFile(world), 'e0000003 "mine"\n');
    expect((await reins(world, ['logs', 'mine'])).code).toBe(30);
  });

  test('a session that ended, was listed, and is continued is seen again, also after its host was killed', async () => {
    const world = newWorld();
    const run = worker(
      world,
      `while (fs.existsSync('hold')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); say('working'); done();`,
    );
    expect((await reins(world, [...run, '--max-iterations', '1', '-p', 'go'])).code).toBe(3);
    const [id] = readdirSync(join(world.state, 'reins', 'sessions'));
    mkdirSync(join(world.state, 'reins'), { recursive: true });
    writeFileSync(listFile(world), `${id} "project"\n`);
    expect((await reins(world, ['ls', '-q'])).stdout).toBe('');
    world.write('hold', '');
    const goOn = ['run', '-d', '--continue', id!, '--max-iterations', '3'];
    expect(await reins(world, goOn)).toMatchObject({ code: 0 });
    expect((await reins(world, ['ls', '-q'])).stdout.trim()).toBe(id);
    // The list alone would hide it; the host makes its mark again when somebody takes it away.
    const mark = join(world.state, 'reins', 'live', id!);
    rmSync(mark);
    await until('the mark is made again', () => existsSync(mark));
    const started = await entry(world, 'session.started', { session: id!, is: ({ data }) => data.continues === true });
    process.kill(started.data.host_pid, 'SIGKILL');
    await until('its death is seen', async () => (await reins(world, ['doctor', '--json'])).stdout.includes(`"${id}"`));
    rmSync(join(world.project, 'hold'));
    expect((await reins(world, ['stop', id!])).code).toBe(0);
    expect((await reins(world, ['ls', '-q'])).stdout).toBe('');
    expect((await reins(world, ['rm', id!])).code).toBe(0);
  });
});
