/** Inside tmux: a viewer in a window of its own, detaching, coming back, and a clear word where there is no tmux. */
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entries, entry, onlySession } from './support/journal.js';
import { borrow, installed, row } from './support/session.js';
import { Tmux } from './support/tmux.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

test('outside tmux --in tmux starts nothing and says what to do', async () => {
  const world = newWorld();
  for (const args of [
    ['exec', '--in', 'tmux', '--', 'cat'],
    ['run', '-i', '-b', 'practice', '--in', 'tmux'],
  ]) {
    const ended = await reins(world, args);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain('not inside tmux');
    expect(ended.stderr).toContain('reins attach');
  }
  expect((await reins(world, ['ls', '--all', '--json'])).stdout.trim()).toBe('[]');
});

test.runIf(installed('tmux'))(
  '--in tmux opens the viewer in a new window; closing it leaves the session alone',
  async () => {
    const world = newWorld();
    borrow(world, 'tmux');
    const tmux = await Tmux.start(world, { cols: 100, rows: 30 });
    await tmux.type('test:0', 'reins run -i -b practice --in tmux --name helper');
    await until('the window', async () => (await tmux.do('list-windows', '-F', '#{window_name}')).includes('helper'));
    await tmux.shows('test:helper', '/help');
    await tmux.type('test:helper', 'hello');
    await tmux.shows('test:helper', 'I am the practice agent: a script, not a model');
    const id = await onlySession(world);
    // The first window has its prompt back, behind the id.
    await tmux.shows('test:0', new RegExp(`^${id}\\nready>`, 'm'));
    expect(entries(world, id).some((one) => one.type === 'driver.changed' && one.data.driver !== null)).toBe(true);

    await tmux.do('kill-window', '-t', 'test:helper');
    await entry(world, 'viewer.left', { session: id });
    expect((await row(world, id)).state).toBe('idle');
    await tmux.type('test:0', `reins attach ${id}`);
    await tmux.shows('test:0', 'I am the practice agent: a script, not a model');
    await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    await tmux.shows('test:0', 'it goes on');
    await tmux.type('test:0', `reins stop -q ${id}; echo "stopped $?"`);
    await tmux.shows('test:0', 'stopped 0');
  },
);
