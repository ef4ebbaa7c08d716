/** A session that the last released build started goes on under this one, and the other way round. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Build, Prefix } from './support/builds.js';
import { reins } from './support/cli.js';
import { all, entry } from './support/journal.js';
import { worker } from './support/loop.js';
import { detached, json, keys, linkTo, row, send, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

function released(): { world: World; old: Build } {
  const world = newWorld();
  return { world, old: new Prefix(world).released() };
}

test('a terminal of an older build: listed, looked at, typed into, attached, stopped', async () => {
  const { world, old } = released();
  const id = await detached(world, ['exec', '--', 'bash', '--norc'], { cli: old.cli });
  const link = await linkTo(world, id);
  await link.command('summary');
  expect(link.protocol).toBe(1);
  expect(await row(world, id)).toMatchObject({
    id,
    state: 'working',
    mode: 'exec',
    pid: expect.any(Number),
    reins: old.version,
  });

  expect(await send(world, id, 'echo sent-$((20+3))')).toMatchObject({ verdict: expect.any(String) });
  await shows(world, id, 'sent-23');
  await keys(world, id, 'e c h o Space t y p e d - $ ( ( 4 0 + 2 ) ) Enter');
  await shows(world, id, 'typed-42');
  expect((await reins(world, ['logs', id])).code).toBe(0);

  const viewer = reinsInTerminal(world, ['attach', id]);
  await viewer.waitFor('typed-42');
  viewer.type('echo attached-$((5+5))\r');
  await viewer.waitFor('attached-10');
  viewer.type('\x1d');
  await viewer.exit();

  const stopped = await reins(world, ['stop', id]);
  expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining('bash')]);
  expect(await row(world, id)).toMatchObject({ state: 'ended', outcome: 'stopped' });
  expect((await reins(world, ['replay', id])).stdout).toContain('attached-10');
});

test.each([
  ['control', ['run', '-b', 'practice', '--once', '--set', 'tools.defaults.detached=defer', 'go']],
  ['hook', ['run', '-b', 'practice', '-i', '--set', 'tools.defaults.detached=defer', 'go']],
])('an agent of an older build asks through the %s door: in the inbox, answered once, to its end', async (_, args) => {
  const { world, old } = released();
  const env = { PRACTICE_SCENARIO: 'ask-permission' };
  const id = await detached(world, args, { cli: old.cli, env });
  const { inquiry } = (await entry(world, 'inquiry.opened')).data;
  // It is on record a moment before policy has said that it waits.
  await expect
    .poll(() => json(world, ['inbox']), { timeout: 20_000 })
    .toMatchObject([{ id: inquiry.id, session: id, tool: 'Bash' }]);
  const answered = await reins(world, ['answer', inquiry.id, 'allow']);
  expect([answered.code, answered.stderr]).toEqual([0, `Answered ${inquiry.id}.\n`]);
  await until('what was allowed', () => existsSync(join(world.project, 'practice.txt')));
  expect((await all(world, 'inquiry.answered'))[0]?.data.answer).toMatchObject({ verdict: { kind: 'allow' } });
  expect((await reins(world, ['answer', inquiry.id, 'deny'])).code).toBe(31);
  if (args.includes('-i')) expect((await reins(world, ['stop', id])).code).toBe(0);
  await entry(world, 'session.ended');
});

test('a host of an older build that is killed: what it left is found and ended, its end is written down', async () => {
  const { world, old } = released();
  const script = 'trap "" HUP TERM INT; setsid sleep 300 & echo started; while :; do sleep 1; done';
  const id = await detached(world, ['exec', '--', 'bash', '-c', script], { cli: old.cli });
  await shows(world, id, 'started');
  process.kill((await row(world, id)).pid!, 'SIGKILL');
  const dead = await until('the end', async () => {
    const now = await row(world, id);
    return now.state === 'ended' ? now : undefined;
  });
  expect(dead).toMatchObject({ outcome: 'failed', left: expect.any(Number) });
  expect((await reins(world, ['stop', id])).stdout).toContain('sleep 300');
  await world.empty();
});

test('a loop of an older build that was stopped is continued by this one, with what it knew', async () => {
  const { world, old } = released();
  const loop = worker(
    world,
    `if (n === 1) { say('<event topic="note.kept">first</event>'); done(); }
     else if (!fs.existsSync('go')) { fs.writeFileSync('waits', ''); forever(); }
     else { say('LOOP_COMPLETE'); done(); }`,
  );
  const id = await detached(world, [...loop, 'go on'], { cli: old.cli });
  await until('the second iteration', () => existsSync(join(world.project, 'waits')));
  expect((await reins(world, ['stop', id])).code).toBe(0);
  world.write('go', '');
  const ended = await reins(world, ['run', '--continue', id]);
  expect([ended.code, await row(world, id)]).toMatchObject([0, { state: 'ended', outcome: 'completed' }]);
  const starts = (await all(world, 'session.started')).length;
  expect(starts).toBe(2);
  expect((await all(world, 'event.published')).map(({ data }) => data.topic)).toContain('note.kept');
});

test('ls names the sessions whose host is of another version, and only those', async () => {
  const { world, old } = released();
  const { cli } = new Prefix(world, 'next').current({ version: '9.9.9' });
  const [theirs, ours] = [
    await detached(world, ['exec', '--', 'cat'], { cli: old.cli }),
    await detached(world, ['exec', '--', 'cat'], { cli }),
  ];
  const listed = await reins(world, ['ls'], { cli });
  expect(listed.stderr).toBe(`with Reins ${old.version} (this is 9.9.9): ${theirs}\n`);
  const rows = await json<{ id: string; reins: string }[]>(world, ['ls'], { cli });
  expect(Object.fromEntries(rows.map(({ id, reins }) => [id, reins]))).toEqual({ [theirs]: '0.1.0', [ours]: '9.9.9' });
});

test('the older build looks at a session of this one: listed, looked at; it cannot show who it is, so nothing else', async () => {
  const { world, old } = released();
  const { cli } = old;
  const id = await detached(world, ['exec', '--', 'bash', '--norc']);
  expect(await json(world, ['ls'], { cli })).toMatchObject([{ id, state: 'working' }]);
  expect((await reins(world, ['send', id, 'echo sent-$((20+3))'])).stderr).toBe('submitted (screen)\n');
  await shows(world, id, 'sent-23');
  expect((await reins(world, ['screen', id], { cli })).stdout).toContain('sent-23');
  // An agent could bring an older build along: whoever cannot show that it is outside every session only looks.
  for (const args of [
    ['send', id, 'echo no'],
    ['stop', id],
  ]) {
    const refused = await reins(world, args, { cli });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('it did not show which process it is');
  }
  const viewer = reinsInTerminal(world, ['attach', '--read-only', id], { cli });
  await viewer.waitFor('sent-23');
  viewer.type('\x1d');
  await viewer.exit();
  expect((await reins(world, ['stop', id])).code).toBe(0);
});
