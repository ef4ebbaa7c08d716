/** What lies in the state directory may be anything: one odd thing is named, and nothing else suffers. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Entry, EntryType, SessionRow } from '../../src/contract/index.js';
import { calls, fakeAgent } from './support/agents.js';
import { CLI, reins, startReins } from './support/cli.js';
import { entries, entry, onlySession, sessionDir } from './support/journal.js';
import { detached, json, row, shows } from './support/session.js';
import { reinsInTerminal, Terminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const ofType = <T extends EntryType>(world: World, id: string, type: T) =>
  entries(world, id).filter(({ type: is }) => is === type) as Entry<T>[];

const shell = (line: string, argument: string, env: NodeJS.ProcessEnv = process.env) =>
  execFileSync('sh', ['-c', line, argument], { env, stdio: 'ignore' });

const isRoot = process.getuid?.() === 0;
const SPEC = { v: 1, name: 'odd', mode: 'exec', trust: 'guarded', cwd: '/', created_at: new Date(0).toISOString() };

/** Each makes a directory that is no session. */
const ODD: [string, (dir: string, id: string) => void, RegExp][] = [
  [
    'newer',
    (dir, id) => writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...SPEC, id, v: 2, reins: '9.0' })),
    /another version/,
  ],
  ['shapes', (dir) => writeFileSync(join(dir, 'session.json'), '{"v":1,"id":17}'), /not one of this session/],
  ['torn', (dir) => writeFileSync(join(dir, 'session.json'), '{"v":1,'), /damaged/],
  ['folder', (dir) => mkdirSync(join(dir, 'session.json')), /it is a folder/],
  ['pipe', (dir) => shell('mkfifo "$0"', join(dir, 'session.json')), /not a file/],
  ['circle', (dir) => symlinkSync('session.json', join(dir, 'session.json')), /circle/],
  ['hostpipe', (dir) => shell('mkfifo "$0"', join(dir, 'host.json')), /not a file/],
  [
    'journalfolder',
    (dir, id) => {
      writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...SPEC, id }));
      mkdirSync(join(dir, 'journal.jsonl'));
    },
    /it is a folder/,
  ],
  [
    'journalcircle',
    (dir, id) => {
      writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...SPEC, id }));
      symlinkSync('journal.jsonl', join(dir, 'journal.jsonl'));
    },
    /circle/,
  ],
  [
    'journalpipe',
    (dir, id) => {
      writeFileSync(join(dir, 'session.json'), JSON.stringify({ ...SPEC, id }));
      shell('mkfifo "$0"', join(dir, 'journal.jsonl'));
    },
    /not a file/,
  ],
];

test('S5: odd directories are named with what is wrong, and everything else is listed', async () => {
  const world = newWorld();
  const well = await detached(world, ['exec', '--name', 'well', '--', 'sleep', '300']);
  for (const [id, make] of ODD) {
    mkdirSync(sessionDir(world, id), { recursive: true });
    make(sessionDir(world, id), id);
  }
  // No directories at all, where sessions are.
  symlinkSync('ring', sessionDir(world, 'ring'));
  symlinkSync(world.project, sessionDir(world, 'elsewhere'));
  shell('mkfifo "$0"', sessionDir(world, 'plainpipe'));
  const listed = await reins(world, ['ls', '--all']);
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining(well)]);
  for (const [id, , wrong] of ODD) {
    expect(
      listed.stderr.split('\n').find((line) => line.startsWith(`! ${id}:`)),
      id,
    ).toMatch(wrong);
  }
  expect((await json<SessionRow[]>(world, ['ls', '--all'])).map(({ id }) => id)).toEqual([well]);
  // By name, and whatever else looks through all of them.
  for (const args of [['logs', 'well'], ['inbox'], ['digest'], ['stop', 'well']]) {
    expect({ args, code: (await reins(world, args)).code }).toEqual({ args, code: 0 });
  }
  for (const id of ['journalfolder', 'journalpipe', 'journalcircle']) {
    const logs = await reins(world, ['logs', id]);
    expect([logs.code, logs.stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
    expect(logs.stderr).not.toContain('    at ');
  }
  const doctor = await reins(world, ['doctor']);
  expect(doctor.stderr).not.toContain('    at ');
});

/** As another user, who may look into the folder but not at the files. */
describe.runIf(isRoot)('S5: as another user', () => {
  const other = (world: World, args: string[]) => {
    chmodSync(world.root, 0o755);
    const command = ['setpriv', '--reuid', '65534', '--clear-groups', process.execPath, CLI, ...args];
    const terminal = new Terminal(world, command as [string, ...string[]], { cols: 200 });
    return terminal.exit().then((code) => ({ code, said: terminal.screen() }));
  };

  test('kill of a living session says whose it is, and fails', async () => {
    const world = newWorld();
    const id = await detached(world, ['exec', '--', 'sleep', '300']);
    for (const dir of [
      world.state,
      join(world.state, 'reins'),
      join(world.state, 'reins/sessions'),
      sessionDir(world, id),
    ]) {
      chmodSync(dir, 0o755);
    }
    const ended = await other(world, ['kill', id]);
    expect(ended.code).toBe(1);
    expect(ended.said).toContain('belongs to another user');
    expect((await row(world, id)).state).toBe('working');
  });

  test('answer with a state directory that cannot be read says so, without a stack', async () => {
    const world = newWorld();
    const id = await detached(world, ['exec', '--', 'sleep', '300']);
    for (const dir of [world.state, join(world.state, 'reins'), join(world.state, 'reins/sessions')])
      chmodSync(dir, 0o755);
    const ended = await other(world, ['answer', `${id}.1`, 'allow']);
    expect(ended.code).not.toBe(70);
    expect(ended.said).toMatch(/permission denied/);
    expect(ended.said).not.toContain('    at ');
  });
});

