/** What is left when something dies or the disk refuses: clear words, nothing lost, nothing running unseen. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry, SessionRow } from '../../src/contract/index.js';
import { readJournal } from '../../src/journal/index.js';
import { CLI, reins, startReins } from './support/cli.js';
import { entries, sessionDir } from './support/journal.js';
import { detached, json, linkTo, row, send, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const run = promisify(execFile);

/** Deaf to everything but SIGKILL, and with a child in a session of its own. */
const STUBBORN = 'trap "" HUP TERM INT; setsid sleep 300 & echo started; while :; do sleep 1; done';

test('a host killed with -9: shown as ended with the reason, attach and screen say so, stop ends what it left', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', STUBBORN]);
  await shows(world, id, 'started');
  const { pid } = await row(world, id);
  const following = startReins(world, ['logs', '-f', id, '--format', 'json']);
  // It has what there was, so it is attached.
  await until('the log', () => following.stdout.includes('session.started'));
  process.kill(pid!, 'SIGKILL');
  const followed = await following.done;
  expect([followed.code, followed.stderr]).toEqual([70, expect.stringContaining('went away')]);
  const dead = await until('the end', async () => {
    const now = await row(world, id);
    return now.state === 'ended' ? now : undefined;
  });
  expect(dead).toMatchObject({ outcome: 'failed', pid: null, detail: expect.stringContaining('its host died') });
  expect((await reins(world, ['ls', '--all'])).stdout).toMatch(/host died, [23] processes still run/);
  expect(existsSync(join(sessionDir(world, id), 'host.sock'))).toBe(true);

  const viewer = reinsInTerminal(world, ['attach', id]);
  expect(await viewer.exit()).toBe(30);
  expect(viewer.screen()).toContain('its host died');
  const looked = await reins(world, ['screen', id]);
  expect([looked.code, looked.stderr]).toEqual([30, expect.stringContaining('has ended')]);

  // Two at once: one ends them and names each, the other finds nobody left.
  const stopped = await Promise.all([reins(world, ['stop', id]), reins(world, ['stop', id])]);
  expect(stopped.map(({ code }) => code)).toEqual([0, 0]);
  const [none, all] = stopped.map(({ stdout }) => stdout).toSorted((a, b) => a.length - b.length);
  expect(none).toBe('');
  expect(all).toContain('sleep 300');
  await world.empty();
  expect((await row(world, id)).detail).toBe('its host died');
});

