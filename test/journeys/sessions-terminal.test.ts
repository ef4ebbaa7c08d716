/** A person's own terminal under a session: shown byte for byte, given back as it was, and out of the agent's reach. */
import { describe, expect, test } from 'vitest';
import { CLI } from './support/cli.js';
import { entry } from './support/journal.js';
import { borrow, detached, installed, linkTo } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { Tmux } from './support/tmux.js';
import { newWorld } from './support/world.js';

const STAIRS = `bash -c "stty raw; printf 'abc\\ndef\\nghi'; exec sleep 60"`;

describe.runIf(installed('tmux'))('in tmux', () => {
  test('S1: a line feed alone moves down and not back, as without Reins', async () => {
    const world = newWorld();
    const tmux = await Tmux.start(world, { cols: 80, rows: 20 });
    await tmux.type('test:0', `${STAIRS}`);
    const stairs = /^abc\n {3}def\n {6}ghi$/m;
    await tmux.shows('test:0', stairs);
    await tmux.do('respawn-pane', '-k', '-t', 'test:0', 'exec bash --norc --noprofile -i');
    await tmux.type('test:0', `PS1='ready> '; reins() { '${process.execPath}' '${CLI}' "$@"; }`);
    await tmux.shows('test:0', /^ready>/m);
    await tmux.type('test:0', `reins exec --name stairs -- ${STAIRS}`);
    await tmux.shows('test:0', stairs);
    await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    await tmux.shows('test:0', 'it goes on');
    // And the terminal's own processing is back.
    await tmux.type('test:0', `case "$(stty -a)" in *-opost*|*-onlcr*|*-echo\\ *) echo raw;; *) echo cooked;; esac`);
    await tmux.shows('test:0', /^cooked\nready>/m);
    await tmux.type('test:0', 'reins attach stairs');
    // Redrawn from the top: the command line is no longer there.
    await tmux.shows('test:0', /^(?![\s\S]*reins attach)[\s\S]*^abc\n {3}def\n {6}ghi$/m);
    await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    await tmux.shows('test:0', 'it goes on');
    await tmux.type('test:0', 'reins kill -q stairs; echo "gone $?"');
    await tmux.shows('test:0', 'gone 0');
  });

  /** What tmux knows of the terminal it is. */
  const FLAGS = [
    'keypad_cursor_flag',
    'keypad_flag',
    'insert_flag',
    'wrap_flag',
    'origin_flag',
    'cursor_flag',
    'mouse_any_flag',
    'mouse_button_flag',
    'mouse_sgr_flag',
    'alternate_on',
    'scroll_region_upper',
    'scroll_region_lower',
    'pane_tabs',
    'pane_title',
  ];
  const ALL =
    '\\033[?1h\\033=\\033[4h\\033[?7l\\033[?1000h\\033[?1002h\\033[?1006h\\033[?1004h\\033[?2004h\\033[5 q\\033[=5;1u' +
    '\\033[>4;2m\\033[2;5r\\033[?25l\\033[3g\\033]2;not yours\\007\\033]12;red\\007\\033(0\\016';

  test.each([
    ['left', 'exec cat'],
    ['over', 'read x'],
  ])('S2: every mode is as it was when the session is %s', async (how, then) => {
    const world = newWorld();
    const tmux = await Tmux.start(world, { cols: 80, rows: 20 });
    const state = () =>
      tmux.do('display-message', '-p', '-t', 'test:0', FLAGS.map((name) => `${name}=#{${name}}`).join('\n'));
    await tmux.type('test:0', 'echo before');
    await tmux.shows('test:0', /^before\nready>/m);
    const before = await state();
    await tmux.type(
      'test:0',
      `reins exec --name modes -- bash -c "printf '${ALL}'; printf '\\033(B\\017set'; ${then}"; echo "after-$?"`,
    );
    await tmux.shows('test:0', /^set/m);
    expect(await state()).not.toBe(before);
    if (how === 'left') await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    else await tmux.do('send-keys', '-t', 'test:0', 'Enter');
    await tmux.shows('test:0', /after-0/);
    expect((await state()).split('\n')).toEqual(before.split('\n'));
    if (how === 'left') await tmux.type('test:0', 'reins kill -q modes; echo "gone $?"');
    if (how === 'left') await tmux.shows('test:0', 'gone 0');
  });

  test.runIf(installed('tmux'))('S1: tmux inside Reins inside tmux keeps its border', async () => {
    const world = newWorld();
    borrow(world, 'tmux');
    const tmux = await Tmux.start(world, { cols: 80, rows: 20 });
    const inner = `tmux -S ${world.root}/inner.sock -f /dev/null new-session 'echo left; exec cat' ';' split-window -h 'echo right; exec cat'`;
    await tmux.type('test:0', `unset TMUX; reins exec --name inner -- ${inner}`);
    const screen = await tmux.shows('test:0', /│right/);
    const borders = screen.split('\n').filter((line) => line.slice(30, 50).includes('│'));
    expect(borders.length).toBeGreaterThanOrEqual(18);
    await tmux.do('send-keys', '-t', 'test:0', 'C-]');
    await tmux.shows('test:0', 'it goes on');
    await tmux.type('test:0', `reins kill -q inner; echo "gone $?"; tmux -S ${world.root}/inner.sock kill-server`);
    await tmux.shows('test:0', 'gone 0');
  });
});

