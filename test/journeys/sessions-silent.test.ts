/** A host that does not answer, stopped or stuck: it is named, it can be left, and it can be ended. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entry, sessionDir } from './support/journal.js';
import { detached, row, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const TREE = ['exec', '--', 'bash', '-c', 'setsid sleep 300 & echo there; exec sleep 300'];

/** At rest it has written down its row, which must not be believed any more once it does not answer. */
const wroteRow = (world: World, id: string) =>
  until('its row is written', () => existsSync(join(sessionDir(world, id), 'row.json')));

async function stopped(world: World): Promise<string> {
  const id = await detached(world, TREE);
  await shows(world, id, 'there');
  await wroteRow(world, id);
  process.kill((await row(world, id)).pid!, 'SIGSTOP');
  return id;
}

/** Its host takes connections, and turns in a circle, or waits for what never comes. */
async function stuck(world: World, how = 'for (;;);'): Promise<string> {
  const now = join(world.project, `now-${how.length}`);
  const bug = world.write(
    `bug-${how.length}.cjs`,
    `const fs = require('node:fs');
     if (process.argv[1]?.endsWith('host/main.js')) {
       setInterval(() => { if (fs.existsSync(${JSON.stringify(now)})) { fs.writeFileSync(${JSON.stringify(now)} + '.seen', ''); ${how} } }, 10);
     }`,
  );
  const id = await detached(world, TREE, { env: { NODE_OPTIONS: `--require ${bug}` } });
  await shows(world, id, 'there');
  await wroteRow(world, id);
  writeFileSync(now, '');
  await expect.poll(() => existsSync(`${now}.seen`), { timeout: 20_000 }).toBe(true);
  return id;
}

test.each([
  ['kill', stopped],
  ['stop', stopped],
  ['kill', (world: World) => stuck(world)],
  ['stop', (world: World) => stuck(world)],
] as const)('S3: reins %s ends a host that does not answer, and everything it ran', async (command, make) => {
  const world = newWorld();
  const id = await make(world);
  const ended = await reins(world, [command, id]);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('does not answer')]);
  expect(ended.stdout).toMatch(/\tkilled\tits host\n[\s\S]*sleep 300/);
  await world.empty();
  // And the end is on record.
  expect((await entry(world, 'session.ended', { session: id })).data).toMatchObject({ reason: 'its host died' });
  expect(existsSync(join(sessionDir(world, id), 'host.json'))).toBe(false);
});

test('S3: ls and inbox name it, and show the others', async () => {
  const world = newWorld();
  const ids = [
    await stopped(world),
    await stuck(world),
    await stuck(world, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'),
  ];
  const well = await detached(world, ['exec', '--name', 'well', '--', 'sleep', '300']);
  const [listed, inbox] = await Promise.all([reins(world, ['ls']), reins(world, ['inbox'])]);
  expect(listed.stdout).toContain(well);
  for (const id of ids) {
    expect(listed.stdout).toMatch(new RegExp(`${id}.*its host does not answer`));
    for (const { code, stderr } of [listed, inbox]) {
      expect([code, stderr]).toEqual([0, expect.stringContaining(`the host of ${id} does not answer`)]);
    }
  }
  expect(inbox.stderr).not.toContain('Nothing waits');
});

test.each([
  ['Ctrl-]', '\x1d', 0],
  ['Ctrl-C', '\x03', 130],
])('S3: a terminal on it can be left with %s, whether it was attached before or after', async (_, key, code) => {
  const world = newWorld();
  const id = await detached(world, TREE);
  const before = reinsInTerminal(world, ['attach', id]);
  await before.waitFor('there');
  const { pid } = await row(world, id);
  process.kill(pid!, 'SIGSTOP');
  const after = reinsInTerminal(world, ['attach', id]);
  for (const terminal of [before, after]) {
    await terminal.waitFor('does not answer');
    terminal.type(key);
    expect(await terminal.exit()).toBe(code);
    await terminal.waitFor(`reins kill ${id}`);
  }
});

test('S3: one that comes to again is shown again', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'cat']);
  const terminal = reinsInTerminal(world, ['attach', id]);
  await entry(world, 'driver.changed', { session: id });
  terminal.type('one\r');
  await terminal.waitFor('one');
  const { pid } = await row(world, id);
  process.kill(pid!, 'SIGSTOP');
  await terminal.waitFor('does not answer');
  process.kill(pid!, 'SIGCONT');
  await terminal.waitFor((screen) => !screen.split('\n').slice(-30).join('\n').includes('does not answer'));
  terminal.type('two\r');
  await terminal.waitFor('two');
  terminal.type('\x1d');
  expect(await terminal.exit()).toBe(0);
});
