/** A detached session's host is killed: a hub that runs notices, and tells whom the session's config names; once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { TestHub } from './support/hub.js';
import { entry, sessionDir } from './support/journal.js';
import { detached } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

test('one that was dead before the hub had met it is told too, whenever it was begun; one that died before the hub began is not', async () => {
  const world = newWorld();
  const notes = join(world.root, 'notes');
  const told = () =>
    existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .filter((line) => line.endsWith('}'))
      : [];
  const run = ['run', '-b', 'practice', '--trust', 'full', '--set', `notify.command=cat >> ${notes}`];
  const kill = async (id: string) => {
    const { seq } = await entry(world, 'session.started', { session: id, is: (one) => one.seq > last });
    last = (await entry(world, 'agent.started', { session: id, is: (one) => one.seq > seq })).seq;
    const { pid } = JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await until('its host to be gone', () => !existsSync(`/proc/${pid}/exe`) || undefined);
  };
  let last = 0;
  const early = await detached(world, [...run, 'slow 3600'], {});
  await kill(early);
  last = 0;
  const hub = await TestHub.start(world);
  const page = await (await hub.device()).page();

  // The hub stands still: all of it is over when it looks.
  hub.running.signal('SIGSTOP');
  const late = await detached(world, [...run, 'slow 3600'], {});
  await kill(late);
  hub.running.signal('SIGCONT');
  await until(
    'to be told',
    () => told().length > 0 || undefined,
    () => hub.log,
  );
  // Continued and met, dead, continued again, and dead before anybody looked.
  await reins(world, ['run', '-d', '--continue', late]);
  const isWorking = () => page.all('row').some(({ row }) => row.id === late && row.state === 'working') || undefined;
  await until('the hub to meet it', isWorking);
  await kill(late);
  await until(
    'to be told of its second host',
    () => told().length > 1 || undefined,
    () => hub.log,
  );
  hub.running.signal('SIGSTOP');
  await reins(world, ['run', '-d', '--continue', late]);
  await kill(late);
  hub.running.signal('SIGCONT');
  await until(
    'to be told of its third',
    () => told().length > 2 || undefined,
    () => hub.log,
  );
  expect(told().map((line) => (JSON.parse(line) as { session: { id: string } }).session.id)).toEqual([
    late,
    late,
    late,
  ]);
  page.close();
  for (const id of [early, late]) await reins(world, ['kill', id]);
  await hub.close();
});

test('the hub tells the session’s own notifiers that its host died, and again when its next host does', async () => {
  const world = newWorld();
  const hub = await TestHub.start(world);
  const page = await (await hub.device()).page();
  const notes = join(world.root, 'notes');
  const told = () =>
    existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .filter((line) => line.endsWith('}'))
      : [];
  const args = ['run', '-b', 'practice', '--trust', 'full', '--set', `notify.command=cat >> ${notes}`];
  const id = await detached(world, [...args, 'slow 3600'], {});
  await entry(world, 'agent.started', { session: id });
  const dies = () => {
    const { pid } = JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
  };
  await page.next('row', ({ row }) => row.id === id && row.state === 'working');
  dies();
  const [first] = await until(
    'to be told',
    () => (told().length > 0 ? told() : undefined),
    () => hub.log,
  );
  expect(JSON.parse(first!)).toMatchObject({ type: 'session.died', session: { id } });
  await reins(world, ['run', '-d', '--continue', id]);
  await until(
    'the hub to see it again',
    () => page.all('row').findLast(({ row }) => row.id === id)?.row.state === 'working' || undefined,
  );
  dies();
  await until(
    'to be told again',
    () => told().length === 2 || undefined,
    () => hub.log,
  );
  page.close();
  await reins(world, ['kill', id]);
  await hub.close();
});