const SECRETS = [
  '\\033]52;c;?\\007',
  '\\033[21t',
  '\\033P+q544e\\033\\\\',
  '\\033P$qm\\033\\\\',
  '\\033Ptmux;\\033\\033]52;c;?\\007\\033\\\\',
  '\\033]50;?\\007',
  '\\033]1337;ReportVariable=cGF0aA==\\007',
  '\\005',
].join('');
const COPY = '\\033]52;c;ZXZpbA==\\007';

describe('S7: what a supervised program prints', () => {
  test('reads no clipboard, and writes that of who drives alone', async () => {
    const world = newWorld();
    const id = await detached(world, ['exec', '--', 'bash', '-c', `read x; printf '${SECRETS}${COPY}done'; exec cat`]);
    const driver = reinsInTerminal(world, ['attach', id]);
    await entry(world, 'driver.changed', { session: id });
    const watcher = reinsInTerminal(world, ['attach', '--read-only', id]);
    const seen = await linkTo(world, id);
    await expect.poll(async () => (await seen.command('summary')).viewers, { timeout: 20_000 }).toBe(2);
    driver.type('\r');
    await Promise.all([driver.waitFor('done'), watcher.waitFor('done')]);
    expect(driver.bytes).toContain('\x1b]52;c;ZXZpbA==\x07');
    expect(watcher.bytes).not.toContain('\x1b]52');
    for (const bytes of [driver.bytes, watcher.bytes]) {
      expect(bytes).not.toMatch(/\x1b\]52;[^;]*;\?|\x1b\[21t|\x1bP|\x1b\]50|\x1b\]1337|\x05/);
    }
    watcher.type('\x1d');
    driver.type('\x1d');
    expect([await watcher.exit(), await driver.exit()]).toEqual([0, 0]);
  });

  test('writes nobody’s clipboard where that is off', async () => {
    const world = newWorld();
    const env = { REINS_CFG__cli__clipboard: 'off' };
    const terminal = reinsInTerminal(world, ['exec', '--', 'bash', '-c', `printf '${COPY}done'; read x`], { env });
    await terminal.waitFor('done');
    terminal.type('\r');
    expect(await terminal.exit()).toBe(0);
    expect(terminal.bytes).not.toContain('\x1b]52');
  });

  test('is as harmless when it is played again', async () => {
    const world = newWorld();
    const first = reinsInTerminal(world, [
      'exec',
      '--name',
      'tape',
      '--',
      'bash',
      '-c',
      `printf '${SECRETS}${COPY}done'`,
    ]);
    expect(await first.exit()).toBe(0);
    const again = reinsInTerminal(world, ['replay', 'tape', '--speed', '100']);
    expect(await again.exit()).toBe(0);
    expect(again.bytes).toContain('done');
    expect(again.bytes).not.toMatch(/\x1b\]52|\x1b\[21t|\x1bP|\x05/);
  });

  test('reaches a terminal no further where its input comes from elsewhere', async () => {
    const world = newWorld();
    const { Terminal } = await import('./support/terminal.js');
    const terminal = new Terminal(
      world,
      ['bash', '-c', `echo | '${process.execPath}' '${CLI}' exec -- bash -c "printf '${SECRETS}${COPY}done'"`],
      {},
    );
    expect(await terminal.exit()).toBe(0);
    expect(terminal.bytes).toContain('done');
    expect(terminal.bytes).not.toMatch(/\x1b\]52|\x1b\[21t|\x1bP|\x05/);
  });
});
