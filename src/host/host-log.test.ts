import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HandClock, HeldLog, type SessionId } from '../contract/index.js';
import { Journal } from '../journal/index.js';
import { openHostLog, Turns } from './host-log.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'host-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const lines = (name = 'host.log') =>
  readFileSync(join(dir, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function opened(largest?: number) {
  const clock = new HandClock();
  const trouble = vi.fn();
  const held = new HeldLog({ most: 3, clock, trouble });
  const { journal } = Journal.open({ file: join(dir, 'j'), session: 's' as SessionId, clock });
  const open = () =>
    openHostLog({
      dir,
      session: 's',
      env: { A_TOKEN: 'hidden-value' },
      journal,
      held,
      ...(largest ? { largest } : {}),
    });
  return { clock, held, journal, open, trouble };
}

it('what was said before it was loaded is in it, bounded, with the time it was said', () => {
  const { clock, held, journal, open, trouble } = opened();
  held.log('info', 'one', { x: 1 });
  clock.advance(5000);
  held.room('screen').log('info', 'two');
  held.log('warn', 'three hidden-value');
  expect(trouble).toHaveBeenCalledTimes(1);
  held.log('info', 'one too many');
  const end = open();
  held.log('info', 'live');
  const [one, two, three, live] = lines();
  expect([one?.time, two?.time]).toEqual(['2023-11-14T22:13:20.000Z', '2023-11-14T22:13:25.000Z']);
  expect([two?.room, three?.msg, live?.msg]).toEqual(['screen', 'three [redacted]', 'live']);
  expect(lines().length).toBe(4);
  end();
  held.log('info', 'after the end');
  expect(lines().length).toBe(4);
  journal.close();
});

it('is bounded on disk', () => {
  const { held, journal, open } = opened(2000);
  const end = open();
  for (let count = 0; count < 500; count += 1) held.log('info', `line ${count}`);
  for (const name of ['host.log', 'host.log.1']) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(2000);
  expect(lines().at(-1)?.msg).toBe('line 499');
  end();
  journal.close();
});

it('a turn that took long is told once, with what it began with; an idle host measures nothing', async () => {
  let now = 0;
  const slow = vi.fn();
  const turns = new Turns(slow, () => now);
  turns.touch('tool.called');
  turns.touch('agent.text');
  now += 250;
  await new Promise((resolve) => setImmediate(resolve));
  turns.touch('quick');
  now += 5;
  await new Promise((resolve) => setImmediate(resolve));
  expect(slow.mock.calls).toEqual([[250, 'tool.called']]);
});
