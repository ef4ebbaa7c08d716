/**
 * Rows that hosts have written down are as true as those they are asked for: whatever was done before somebody looks is in
 * them, and a file that is old, wrong or somebody else's is not believed (decision 046).
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type * as Sessions from '../../src/sessions/index.js';
import type * as Run from '../../src/sessions/run.js';
import type * as Start from '../../src/sessions/start.js';
import { CLI, reins } from './support/cli.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const room = join(CLI, '../../sessions');
const { connectTo, openInquiries, rowOf }: typeof Sessions = await import(join(room, 'index.js'));
const { startSession }: typeof Run = await import(join(room, 'run.js'));
const { UNSEEN }: typeof Start = await import(join(room, 'start.js'));

const whereOf = (world: World) => ({ env: world.env, cwd: world.project, version: '0.0.0-test' });

async function started(world: World, task: Parameters<typeof startSession>[1], env: NodeJS.ProcessEnv = {}) {
  const { place } = await startSession({ ...whereOf(world), env: { ...world.env, ...env } }, task, UNSEEN);
  onTestFinished(async () => void (await reins(world, ['kill', place.id])));
  const file = join(place.dir, 'row.json');
  await until('its row is written', () => existsSync(file));
  return { place, file };
}

function connections(): { count: number } {
  const seen = { count: 0 };
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    seen.count += 1;
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  onTestFinished(() => {
    Socket.prototype.connect = connect;
  });
  return seen;
}

test('what was done is seen at once, whether it is read or asked for', async () => {
  const world = newWorld();
  const where = whereOf(world);
  const { place } = await started(world, { argv: ['sleep', '600'], io: 'pipe' });
  const opened = connections();
  const client = await connectTo(where, place);
  onTestFinished(() => client.close());
  const state = async () => (await rowOf(where, place))?.state;
  for (let count = 0; count < 20; count += 1) {
    await client.command('pause');
    expect(await state()).toBe('paused');
    await client.command('resume');
    expect(await state()).toBe('working');
  }
  await until('it is at rest, and nobody asks', async () => {
    const before = opened.count;
    expect(await state()).toBe('working');
    return opened.count === before;
  });
});

test('what waits is asked for where something waits, and seen until it is answered', async () => {
  const world = newWorld();
  const where = whereOf(world);
  const set = ['tools.defaults.detached=defer'];
  const task = { backend: 'practice', prompt: 'go', mode: 'autonomous', once: true, set } as const;
  await started(world, { argv: ['sleep', '600'], io: 'pipe' });
  const { place, file } = await started(world, { ...task, set: [...set] }, { PRACTICE_SCENARIO: 'ask-permission' });
  await until('it asks', async () => (await openInquiries(where)).inquiries.length === 1);
  await until('that is written', () => (JSON.parse(readFileSync(file, 'utf8')) as { row: object }).row);
  const opened = connections();
  await until('only that one is asked', async () => {
    const before = opened.count;
    expect((await openInquiries(where)).inquiries).toMatchObject([{ session: place.id }]);
    return opened.count === before + 1;
  });
  expect((await reins(world, ['answer', `${place.id}.1`, 'deny'])).code).toBe(0);
  expect((await openInquiries(where)).inquiries).toEqual([]);
});

test('a file that is old, wrong, torn or no file is not believed', async () => {
  const world = newWorld();
  const where = whereOf(world);
  const { place, file } = await started(world, { argv: ['sleep', '600'], io: 'pipe', name: 'real' });
  const good = JSON.parse(readFileSync(file, 'utf8')) as { number: number; row: object };
  const lie = { ...good, row: { ...good.row, name: 'lie' } };
  const { name: _, ...nameless } = lie.row;
  const wrong = [
    { ...lie, number: good.number - 1 },
    { ...lie, number: good.number + 1 },
    { ...lie, pid: 1 },
    { ...lie, start_ticks: 1 },
    { ...lie, row: { ...lie.row, id: 'another' } },
    { ...lie, row: nameless },
    { ...lie, row: { ...lie.row, inquiries: '0' } },
    { ...lie, row: null },
    null,
  ].map((one) => JSON.stringify(one));
  for (const text of [...wrong, '', '{', '\0'.repeat(100), `${JSON.stringify(lie)}${' '.repeat(100_000)}`]) {
    writeFileSync(file, text);
    expect((await rowOf(where, place))?.name, text.slice(0, 300)).toBe('real');
  }
  rmSync(file);
  mkdirSync(file);
  expect((await rowOf(where, place))?.name).toBe('real');
  rmSync(file, { recursive: true });
  await until('it is written again', () => existsSync(file));
  expect((await reins(world, ['stop', place.id])).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});
