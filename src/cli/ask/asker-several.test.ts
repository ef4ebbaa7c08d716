/** Text and Enter in one read, and several inquiries at once. */
import { describe, expect, test } from 'vitest';
import { asked, inquiryOf } from './ask.cases.js';
import { answers, asker, call, clock, SHOWN, settled, show, signals, start, tty } from './asker.cases.js';

describe('text and Enter in one read', () => {
  const typed = (term: string) => start({ env: { TERM: term, EDITOR: '' } });

  test('end a reason, on a terminal that marks pastes', async () => {
    typed('xterm-256color');
    show(inquiryOf());
    await tty.lines();
    expect(tty.marksPastes).toBe(true);
    tty.press('r', 'not now\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'], reason: 'not now' }]]);
    await tty.lines();
    expect(tty.marksPastes).toBe(false);
  });

  test('end an answer to a question', async () => {
    typed('tmux-256color');
    show(asked({ options: [], free_text: true }));
    tty.press('MariaDB\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: [], texts: ['MariaDB'] }]]);
  });

  test('never allow: neither the keys nor an edited command', async () => {
    typed('xterm-256color');
    show(inquiryOf());
    tty.press('y\r');
    expect(await tty.lines()).toContain('┃ pasted text does not answer: press a key');
    clock.advance(60);
    tty.press('e', ' --bail\r');
    await settled();
    expect(answers).toEqual([]);
    expect((await tty.lines()).at(-1)).toContain('--watch --bail');
    tty.press('\r');
    await settled();
    expect(answers).toEqual([
      ['k7f2m9qd.3', { input: expect.objectContaining({ command: 'npm test -- --watch --bail' }) }],
    ]);
  });

  test.each(['linux', 'vt220', 'dumb', ''])('are a paste on a terminal that marks none (TERM=%s)', async (term) => {
    typed(term);
    show(inquiryOf());
    tty.press('r', 'not now\r');
    await settled();
    expect(answers).toEqual([]);
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'], reason: 'not now' }]]);
  });

  test('a marked paste never ends anything by itself, in however many reads it comes', async () => {
    typed('xterm-256color');
    show(inquiryOf());
    tty.press('\x1b[200~', 'y', '\x1b[201~');
    expect(await tty.lines()).toContain('┃ pasted text does not answer: press a key');
    clock.advance(60);
    tty.press('r', '\x1b[200~one\r', '\r', 'two\x03\r', '\x1b[201~');
    await settled();
    expect([answers, signals]).toEqual([[], []]);
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'], reason: 'one\n\ntwo' }]]);
  });

  test('keys count again when the end of a paste is lost', async () => {
    typed('xterm-256color');
    show(inquiryOf());
    tty.press('\x1b[200~lost', 'n');
    clock.advance(2001);
    expect(await tty.lines()).toContain('┃ pasted text does not answer: press a key');
    clock.advance(60);
    tty.press('n');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'] }]]);
  });
});

describe('several inquiries', () => {
  test('queue, with their place', async () => {
    show(call('one', 1), call('two', 2), call('three', 3));
    expect((await tty.lines())[0]).toBe('┃ claude asks · k7f2m9qd.1 · 1 of 3');
    tty.press('y');
    await settled();
    expect((await tty.lines()).slice(0, 3)).toEqual([
      '┃ ✓ allowed · Bash: one',
      '┃ claude asks · k7f2m9qd.2 · 1 of 2',
      '┃ Bash: two',
    ]);
  });

  test('one that comes while another is shown is counted at once', async () => {
    show(call('one', 1));
    asker.opened(call('two', 2));
    clock.advance(SHOWN);
    expect((await tty.lines())[0]).toBe('┃ claude asks · k7f2m9qd.1 · 1 of 2');
  });

  test('one that is answered elsewhere while shown says so, and the next comes', async () => {
    show(call('one', 1), call('two', 2));
    asker.closed('k7f2m9qd.1');
    expect((await tty.lines()).slice(0, 3)).toEqual([
      '┃ answered elsewhere · Bash: one',
      '┃ claude asks · k7f2m9qd.2',
      '┃ Bash: two',
    ]);
  });

  test('one that is answered elsewhere while waiting is gone without a word', async () => {
    show(call('one', 1), call('two', 2));
    asker.closed('k7f2m9qd.2');
    const lines = await tty.lines();
    expect(lines[0]).toBe('┃ claude asks · k7f2m9qd.1');
    expect(lines.join('\n')).not.toContain('elsewhere');
  });
});
