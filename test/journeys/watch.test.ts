/** Sessions watched as they come, ask and go: one link per living host, and none besides. */
import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '../../src/contract/index.js';
import type * as Sessions from '../../src/sessions/index.js';
import type * as Run from '../../src/sessions/run.js';
import type * as Start from '../../src/sessions/start.js';
import { CLI, reins } from './support/cli.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const room = join(CLI, '../../sessions');
const { connectTo, stopSession, watchSessions }: typeof Sessions = await import(join(room, 'index.js'));
const { startSession }: typeof Run = await import(join(room, 'run.js'));
const { UNSEEN }: typeof Start = await import(join(room, 'start.js'));

const whereOf = (world: World) => ({ env: world.env, cwd: world.project, version: '0.0.0-test' });
const sleeper = (world: World, name: string) =>
  startSession(whereOf(world), { argv: ['sleep', '600'], io: 'pipe', name }, UNSEEN).then(({ place }) => place);

/** An agent that asks, with nobody there: it waits. */
async function asking(world: World, name: string, steps?: object[], env: Record<string, string> = {}) {
  const scenario = steps ? JSON.stringify(steps) : 'ask-permission';
  const where = { ...whereOf(world), env: { ...world.env, PRACTICE_SCENARIO: scenario, ...env } };
  const set = ['tools.defaults.detached=defer'];
  const task = { backend: 'practice', prompt: 'go', mode: 'autonomous', once: true, name, set } as const;
  return (await startSession(where, { ...task, set: [...set] }, UNSEEN)).place;
}

/** Whatever this process connects to from now on. */
function connections(): string[] {
  const seen: string[] = [];
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    seen.push(JSON.stringify(args));
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  onTestFinished(() => {
    Socket.prototype.connect = connect;
  });
  return seen;
}

/** Whatever this process writes to sockets from now on, as text. */
function writes(): string[] {
  const seen: string[] = [];
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
    seen.push(typeof args[0] === 'string' ? args[0] : Buffer.from(args[0] as Uint8Array).toString('latin1'));
    return Reflect.apply(write, this, args);
  } as typeof write;
  onTestFinished(() => {
    Socket.prototype.write = write;
  });
  return seen;
}

function watched(world: World) {
  const ending = new AbortController();
  const news: Sessions.SessionNews[] = [];
  const lines: string[] = [];
  const log: Log = { log: (level, text) => lines.push(`${level} ${text}`), room: () => log };
  const done = (async () => {
    for await (const one of watchSessions(whereOf(world), { log, signal: ending.signal })) news.push(one);
  })();
  onTestFinished(async () => {
    ending.abort();
    await done;
  });
  const of = <T extends Sessions.SessionNews['type']>(type: T) =>
    news.filter((one) => one.type === type) as Extract<Sessions.SessionNews, { type: T }>[];
  return { news, lines, of, end: () => ending.abort(), done };
}

test('twenty idle hosts: one link each, and changes elsewhere open none', async () => {
  const world = newWorld();
  const places: Awaited<ReturnType<typeof sleeper>>[] = [];
  for (let at = 0; at < 20; at += 5)
    places.push(...(await Promise.all([1, 2, 3, 4, 5].map((one) => sleeper(world, `s${at + one}`)))));
  const opened = connections();
  const { of } = watched(world);
  await until('all are told', () => of('looked').length === 1);
  expect(new Set(of('row').map(({ row }) => row.name)).size).toBe(20);
  expect(opened).toHaveLength(20);

  const first = await asking(world, 'first');
  await until('it asks', () => of('inquiry').some(({ inquiry }) => inquiry.session === first.id));
  expect((await reins(world, ['answer', `${first.id}.1`, 'deny'])).code).toBe(0);
  await until('it is settled', () => of('settled').some(({ inquiry }) => inquiry === `${first.id}.1`));
  await until('it is over', () => of('gone').some(({ session }) => session === first.id));
  expect((await reins(world, ['stop', places[0]!.id])).code).toBe(0);
  await until('one is gone', () => of('gone').some(({ session }) => session === places[0]!.id));
  // Started and told by other processes: the only one opened here since then is that to the new host.
  expect(opened).toHaveLength(21);
  for (const place of places.slice(1)) await stopSession(whereOf(world), place, { how: 'kill', why: 'over' });
}, 180_000);

test('who came and went before anybody could follow is told as gone, killed ones too', async () => {
  const world = newWorld();
  const { of } = watched(world);
  await until('the first look', () => of('looked').length === 1);
  const places: Awaited<ReturnType<typeof sleeper>>[] = [];
  for (let at = 0; at < 4; at += 1) {
    const task = { argv: at % 2 === 0 ? ['sleep', '0'] : ['sleep', '600'], io: 'pipe', name: `short-${at}` } as const;
    const { place } = await startSession(whereOf(world), { ...task, argv: [...task.argv] }, UNSEEN);
    if (at % 2 === 1) process.kill(place.host!.pid, 'SIGKILL');
    places.push(place);
  }
  for (const { id, name } of places.map(({ id }, at) => ({ id, name: `short-${at}` })))
    await until(
      `the end of ${name}`,
      () => of('gone').some(({ session }) => session === id),
      () => JSON.stringify(of('row').map(({ row }) => [row.name, row.state])),
    );
  // What a killed one ran runs on.
  for (const { id } of places) expect((await reins(world, ['stop', id])).code).toBe(0);
});

