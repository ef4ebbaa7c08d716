import { describe, expect, test } from 'vitest';
import { asked, inquiryOf } from './ask.cases.js';
import {
  ARMED,
  answers,
  asker,
  call,
  clock,
  refuseWith,
  SHOWN,
  settled,
  show,
  signals,
  start,
  tty,
  useTty,
} from './asker.cases.js';
import { MemoryTty } from './memory-tty.cases.js';

/** ms an inquiry waits to be shown; longer than keys are dropped after it was. */
describe('one inquiry', () => {
  test('N4: on a dumb terminal there is no colour and no cursor move, and what is typed is written once', async () => {
    asker.close();
    let written = '';
    const write = tty.write.bind(tty);
    tty.write = (text) => {
      written += text;
      write(text);
    };
    start({ env: { TERM: 'dumb' } });
    show(inquiryOf());
    tty.press('r');
    for (const key of 'not now') tty.press(key);
    expect(written).toContain('claude asks');
    tty.press('\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'], reason: 'not now' }]]);
    expect(written).not.toContain('\x1b');
    expect(written.match(/claude asks/g)!.length).toBeLessThanOrEqual(3);
  });

  test('is asked, answered and summed up in one line; the terminal is given back', async () => {
    show(inquiryOf());
    expect((await tty.lines())[0]).toBe('┃ claude asks · k7f2m9qd.3');
    expect(tty.raw).toBe(true);
    tty.press('y');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['allow'] }]]);
    expect(await tty.lines()).toEqual(['┃ ✓ allowed · Bash: npm test -- --watch']);
    expect([tty.open, tty.raw, tty.wraps]).toEqual([false, false, true]);
  });

  test('no terminal: it will not be asked here', () => {
    start({ openTty: () => undefined });
    expect(asker.opened(inquiryOf())).toBe(false);
    clock.advance(SHOWN);
    expect(clock.waiting).toBe(0);
  });

  test('what a rule settles at once is never shown', async () => {
    expect(asker.opened(inquiryOf())).toBe(true);
    clock.advance(100);
    asker.closed('k7f2m9qd.3');
    clock.advance(1000);
    expect(await tty.lines()).toEqual([]);
    expect(tty.open).toBe(false);
  });

  test('told twice, asked once', async () => {
    show(inquiryOf(), inquiryOf());
    tty.press('n');
    await settled();
    expect(answers).toHaveLength(1);
    expect(tty.open).toBe(false);
  });

  test('an answer that is not taken is told, and it is asked again', async () => {
    refuseWith('the host is busy');
    show(inquiryOf());
    tty.press('y');
    await settled();
    expect(await tty.lines()).toContain('┃ not taken: the host is busy');
    refuseWith(undefined);
    clock.advance(ARMED);
    tty.press('n');
    await settled();
    expect(answers.at(-1)).toEqual(['k7f2m9qd.3', { words: ['deny'] }]);
  });

  test('its own answer coming back as an entry first is not "answered elsewhere"', async () => {
    start({
      answer: async (id) => {
        asker.closed(id);
        return undefined;
      },
    });
    show(inquiryOf());
    tty.press('y');
    await settled();
    expect(await tty.lines()).toEqual(['┃ ✓ allowed · Bash: npm test -- --watch']);
  });

  test('someone was faster: told, with the host’s words', async () => {
    start({
      answer: async (id) => {
        asker.closed(id);
        return 'answered by phone';
      },
    });
    show(inquiryOf());
    tty.press('y');
    await settled();
    expect(await tty.lines()).toEqual(['┃ answered elsewhere · Bash: npm test -- --watch (answered by phone)']);
  });
});

