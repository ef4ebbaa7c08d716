/** Real use, pexpect style: full-screen programs and shells driven with exec, send, send --keys and screen, and in tmux. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesWith } from '../../src/testing/index.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { borrow, detached, installed, keys, row, send, shot, shows } from './support/session.js';
import { Tmux } from './support/tmux.js';
import { until } from './support/wait.js';
import { newWorld } from './support/world.js';

test.runIf(installed('vim'))('vim: text is written, searched, saved', async () => {
  const world = newWorld();
  borrow(world, 'vim');
  const id = await detached(world, ['exec', '--', 'vim', '-u', 'NONE', '-N', 'poem.txt']);
  await shows(world, id, '"poem.txt"');
  expect((await shot(world, id)).alternate).toBe(true);
  await keys(world, id, 'i');
  await shows(world, id, '-- INSERT --');
  expect((await send(world, id, 'The reins are loose,\nthe horse knows the way — größer 漢字 🐎')).verdict).toBe(
    'submitted',
  );
  await keys(world, id, 'Esc : s e t Space n u m b e r Enter');
  await shows(world, id, /^ *2 the horse knows the way — größer 漢字 🐎/m);
  await keys(world, id, 'Esc : w q Enter');
  expect((await entry(world, 'session.ended', { session: id })).data).toMatchObject({
    outcome: 'completed',
    exit_code: 0,
  });
  expect(readFileSync(join(world.project, 'poem.txt'), 'utf8')).toContain(
    'The reins are loose,\nthe horse knows the way — größer 漢字 🐎\n',
  );
});

test.runIf(installed('less'))('less: pages, searches, quits', async () => {
  const world = newWorld();
  borrow(world, 'less');
  world.write('numbers', Array.from({ length: 500 }, (_, index) => `number ${index + 1}\n`).join(''));
  const id = await detached(world, ['exec', '--', 'less', 'numbers'], { env: { LESS: '' } });
  await shows(world, id, /^number 1$/m);
  await keys(world, id, 'Space');
  await shows(world, id, /^number 41$/m);
  await send(world, id, '/number 321');
  await until('the line at the top', async () => (await shot(world, id)).lines[0]!.startsWith('number 321'));
  await keys(world, id, 'G');
  await shows(world, id, '(END)');
  await keys(world, id, 'q');
  expect((await entry(world, 'session.ended', { session: id })).data.exit_code).toBe(0);
});

test.runIf(installed('top'))('top: a screen that redraws itself follows the size', async () => {
  const world = newWorld();
  borrow(world, 'top');
  const id = await detached(world, ['exec', '--', 'top', '-d', '0.2']);
  await shows(world, id, /PID +USER/);
  expect((await reins(world, ['resize', id, '60x12'])).code).toBe(0);
  const small = await until('a redraw', async () => {
    const now = await shot(world, id);
    return now.lines.length === 12 && /PID +USER/.test(now.lines.join('\n')) ? now : undefined;
  });
  expect(Math.max(...small.lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  await keys(world, id, 'q');
  expect((await entry(world, 'session.ended', { session: id })).data.exit_code).toBe(0);
});

test.runIf(installed('python3'))('python3 -i: lines, a block, an interrupt', async () => {
  const world = newWorld();
  borrow(world, 'python3');
  const id = await detached(world, ['exec', '--', 'python3', '-i', '-q'], { env: { PYTHON_HISTORY: '/dev/null' } });
  await shows(world, id, '>>>');
  await send(world, id, 'sum(range(101))');
  await shows(world, id, /^5050$/m);
  await send(world, id, 'for word in ("a", "b"):\n    print(word * 3)\n\n');
  await shows(world, id, /^aaa\n^bbb$/m);
  await send(world, id, 'import time; time.sleep(300)');
  await reins(world, ['interrupt', id]);
  await shows(world, id, 'KeyboardInterrupt');
  await send(world, id, 'raise SystemExit(5)');
  expect((await entry(world, 'session.ended', { session: id })).data.exit_code).toBe(5);
});

test('bash: job control, Ctrl-Z and fg', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '--norc', '--noprofile', '-i'], { env: { PS1: 'ready> ' } });
  await shows(world, id, 'ready>');
  await send(world, id, 'sleep 300');
  await until('the command', () => processesWith(`REINS_SESSION=${id}`).some(({ command }) => command === 'sleep 300'));
  await keys(world, id, 'C-z');
  await shows(world, id, /\[1\]\+\s+Stopped\s+sleep 300/);
  await send(world, id, 'bg; jobs');
  await shows(world, id, /\[1\]\+\s+Running\s+sleep 300 &/);
  await send(world, id, 'fg');
  await keys(world, id, 'C-c');
  await send(world, id, 'echo "code $?"');
  await shows(world, id, 'code 130');
  await send(world, id, 'exit 7');
  expect((await entry(world, 'session.ended', { session: id })).data.exit_code).toBe(7);
});

test.runIf(installed('tmux') && installed('vim'))(
  'attach inside tmux: vim as if it were started there, and left running',
  async () => {
    const world = newWorld();
    borrow(world, 'vim', 'tmux');
    const id = await detached(world, ['exec', '--', 'vim', '-u', 'NONE', '-N', '-c', 'set number', 'notes.txt']);
    const tmux = await Tmux.start(world, { cols: 90, rows: 25 });
    await tmux.type('test:0', `reins attach ${id}`);
    await tmux.shows('test:0', /^ *1$/m);
    await until('the size of the window', async () => {
      const { cols, rows } = await shot(world, id);
      return cols === 90 && rows >= 24;
    });
    await tmux.do('send-keys', '-t', 'test:0', 'i', 'from', 'Space', 'tmux', 'Escape');
    await tmux.shows('test:0', /^ *1 from tmux/m);
    await shows(world, id, /^ *1 from tmux/m);
    await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    await tmux.shows('test:0', 'it goes on');
    // The shell's own screen is back, and the shell takes keys.
    await tmux.type('test:0', 'echo back-$((6*7))');
    await tmux.shows('test:0', /^back-42$/m);
    expect((await row(world, id)).state).toBe('working');
    await keys(world, id, 'Esc : q ! Enter');
    await entry(world, 'session.ended', { session: id });
  },
);
