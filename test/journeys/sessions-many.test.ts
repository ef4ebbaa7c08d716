/** Many sessions at once: each can be attached to, and all are stopped without an orphan. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { processesWith } from '../../src/testing/index.js';
import { reins } from './support/cli.js';
import { sessionDir } from './support/journal.js';
import { Drawn, detached, json, linkTo } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

const COUNT = process.env.REINS_FULL === '1' ? 100 : 15;

/** Starting one costs two Node processes: so many at a time on a small machine. */
const AT_ONCE = 3;

async function inTurns<T>(items: T[], act: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

test(`${COUNT} sessions of the practice agent: all attachable, all stopped, no orphan`, {
  timeout: 900_000,
}, async () => {
  const world = newWorld();
  const ids: string[] = [];
  await inTurns(
    Array.from({ length: COUNT }, (_, index) => index),
    async () => {
      ids.push(await detached(world, ['run', '-i', '-b', 'practice']));
    },
  );
  expect(new Set(ids).size).toBe(COUNT);
  const rows = await json<SessionRow[]>(world, ['ls']);
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());

  await inTurns(ids, async (id) => {
    // Nobody sits at it: silence is no reason to end it.
    expect(JSON.parse(readFileSync(join(sessionDir(world, id), 'session.json'), 'utf8')).idle_timeout_secs).toBe(0);
    const drawn = new Drawn({ cols: 120, rows: 40 });
    const client = await linkTo(world, id, drawn.incoming);
    const attached = await client.attach({
      kind: 'terminal',
      role: 'driver',
      size: { cols: 120, rows: 40 },
      visible: true,
      bytes: true,
      entries: false,
      answers: 'no',
    });
    expect(attached.driver).toBe(attached.viewer);
    client.ready();
    await until(`the screen of ${id}`, async () => (await drawn.rows()).join('\n').includes('practice agent'));
    client.close();
  });

  await inTurns(ids, async (id) => {
    const { code, stdout } = await reins(world, ['stop', id]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('practice')]);
    expect(processesWith(`REINS_SESSION=${id}`)).toEqual([]);
  });
  await world.empty();
  expect(await json<SessionRow[]>(world, ['ls'])).toEqual([]);
});