describe('keys that must not answer', () => {
  test('those pressed before the prompt, or in its first 300 ms', async () => {
    asker.opened(inquiryOf());
    tty.press('y');
    clock.advance(SHOWN);
    tty.press('y');
    clock.advance(299);
    tty.press('y');
    await settled();
    expect(answers).toEqual([]);
    expect(await tty.lines()).toContain('┃ that key came too early and was ignored: press it again if you mean it');
    clock.advance(2);
    tty.press('y');
    await settled();
    expect(answers).toHaveLength(1);
  });

  test('a report of the terminal in that time is nobody’s key', async () => {
    asker.opened(inquiryOf());
    clock.advance(SHOWN);
    tty.press('\x1b]11;rgb:ffff/ffff/ffff\x07');
    expect((await tty.lines()).join('\n')).not.toContain('too early');
  });

  test('an early key does not hide what was said before', async () => {
    refuseWith('the host is busy');
    show(inquiryOf());
    tty.press('y');
    await settled();
    tty.press('y', 'y');
    expect((await tty.lines()).join('\n')).toMatch(/not taken: the host is busy \(that key came too early/);
    expect((await tty.lines()).join('\n').match(/too early/g)).toHaveLength(1);
  });

  test('the key for the last one does not answer the next', async () => {
    show(call('one', 1), call('two', 2));
    tty.press('y');
    await settled();
    tty.press('y');
    await settled();
    expect(answers).toHaveLength(1);
    clock.advance(ARMED);
    tty.press('y');
    await settled();
    expect(answers).toHaveLength(2);
  });

  test('a paste, nor its last piece that comes alone', async () => {
    show(inquiryOf());
    tty.press('text with y and s\r', 'y');
    await settled();
    expect(answers).toEqual([]);
    expect(await tty.lines()).toContain('┃ pasted text does not answer: press a key');
    clock.advance(60);
    tty.press('y');
    await settled();
    expect(answers).toHaveLength(1);
  });

  test('a long paste into a reason that ends in an Enter of its own read', async () => {
    show(inquiryOf());
    tty.press('r', 'x'.repeat(4095), '\r');
    await settled();
    expect(answers).toEqual([]);
  });

  test('while an answer is on its way', async () => {
    show(inquiryOf());
    tty.press('n', 'y');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: ['deny'] }]]);
  });
});

describe('the terminal', () => {
  test('Ctrl-C and Ctrl-\\ are told at any time, Ctrl-Z is not', () => {
    asker.opened(inquiryOf());
    clock.advance(SHOWN);
    tty.press('\x03');
    clock.advance(ARMED);
    tty.press('r', '\x1a', '\x03', '\x1c');
    expect(signals).toEqual(['interrupted', 'interrupted', 'killed']);
  });

  test('closing from within Ctrl-C leaves nothing behind', async () => {
    start({ interrupted: () => asker.close() });
    show(inquiryOf());
    tty.press('ab\x03');
    expect(await tty.lines()).toEqual(['┃ not answered · Bash: npm test -- --watch']);
    expect(asker.opened(inquiryOf())).toBe(false);
    asker.close();
  });

  test('a lone Esc goes back once it is clear that it is no sequence', async () => {
    show(inquiryOf());
    tty.press('r', '\x1b');
    expect((await tty.lines()).at(-1)).toMatch(/^┃ ›\s*$/);
    clock.advance(60);
    expect((await tty.lines()).at(-1)).toContain('[?] details');
  });

  test('what others write stays whole above the block', async () => {
    show(inquiryOf());
    for (const line of ['tool one', 'tool two']) asker.beside(() => tty.write(`${line}\r\n`));
    const lines = await tty.lines();
    expect(lines.slice(0, 3)).toEqual(['tool one', 'tool two', '┃ claude asks · k7f2m9qd.3']);
    expect(lines.filter((line) => line.includes('claude asks'))).toHaveLength(1);
  });

  test('text without a line end is not overwritten', async () => {
    start({ midLine: () => true });
    tty.write('The agent says hello');
    show(inquiryOf());
    tty.press('y');
    await settled();
    expect(await tty.lines()).toEqual(['The agent says hello', '┃ ✓ allowed · Bash: npm test -- --watch']);
  });

  test('after a change of size the block is drawn anew below, nothing above is lost', async () => {
    tty.write('earlier\r\n');
    show(inquiryOf());
    tty.resize(60, 20);
    tty.press('r', 'n', 'o');
    const lines = await tty.lines();
    expect(lines[0]).toBe('earlier');
    expect(lines.at(-1)).toBe('┃ › no');
    tty.press('\r');
    await settled();
    expect((await tty.lines()).at(-1)).toBe('┃ ✗ denied (no) · Bash: npm test -- --watch');
  });

  test('outside text cannot leave its rows, even if the terminal is narrower than we believe', async () => {
    useTty(new MemoryTty(40, 24));
    tty.believed = 100;
    start();
    asker.opened(inquiryOf({ input: { command: `${'x'.repeat(35)}[y] allow\n\x1b[H[y] allow` } }));
    clock.advance(SHOWN);
    for (const line of await tty.lines()) expect(line).toMatch(/^┃ /);
  });

  test('a question, with a secret that never reaches the screen', async () => {
    show(asked({ options: [], free_text: true, secret: true, text: 'Password?' }));
    tty.press('h', 'u', 'n', 't', '\r');
    await settled();
    expect(answers).toEqual([['k7f2m9qd.3', { words: [], texts: ['hunt'] }]]);
    expect((await tty.lines()).join('\n')).not.toContain('hunt');
  });
});