test('S6: a host that was killed leaves no files, and its session an end', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'sh', '-c', 'echo there; read x']);
  await shows(world, id, 'there');
  process.kill((await row(world, id)).pid!, 'SIGKILL');
  await world.empty();
  const dir = sessionDir(world, id);
  expect(await row(world, id)).toMatchObject({ state: 'ended', outcome: 'failed', detail: 'its host died' });
  expect([existsSync(join(dir, 'host.json')), existsSync(join(dir, 'host.sock'))]).toEqual([false, false]);
  const story = entries(world, id);
  expect(story.at(-1)).toMatchObject({ type: 'session.ended', data: { outcome: 'failed', exit_code: 137 } });
  expect(story.map(({ seq }) => seq)).toEqual(story.map((_, at) => at + 1));
  // As of the last thing that happened: time that nobody worked does not count.
  expect(story.at(-1)!.ts).toBe(story.at(-2)!.ts);
  await row(world, id);
  expect(ofType(world, id, 'session.ended')).toHaveLength(1);
});

test('S6: the hint for a command whose host was killed is possible', async () => {
  const world = newWorld();
  const terminal = reinsInTerminal(world, ['exec', '--', 'sh', '-c', 'setsid sleep 300 & echo there; read x']);
  await terminal.waitFor('there');
  const id = await onlySession(world);
  process.kill((await row(world, id)).pid!, 'SIGKILL');
  expect(await terminal.exit()).toBe(70);
  await terminal.waitFor('went away');
  expect(terminal.screen()).not.toContain('--continue');
  await world.empty();
});

test('S6: a shown loop whose host was killed leaves nothing running', async () => {
  const world = newWorld();
  const terminal = reinsInTerminal(world, ['run', '--tui', '-b', 'practice', 'sleep please']);
  const { session: id } = await entry(world, 'agent.started');
  // Something of the session that no hang-up reaches.
  shell('exec setsid -f sleep "$0"', '300', { ...world.env, REINS_SESSION: id });
  process.kill((await row(world, id)).pid!, 'SIGKILL');
  expect(await terminal.exit()).toBe(70);
  await world.empty();
});

test.runIf(isRoot)('S6: a disk that fills up does not end a running loop', async () => {
  const world = newWorld();
  mkdirSync(world.state);
  shell('mount -t tmpfs -o size=2m tmpfs "$0"', world.state);
  onTestFinished(() => void shell('umount -l "$0"', world.state));
  // An agent that needs no disk; it is given its prompt, and says how far it is.
  fakeAgent(world, 'my-ai', { reads: true });
  world.write('ralph.yml', 'cli:\n  backend: custom\n  command: my-ai\n  prompt_mode: stdin\n');
  const set = ['--set', 'event_loop.cooldown_seconds=1', '--max-iterations', '4'];
  const run = startReins(world, ['run', ...set, '-p', 'go on']);
  const { session: id } = await entry(world, 'iteration.ended');
  const ballast = join(world.state, 'ballast');
  try {
    writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
  } catch {
    // Full, as it should be.
  }
  await until('the third iteration', async () => ((await row(world, id)).iteration ?? 0) >= 3);
  rmSync(ballast);
  const ended = await run.done;
  expect([ended.code, ended.stderr]).toEqual([3, expect.not.stringContaining('cannot be used')]);
  const iterations = ofType(world, id, 'iteration.ended').map(({ data }) => data.outcome);
  expect(iterations).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect(calls(world, 'my-ai').map(({ stdin }) => stdin?.includes('go on'))).toEqual([true, true, true, true]);
});

test('an idle shell is stopped without waiting for it to be killed', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '-i']);
  await shows(world, id, /[#$]/);
  const ended = await reins(world, ['stop', id]);
  expect(ended.stdout).toMatch(/\tterminated\t.*bash/);
});

test('logs of one command shows what it printed', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'sh', '-c', 'printf "\\033[31mred\\033[0m\\nplain\\n"']);
  await entry(world, 'session.ended', { session: id });
  await world.empty();
  const logs = await reins(world, ['logs', id]);
  expect(logs.stdout).toContain('red\nplain\n');
});

test('what was typed unseen leaves no trace of its length', async () => {
  const world = newWorld();
  const read = 'stty -echo; echo ask; read x; stty echo; [[ $x == ????????????? ]] && echo got 13; read y';
  const terminal = reinsInTerminal(world, ['exec', '--', 'bash', '-c', read]);
  await terminal.waitFor('ask');
  for (const key of 'correct horse') terminal.type(key);
  terminal.type('\r');
  await terminal.waitFor('got 13');
  terminal.type('\r');
  expect(await terminal.exit()).toBe(0);
  const id = await onlySession(world);
  await world.empty();
  const cast = readFileSync(join(sessionDir(world, id), 'terminal.cast'), 'utf8');
  const typed = cast
    .split('\n')
    .flatMap((line) => (/^\[[\d.]+,"i",/.test(line) ? [JSON.parse(line)[2] as string] : []));
  expect(typed.join('').replaceAll('\r', '')).toBe('•••');
  for (const { data } of ofType(world, id, 'input.sent')) expect(data.bytes % 64).toBe(0);
});
