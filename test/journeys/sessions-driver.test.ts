/** One typist and one size owner at a time: the others watch, are told so, and take over only on purpose. */
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entries, entry } from './support/journal.js';
import { detached, linkTo, shot, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

/**
 * Tells its size whenever it changes, and repeats what is typed. It looks: bash loses a signal that comes while the trap of the one
 * before runs. Its time to read may be over in the middle of a line, which is kept.
 */
const SIZES =
  'while :; do now=$(stty size); [ "$now" = "$was" ] || echo "$now"; was=$now; part=; ' +
  'if read -r -t 0.1 part; then echo "got:$line$part"; line=; else line=$line$part; fi; done';

const watcher = { kind: 'terminal', visible: true, bytes: true, entries: false, answers: 'no' } as const;

test('a watcher’s keys are ignored and it is told; taking over is explicit, visible, and brings the size', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', SIZES]);

  const wide = reinsInTerminal(world, ['attach', id], { cols: 120, rows: 40 });
  await wide.waitFor('40 120');
  wide.type('from wide\r');
  await wide.waitFor('got:from wide');

  // N7: viewers of 120x40 and 40x20: size follows the driver, nobody is redrawn without a take-over
  const narrow = reinsInTerminal(world, ['attach', id], { cols: 40, rows: 20 });
  await narrow.waitFor('drives, you watch');
  await narrow.waitFor('got:from wide');
  narrow.type('from narrow\r');
  wide.type('again wide\r');
  await narrow.waitFor('got:again wide');
  const before = await shot(world, id);
  expect([before.cols, before.rows]).toEqual([120, 40]);
  expect(before.lines.join('\n')).not.toContain('from narrow');
  expect(before.lines.join('\n')).not.toContain('20 40');

  const taker = reinsInTerminal(world, ['attach', '--take', id], { cols: 60, rows: 15 });
  await taker.waitFor('15 60');
  await wide.waitFor('drives, you watch');
  taker.type('from taker\r');
  await taker.waitFor('got:from taker');
  await wide.waitFor('got:from taker');
  wide.type('too late\r');
  taker.type('last\r');
  await taker.waitFor('got:last');
  const after = await shot(world, id);
  expect([after.cols, after.rows]).toEqual([60, 15]);
  expect(after.lines.join('\n')).not.toContain('too late');
  const changes = entries(world, id).filter((one) => one.type === 'driver.changed');
  expect(changes.map((one) => one.data.because)).toEqual(['first to ask', expect.stringContaining('taken over from')]);

  // The driver leaves: the keys are free, and the next who types has them, with its size.
  taker.type('\x1d');
  expect(await taker.exit()).toBe(0);
  await until(
    'a free lease',
    () => entries(world, id).findLast((one) => one.type === 'driver.changed')?.data.driver === null,
  );
  await narrow.waitFor('nobody drives: type to take');
  narrow.type('x\r');
  await narrow.waitFor('20 40');
  await narrow.waitFor('got:x');
});

test('a read-only viewer never types, also when nobody drives', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', SIZES]);
  const viewer = reinsInTerminal(world, ['attach', '--read-only', id], { cols: 50, rows: 12 });
  await viewer.waitFor('40 120');
  viewer.type('not me\r');
  viewer.type('\x1d');
  expect(await viewer.exit()).toBe(0);
  const { lines } = await shot(world, id);
  expect(lines.join('\n')).not.toContain('not me');
  expect(entries(world, id).some((one) => one.type === 'driver.changed' || one.type === 'input.sent')).toBe(false);
});

test('every viewer hears of sizes and drivers; an ignored key is answered once; answers of a terminal are no keys', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', SIZES]);
  const heard: unknown[] = [];
  const first = await linkTo(world, id);
  const { viewer: firstId } = await first.attach({ ...watcher, role: 'driver', size: { cols: 120, rows: 40 } });
  const second = await linkTo(world, id, {
    size: (size) => heard.push(size),
    driver: (driver) => heard.push(driver),
  });
  const attached = await second.attach({ ...watcher, role: 'driver', size: { cols: 40, rows: 20 } });
  expect(attached.driver).toBe(firstId);
  expect(attached.size).toEqual({ cols: 120, rows: 40 });

  second.input(Buffer.from('\x1b[?62;22c'));
  second.input(Buffer.from('a'));
  second.input(Buffer.from('b'));
  await second.command('summary');
  expect(heard).toEqual([firstId]);
  await expect(second.command('resize', { cols: 40, rows: 20 })).rejects.toMatchObject({ code: 'NOT_DRIVER' });

  await first.command('resize', { cols: 100, rows: 30 });
  await until('the size', () => heard.length > 1);
  expect(heard[1]).toEqual({ cols: 100, rows: 30 });
  await second.command('take');
  await until('the driver and the size', () => heard.length > 3);
  expect(heard.slice(2)).toEqual([attached.viewer, { cols: 40, rows: 20 }]);
  await shows(world, id, '20 40');
  first.close();
  second.close();
  await entry(world, 'driver.changed', { session: id, is: (one) => one.data.driver === null });
});

test('a pause is told on every terminal, also to who comes later, and its word goes with it', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'sh', '-c', 'echo up; exec cat']);
  const driver = reinsInTerminal(world, ['attach', id], { cols: 100, rows: 20 });
  await driver.waitFor('up');
  await reins(world, ['pause', id]);
  await driver.waitFor(`[paused: keys wait until it goes on. Let it: reins resume ${id}]`);
  driver.type('waits\r');
  const later = reinsInTerminal(world, ['attach', id], { cols: 100, rows: 20 });
  await later.waitFor('[paused:');
  await reins(world, ['resume', id]);
  await driver.waitFor((screen) => /waits\s+waits/.test(screen) && !screen.includes('[paused:'));
  await later.waitFor((screen) => screen.includes('drives, you watch') && !screen.includes('[paused:'));
  // Its word covers nothing any more once the keys are its own, though the program draws nothing.
  driver.type('\x1d');
  expect(await driver.exit()).toBe(0);
  await later.waitFor('nobody drives');
  later.type('x');
  await later.waitFor((screen) => !screen.includes('nobody drives') && !screen.includes('drives, you watch'));
});
