/** The log that a host writes about itself: found, read, followed, bounded, private, without secrets, gone with `rm`. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins, startReins } from './support/cli.js';
import { TestHub } from './support/hub.js';
import { entry, onlySession, sessionDir } from './support/journal.js';
import { worker } from './support/loop.js';
import { linkTo } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const HOLD = `while (fs.existsSync('hold')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); say('working'); done();`;

test('start facts, links, commands with their milliseconds and the end; the secret of the environment is in none of it', async () => {
  const world = newWorld();
  world.write('hold', '');
  const secret = 'correct-horse-battery';
  const run = worker(world, HOLD);
  const env = { MY_API_TOKEN: secret };
  expect(await reins(world, [...run, '-d', '--once', '--name', 'talk', '-p', 'go'], { env })).toMatchObject({
    code: 0,
  });
  const id = await onlySession(world);
  const file = join(sessionDir(world, id), 'host.log');
  await entry(world, 'agent.started', { session: id });
  await until('the log', () => existsSync(file));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const follower = startReins(world, ['logs', '--host', '-f', id]);
  await until('its start', () => follower.stdout.includes('started pid='));

  const client = await linkTo(world, id);
  await client.attach({
    kind: 'api',
    role: 'watcher',
    visible: false,
    bytes: false,
    entries: false,
    answers: 'no',
    name: `a page of ${secret}`,
  });
  await client.command('summary');
  await client.command('guide', { text: `never say ${secret}` });
  await expect(client.command('answer', { inquiry: 'nobody-1', words: ['allow'] })).rejects.toMatchObject({});
  await until('the failure', () => follower.stdout.includes('"answer" ms='));
  client.close();
  rmSync(join(world.project, 'hold'));
  await entry(world, 'session.ended', { session: id });
  const { code, stdout } = await follower.done;
  expect(code).toBe(0);
  expect(stdout).toMatch(/ info {2}started pid=\d+ reins=.* mode="autonomous" agent="custom"/);
  expect(stdout).toMatch(/ info {2}attached viewer="v-\w+" kind="api" role="watcher" name="a page of \[redacted\]"/);
  expect(stdout).toMatch(/ info {2}command name="summary" ms=[\d.]+ viewer="v-\w+" who="program .*" may="view"/);
  expect(stdout).toMatch(/ info {2}command name="answer" ms=[\d.]+ code="NO_SUCH_INQUIRY"/);
  expect(stdout).toMatch(/ info {2}link closed viewer="v-\w+" how="detached"/);
  expect(stdout).toMatch(/ info {2}ended outcome="completed" exit_code=0/);
  expect(readFileSync(file, 'utf8')).not.toContain(secret);
  const lines = (await reins(world, ['logs', '--host', 'talk', '--format', 'json'])).stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('ended');

  // What a killed host left half written, and bytes that would steer a terminal, are shown harmless.
  writeFileSync(file, `{"level":"info","time":"t","msg":"a\\u001b[2Jb"}\n{"level":"in\n`);
  const odd = await reins(world, ['logs', '--host', id]);
  expect(odd).toMatchObject({ code: 0 });
  expect(odd.stdout).not.toContain('\x1b');
  expect((await reins(world, ['rm', id])).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});

test('where there is none, that is said', async () => {
  const world = newWorld();
  expect((await reins(world, ['exec', '--', 'sh', '-c', ':'])).code).toBe(0);
  const id = await onlySession(world);
  // It was over at once, or on a busy machine after a while.
  rmSync(join(sessionDir(world, id), 'host.log'), { force: true });
  const { code, stdout, stderr } = await reins(world, ['logs', '--host', id]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('wrote no log');
});

test('`logs --hub`: what the hub did, followed while it runs and read when it is over, without secrets; and it is no session', async () => {
  const world = newWorld();
  const none = await reins(world, ['logs', '--hub']);
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('reins serve')]);
  const secret = 'correct-horse-battery';
  world.env.MY_API_TOKEN = secret;
  const hub = await TestHub.start(world);
  const follower = startReins(world, ['logs', '--hub', '-f']);
  const device = await hub.device('view');
  await until('the device', () => / info {2}hub: device .*right="view"/.test(follower.stdout));
  const page = await device.page();
  page.socket.send(`{"t":"${secret}`);
  await until('the page', () => follower.stdout.includes('a page was cut off'));
  await hub.close();
  const { code, stdout } = await follower.done;
  expect(code).toBe(0);
  expect(stdout).toMatch(/ info {2}hub: started version=.*\n/);
  expect(stdout).toMatch(/ info {2}hub: ended\n$/);
  const after = await reins(world, ['logs', '--hub', '--format', 'json']);
  expect(
    after.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  ).toContain('ended');
  expect(`${stdout}${after.stdout}`).not.toContain(secret);
  for (const args of [['logs'], ['logs', '--hub', 'x']])
    expect(await reins(world, args)).toMatchObject({ code: 2, stderr: expect.stringContaining('reins logs --hub') });
});