test('whether an inquiry waits is told by its host, however long that takes to decide: nobody asks meanwhile', async () => {
  const world = newWorld();
  const { of } = watched(world);
  await until('the first look', () => of('looked').length === 1);
  const place = await asking(world, 'slowly', [
    { wait: 1_500 },
    { tool: 'Bash', input: { command: 'touch slow.txt' } },
  ]);
  // Asked whether somebody is there, it says nothing: policy waits for it as long as it waits for anybody.
  let isAsked = false;
  const silent = await connectTo(whereOf(world), place, {
    presence: () => {
      isAsked = true;
      return new Promise(() => undefined);
    },
  });
  onTestFinished(() => silent.close());
  await silent.attach({ kind: 'api', role: 'watcher', visible: false, bytes: false, entries: false, answers: 'tty' });
  silent.ready();
  await until('policy asks', () => isAsked);
  const said = writes();
  await until('it waits', () => of('inquiry').length === 1);
  expect(of('inquiry')[0]!.inquiry).toMatchObject({ session: place.id, stage: 'deferred' });
  const questions = said.filter((text) => text.includes('"inbox"')).length;
  expect(questions).toBeGreaterThan(0);
  expect(questions).toBeLessThan(5);
  await stopSession(whereOf(world), place, { how: 'kill', why: 'over' });
});

test('one that talks and talks is asked for its row once a second, and its last word is never missed', async () => {
  const world = newWorld();
  const { of } = watched(world);
  await until('the first look', () => of('looked').length === 1);
  const said = writes();
  const from = Date.now();
  const WORDS = 60;
  const words = Array.from({ length: WORDS }, (_, at) => [{ say: `word ${at + 1} of ${WORDS}` }, { wait: 60 }]);
  const place = await asking(world, 'talks', [...words.flat(), { wait: 600_000 }], { PRACTICE_SPEED: '1' });
  const last = () => of('row').findLast(({ row }) => row.id === place.id)?.row.said;
  await until(
    'its last word',
    () => last()?.text.includes(`word ${WORDS} of`),
    () => JSON.stringify(last()),
  );
  const seconds = (Date.now() - from) / 1000;
  const questions = said.filter((text) => text.includes('"summary"')).length;
  // Beside its words it comes, begins and works: each is asked about at once.
  expect(questions).toBeLessThan(seconds + 12);
  await stopSession(whereOf(world), place, { how: 'kill', why: 'over' });
});

test('a host that is killed takes what waited there with it; a mark’s folder that is removed is watched again', async () => {
  const world = newWorld();
  const { of, news } = watched(world);
  await until('the first look', () => of('looked').length === 1);
  const place = await asking(world, 'asks');
  await until('it asks', () => of('inquiry').length === 1);
  const [one] = of('inquiry');
  process.kill(place.host!.pid, 'SIGKILL');
  await until('it is gone', () => of('gone').length === 1);
  const types = news.map(({ type }) => type).filter((type) => type !== 'row');
  expect(types).toEqual(['looked', 'inquiry', 'settled', 'gone']);
  expect(of('settled')).toEqual([{ type: 'settled', inquiry: one!.inquiry.id, session: place.id }]);
  expect((await reins(world, ['stop', place.id])).code).toBe(0);

  rmSync(join(world.state, 'reins', 'live'), { recursive: true, force: true });
  const next = await sleeper(world, 'next');
  await until('it is seen', () => of('row').some(({ row }) => row.id === next.id));
  await stopSession(whereOf(world), next, { how: 'kill', why: 'over' });
  await until('its end too', () => of('gone').some(({ session }) => session === next.id));
});

test('one that is stopped is told as silent, and again when it answers', async () => {
  const world = newWorld();
  const place = await sleeper(world, 'still');
  process.kill(place.host!.pid, 'SIGSTOP');
  const { of } = watched(world);
  await until('it is silent', () => of('silent').length === 1);
  await until('which keeps nobody waiting', () => of('looked').length === 1);
  process.kill(place.host!.pid, 'SIGCONT');
  await until('it answers', () => of('silent').at(-1)?.silent === false && of('row').length > 0);
  await stopSession(whereOf(world), place, { how: 'kill', why: 'over' });
});

test('no watch to be had: hosts are looked for, and it is said', async () => {
  const world = newWorld();
  world.write(join(world.state, 'reins', 'live'), 'not a folder');
  const { of, lines, end, done } = watched(world);
  await until('the first look', () => of('looked').length === 1);
  expect(lines).toEqual([expect.stringContaining('cannot announce themselves')]);
  const place = await sleeper(world, 'found');
  await until('it is found', () => of('row').some(({ row }) => row.id === place.id));
  expect(lines).toHaveLength(1);
  end();
  await done;
  await stopSession(whereOf(world), place, { how: 'kill', why: 'over' });
});
