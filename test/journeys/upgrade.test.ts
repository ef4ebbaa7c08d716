/** Reins is replaced or removed under running sessions: each goes on to its end with the code it began with. */
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeAgent } from './support/agents.js';
import { Prefix } from './support/builds.js';
import { reins, startReins } from './support/cli.js';
import { all, entries, entry, onlySession, sessionDir } from './support/journal.js';
import { worker } from './support/loop.js';
import { detached, json, row, send, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const PRACTICE = join(import.meta.dirname, '../../dist/testing/practice/main.js');

const WAYS: [string, (prefix: Prefix) => void][] = [
  ['removed', (prefix) => prefix.remove()],
  ['replaced by another build', (prefix) => void prefix.released()],
];

/** The host has come to rest: it has in hand what it may need later. */
async function atRest(world: World, id: string): Promise<number> {
  const { pid } = await row(world, id);
  const log = join(sessionDir(world, id), 'host.log');
  await until('a host at rest', () => existsSync(log) && readFileSync(log, 'utf8').includes('"msg":"at rest"'));
  return pid!;
}

describe.each(WAYS)('Reins is %s', (_, change) => {
  test('the agent’s hook asks, is answered, and runs what was allowed; the screen is drawn for who comes', async () => {
    const world = newWorld();
    const prefix = new Prefix(world);
    const { cli } = prefix.current();
    const env = { PRACTICE_SCENARIO: 'ask-permission' };
    const args = ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer'];
    const id = await detached(world, args, { cli, env });
    const pid = await atRest(world, id);
    change(prefix);

    await shows(world, id, /practice/i);
    await send(world, id, 'go');
    const { inquiry } = (await entry(world, 'inquiry.opened')).data;
    expect(inquiry).toMatchObject({ tool: 'Bash', kind: 'run' });
    expect(await json(world, ['inbox'])).toMatchObject([{ id: inquiry.id }]);
    expect((await reins(world, ['answer', inquiry.id, 'allow', '--scope', 'session'])).code).toBe(0);
    await until('what was allowed', () => existsSync(join(world.project, 'practice.txt')));

    const viewer = reinsInTerminal(world, ['attach', id]);
    await viewer.waitFor('Done. It said');
    viewer.type('\x1d');
    await viewer.exit();
    expect((await row(world, id)).pid).toBe(pid);
    expect((await reins(world, ['stop', id])).code).toBe(0);
    expect((await reins(world, ['replay', id])).stdout).toContain('Done. It said');
    expect(entries(world, id).filter((one) => one.type === 'notice' && one.data.level === 'error')).toEqual([]);
  });

  test('an agent at the control door asks, rules judge the command, and the loop goes on', async () => {
    const world = newWorld();
    const prefix = new Prefix(world);
    const { cli } = prefix.current();
    // The practice agent of the tree, once it is told to: it is not what is upgraded here.
    const go = join(world.root, 'go');
    fakeAgent(world, 'claude', {
      version: '2.1.0 (Claude Code)',
      body: `whenThere(${JSON.stringify(go)}, () => require('node:child_process').spawn(process.execPath,
        [${JSON.stringify(PRACTICE)}, '--door', 'control', '--scenario', 'ask-permission'], { stdio: 'inherit' })
        .on('exit', (code) => process.exit(code ?? 1)));`,
    });
    const args = ['run', '-b', 'claude', '--set', 'tools.defaults.detached=defer', '--max-iterations', '2', 'go'];
    const id = await detached(world, args, { cli });
    await atRest(world, id);
    change(prefix);

    world.write(go, '');
    for (const nth of [0, 1]) {
      const opened = await until('an inquiry', async () => (await all(world, 'inquiry.opened'))[nth]);
      expect((await reins(world, ['answer', opened.data.inquiry.id, 'allow'])).code).toBe(0);
    }
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'limit', counts: { denied: 0 } });
    expect((await all(world, 'iteration.started')).length).toBe(2);
  });

  test('a loop runs on, and its story can be read', async () => {
    const world = newWorld();
    const prefix = new Prefix(world);
    const { cli } = prefix.current();
    const go = join(world.root, 'go');
    const loop = worker(
      world,
      `if (n === 1) whenThere(${JSON.stringify(go)}, () => { say('one'); done(); });
       else { say('two\\nLOOP_COMPLETE'); done(); }`,
    );
    const id = await detached(world, [...loop, 'work'], { cli });
    await atRest(world, id);
    change(prefix);
    world.write(go, '');
    expect((await entry(world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
    const shown = await reins(world, ['logs', id]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('two')]);
  });

  test('one command in a terminal is looked at for the first time', async () => {
    const world = newWorld();
    const prefix = new Prefix(world);
    const { cli } = prefix.current();
    const id = await detached(world, ['exec', '--', 'bash', '--norc'], { cli });
    await atRest(world, id);
    change(prefix);
    await send(world, id, 'echo sent-$((20+3))');
    await shows(world, id, 'sent-23');
    expect((await reins(world, ['stop', id])).code).toBe(0);
  });
});

test('Reins is replaced under a run in the foreground: it tells what the loop came to, and ends with its code', async () => {
  const world = newWorld();
  const prefix = new Prefix(world);
  const { cli } = prefix.current();
  const go = join(world.root, 'go');
  const loop = worker(world, `whenThere(${JSON.stringify(go)}, () => { say('LOOP_COMPLETE'); done(); });`);
  const run = startReins(world, [...loop, 'work'], { cli });
  await atRest(world, await onlySession(world));
  prefix.released();
  world.write(go, '');
  expect(await run.done).toMatchObject({
    code: 0,
    stdout: 'LOOP_COMPLETE\n',
    stderr: expect.stringContaining('■ completed'),
  });
});

test('Node itself is gone from where it was: the agent’s hook still answers', async () => {
  const world = newWorld();
  const prefix = new Prefix(world);
  const { cli } = prefix.current();
  const node = prefix.node();
  const env = { PRACTICE_SCENARIO: 'ask-permission' };
  const args = ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer'];
  const id = await detached(world, args, { cli, node, env });
  const pid = await atRest(world, id);
  expect(readlinkSync(`/proc/${pid}/exe`)).toBe(node);
  prefix.remove();
  expect(existsSync(node)).toBe(false);
  await send(world, id, 'go');
  const { inquiry } = (await entry(world, 'inquiry.opened')).data;
  expect((await reins(world, ['answer', inquiry.id, 'allow'])).code).toBe(0);
  await until('what was allowed', () => existsSync(join(world.project, 'practice.txt')));
});
