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

test('the hub tells the session’s own notifiers that its host died, and again when its next host does', async () => {
  const world = newWorld();
  const hub = await TestHub.start(world);
  const page = await (await hub.device()).page();
  const notes = join(world.root, 'notes');
  const told = () => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').slice(0, -1) : []);
  const args = [
    'run',
    '-b',
    'practice',
    '--trust',
    'full',
    '--set',
    `notify.command=cat >> ${notes}; echo >> ${notes}`,
  ];
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
