/** Which bytes call a person, and what no name in them can do. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HandClock } from '../contract/index.js';
import { caller, callOf, noticeOf } from './call-person.js';

const WHO = { agent: 'claude', session: 'shop' };
const KITTY = { TERM: 'xterm-kitty' };

describe('the notification a terminal understands', () => {
  test.each([
    [{ TERM: 'xterm-kitty' }, 'OSC 99'],
    [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'OSC 99'],
    [{ TERM: 'xterm-ghostty' }, 'OSC 777'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty' }, 'OSC 777'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'OSC 777'],
    [{ TERM: 'foot' }, 'OSC 777'],
    [{ TERM: 'foot-extra' }, 'OSC 777'],
    [{ TERM: 'rxvt-unicode-256color' }, 'OSC 777'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'OSC 9'],
    [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'OSC 9'],
    // Only the bell:
    [{}, undefined],
    [{ TERM: 'xterm-256color' }, undefined],
    [{ TERM: 'dumb', KITTY_WINDOW_ID: '1' }, undefined],
    [{ TERM: 'linux', TERM_PROGRAM: 'iTerm.app' }, undefined],
    [{ TERM: 'xterm-256color', WT_SESSION: 'x' }, undefined],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', KITTY_WINDOW_ID: '1' }, undefined],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'constructor' }, undefined],
    [{ TERM: 'tmux-256color', TERM_PROGRAM: 'iTerm.app' }, undefined],
    [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default,1,0' }, undefined],
    [{ TERM: 'xterm-kitty', STY: '1.x' }, undefined],
    [{ TERM: 'xterm-ghostty', ZELLIJ: '0' }, undefined],
    [{ TERM: 'screen.xterm-kitty' }, undefined],
  ])('%j: %s', (env, notice) => expect(noticeOf(env)).toBe(notice));

  test.each([
    [KITTY, '\x07\x1b]99;o=unfocused;Reins: claude asks (shop)\x1b\\'],
    [{ TERM: 'foot' }, '\x07\x1b]777;notify;Reins;claude asks (shop)\x1b\\'],
    [{ TERM: 'xterm', TERM_PROGRAM: 'iTerm.app' }, '\x07\x1b]9;Reins: claude asks (shop)\x1b\\'],
    [{ TERM: 'xterm' }, '\x07'],
  ])('%j gets %j', (env, bytes) => expect(callOf(env, WHO)).toBe(bytes));
});

test('no name ends the sequence, adds a part to it or makes it long', () => {
  const odd = fc.string({
    unit: fc.constantFrom(
      '\x07',
      '\x1b',
      '\\',
      '\x9c',
      ']',
      ';',
      ':',
      '\n',
      '\u202e',
      '\u200b',
      '4',
      'a',
      '漢',
      '\ud800',
    ),
    maxLength: 200,
  });
  const envs = [KITTY, { TERM: 'foot' }, { TERM: 'xterm', TERM_PROGRAM: 'iTerm.app' }];
  fc.assert(
    fc.property(odd, odd, fc.constantFrom(...envs), (agent, session, env) => {
      const bytes = callOf(env, { agent, session });
      const [, said = 'none'] = /^\x07\x1b\](?:9;Reins: |99;o=unfocused;Reins: |777;notify;Reins;)([^;]*)\x1b\\$/.exec(
        bytes,
      )!;
      expect(said).toMatch(
        /^[^\p{C}\p{Default_Ignorable_Code_Point}]* asks[^\p{C}\p{Default_Ignorable_Code_Point}]*$/u,
      );
      expect([...said].length).toBeLessThan(100);
    }),
  );
});

test('at most every ten seconds, and as the user wants it', () => {
  const clock = new HandClock();
  const calls = (how: 'auto' | 'bell' | 'off') => caller({ how, env: KITTY, clock, who: () => WHO });
  const auto = calls('auto');
  expect([auto(), auto()]).toEqual([callOf(KITTY, WHO), '']);
  clock.advance(9_999);
  expect(auto()).toBe('');
  clock.advance(1);
  expect(auto()).toBe(callOf(KITTY, WHO));
  expect(calls('bell')()).toBe('\x07');
  expect(calls('off')()).toBe('');
});