test('a host killed with -9 over a question: stop ends who was consulted and who was to tell a person, and what was shown is gone', async () => {
  const world = newWorld();
  const script = (name: string, words: string) => {
    const file = join(world.root, name);
    world.write(file, `#!/bin/sh\ncat > /dev/null\n: > ${file}.ran\n${words}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const [teller, consultant] = [script('teller', 'exec sleep 301'), script('consultant', 'exec sleep 302')];
  const ladder = '[{ask: 3s}, {auto: 50s}, defer]';
  const settings = [
    `tools.defaults.detached.question=${ladder}`,
    `cli.command=${consultant}`,
    'consult.backend=custom',
  ];
  const told = `notify.command=${teller}`;
  const sets = [...settings, told].flatMap((one) => ['--set', one]);
  const args = ['run', '-b', 'practice', '--once', ...sets, 'Build the shop. We run PostgreSQL.'];
  const id = await detached(world, args, { env: { PRACTICE_SCENARIO: 'ask-single' } });
  await until('both', () => [teller, consultant].every((name) => existsSync(`${name}.ran`)));
  expect(existsSync(join(sessionDir(world, id), 'consult'))).toBe(true);
  const host = (await row(world, id)).pid!;
  process.kill(host, 'SIGKILL');
  // Not by `ls`, which ends who was consulted as well.
  await until('its end', () => !existsSync(`/proc/${host}`));
  const stopped = (await reins(world, ['stop', id])).stdout;
  expect(stopped).toMatch(/sleep 30[12][\s\S]*sleep 30[12]/);
  await world.empty();
  expect(existsSync(join(sessionDir(world, id), 'consult'))).toBe(false);
});

test('a host killed before it recorded anything: replay says there is no recording, not that it is our bug', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', 'echo shown; exec cat']);
  await shows(world, id, 'shown');
  const cast = join(sessionDir(world, id), 'terminal.cast');
  await until('the recording', () => readFileSync(cast, 'utf8').includes('shown'));
  process.kill((await row(world, id)).pid!, 'SIGKILL');
  await until('its end', async () => (await row(world, id)).state === 'ended');
  await reins(world, ['stop', id]);
  // Between two parts, there is none that is being written; what was recorded is there all the same.
  renameSync(cast, `${cast}.000001-${Date.now()}`);
  const between = await reins(world, ['replay', id]);
  expect([between.code, between.stdout]).toEqual([0, expect.stringContaining('shown')]);
  for (const name of readdirSync(sessionDir(world, id)).filter((one) => one.startsWith('terminal.cast')))
    writeFileSync(join(sessionDir(world, id), name), '');
  const replayed = await reins(world, ['replay', id]);
  expect([replayed.code, replayed.stdout, replayed.stderr]).toEqual([
    1,
    '',
    expect.stringContaining(`session ${id} has no recording`),
  ]);
});

test('a pid that was used again is no living host', async () => {
  const world = newWorld();
  const dir = sessionDir(world, 'old2session');
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, 'session.json'),
    JSON.stringify({
      id: 'old2session',
      name: 'old',
      mode: 'exec',
      trust: 'guarded',
      cwd: '/',
      created_at: new Date(0).toISOString(),
      exec: { argv: ['x'], io: 'pty' },
    }),
  );
  writeFileSync(
    join(dir, 'host.json'),
    JSON.stringify({ pid: process.pid, start_ticks: 1, version: '0', protocol: 1 }),
  );
  expect(await row(world, 'old2session')).toMatchObject({ state: 'ended', pid: null, detail: 'its host died' });
  expect(await json<SessionRow[]>(world, ['ls'])).toEqual([]);
});

test('a host that is stopped hides no other session', async () => {
  const world = newWorld();
  const stuck = await detached(world, ['exec', '--name', 'stuck', '--', 'sleep', '300']);
  const well = await detached(world, ['exec', '--name', 'well', '--', 'sleep', '300']);
  const { pid } = await row(world, stuck);
  process.kill(pid!, 'SIGSTOP');
  onTestFinished(() => {
    process.kill(pid!, 'SIGCONT');
  });
  const rows = await json<SessionRow[]>(world, ['ls']);
  expect(rows.find(({ id }) => id === well)).toMatchObject({ state: 'working' });
  expect(rows.find(({ id }) => id === stuck)).toMatchObject({ pid, detail: 'its host does not answer' });
});

test('a disk that refuses: the agent works on, viewers see everything, the trouble is told', async () => {
  const world = newWorld();
  const agent =
    'i=0; while [ $i -lt 3000 ]; do echo "a line of some length, number $i"; i=$((i+1)); done; echo WRITTEN; cat';
  // Files of this host end at 16 KB: for every file it writes, that is a full disk.
  const started = await run(
    'bash',
    ['-c', 'ulimit -f 16; exec "$0" "$@"', process.execPath, CLI, 'exec', '-d', '--', 'bash', '-c', agent],
    {
      cwd: world.project,
      env: world.env,
    },
  );
  const id = started.stdout.trim();
  onTestFinished(async () => {
    await reins(world, ['kill', id]);
  });
  await shows(world, id, 'WRITTEN');
  const told = () => entries(world, id).flatMap((one) => (one.type === 'notice' ? [one.data.text] : []));
  // The recording is written a little after the screen shows it.
  await until('the notice', () => told().length > 0);
  expect(told()).toEqual([expect.stringContaining('The recording stopped: EFBIG')]);
  const heard: number[] = [];
  const notices: string[] = [];
  const client = await linkTo(world, id, {
    entry: (one) => {
      heard.push(one.seq);
      if (one.type === 'notice') notices.push(one.data.text);
    },
  });
  await client.attach({
    kind: 'api',
    role: 'watcher',
    visible: true,
    bytes: false,
    entries: true,
    answers: 'no',
    since: { seq: 0 },
  });
  client.ready();
  for (let sent = 0; sent < 150; sent += 1) await client.command('keys', { keys: 'x' });
  await client.command('keys', { keys: 'Enter' });
  await until('the trouble', () => notices.some((text) => text.includes('The journal cannot be written')));
  await until('every entry', () => heard.length >= 155);
  // Nothing lost, nothing doubled for whoever watches, whatever the disk does.
  expect(heard).toEqual(heard.map((_, index) => index + 1));
  await shows(world, id, 'x'.repeat(100));
  expect(await row(world, id)).toMatchObject({
    state: 'working',
    detail: expect.stringMatching(/^its journal cannot be written: EFBIG/),
  });
  const onDisk = readJournal(join(sessionDir(world, id), 'journal.jsonl'));
  expect(onDisk.map((one) => one.seq)).toEqual(onDisk.map((_, index) => index + 1));
  expect((await reins(world, ['stop', id])).code).toBe(0);
  await world.empty();
  // It did not die: it left in order, and only its last words are missing.
  expect(await row(world, id)).toMatchObject({ state: 'ended', detail: 'its end could not be written down' });
});

test('a directory that is removed under a session: the agent works on, viewers are told, it is found again', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer']);
  await shows(world, id, '/help');
  const heard: Entry[] = [];
  const client = await linkTo(world, id, { entry: (one) => heard.push(one) });
  await client.attach({
    kind: 'api',
    role: 'watcher',
    visible: true,
    bytes: false,
    entries: true,
    answers: 'no',
    since: { seq: 0 },
  });
  client.ready();
  rmSync(sessionDir(world, id), { recursive: true });
  await until('the notice', () => heard.some((one) => one.type === 'notice' && /was made again/.test(one.data.text)));
  const found = await row(world, id);
  expect([found.id, found.pid !== null, found.state]).toEqual([id, true, 'idle']);
  // The agent's hook still finds its host, and the journal is whole.
  await send(world, id, 'ask a question');
  await until('the inquiry', () => heard.some((one) => one.type === 'inquiry.opened'));
  await until('the same on disk', () => entries(world, id).some((one) => one.type === 'inquiry.opened'));
  const seqs = entries(world, id).map((one) => one.seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect((await reins(world, ['stop', id])).code).toBe(0);
  expect((await row(world, id)).state).toBe('ended');
});

test('a disk that lets nothing be removed: whoever watches still hears the end', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'cat']);
  const ends: [number | undefined, string][] = [];
  const client = await linkTo(world, id, { end: (exit, reason) => ends.push([exit, reason]) });
  const file = join(sessionDir(world, id), 'host.json');
  rmSync(file);
  mkdirSync(join(file, 'immovable'), { recursive: true });
  await client.command('stop', { how: 'stop', why: 'the test' });
  await until('the end', () => ends.length > 0);
  expect(ends).toEqual([[143, 'stopped (the test)']]);
  await world.empty();
});

test('a state directory that cannot be written: nothing starts, and the error says which and why', async () => {
  const world = newWorld();
  const file = world.write('not-a-directory', '');
  const ended = await reins(world, ['exec', '-d', '--', 'cat'], { env: { XDG_STATE_HOME: file } });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain(`the state directory ${file}/reins`);
  expect(ended.stderr).toContain('ENOTDIR');
  expect(ended.stderr).toContain('XDG_STATE_HOME');
  expect(readFileSync(file, 'utf8')).toBe('');
});
