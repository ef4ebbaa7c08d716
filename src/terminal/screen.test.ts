import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HandClock, type ScreenShot } from '../contract/index.js';
import { castFixture, shotFixture, trimmed } from './cast-fixture.cases.js';
import { bytes, screenOf, told, whole } from './screen.cases.js';
import { Screen } from './screen.js';

describe('what the screen shows', () => {
  test.each([
    ['codex-states.cast', 'codex-states.04-approval-exec.txt'],
    ['03-states.cast', 'perm-bash.txt'],
    ['gemini-states.cast', 'gemini-states.04-approval-shell.txt'],
  ])('%s looks as it was seen: %s', async (cast, seen) => {
    const { size, events } = castFixture(cast);
    const { timeMs, lines } = shotFixture(seen);
    const screen = screenOf({ size });
    const shots: string[][] = [];
    // The moment of the picture is rounded: the screens around it count.
    for (const event of events.filter(({ code }) => code === 'o')) {
      if (event.timeMs > timeMs + 400) break;
      screen.write(bytes(event.data));
      if (event.timeMs > timeMs - 1000) shots.push(trimmed((await screen.shot()).lines));
    }
    expect(shots).toContainEqual(lines);
  });

  test('cursor, alternate screen and title', async () => {
    const screen = screenOf();
    screen.write(bytes('\x1b]0;working on it\x07\x1b[?1049h\x1b[?25l\x1b[3;5Hhello'));
    expect(await screen.shot()).toMatchObject({
      cols: 40,
      rows: 8,
      cursor: { x: 9, y: 2, visible: false },
      alternate: true,
      title: 'working on it',
      lines: ['', '', '    hello', '', '', '', '', ''],
    });
  });

  test('a shot holds everything written before, sizes in order', async () => {
    const screen = screenOf({ size: { cols: 10, rows: 2 } });
    screen.write(bytes('0123456789abc'));
    screen.resize({ cols: 20, rows: 3 });
    screen.write(bytes('!'));
    const shot = await screen.shot();
    expect([shot.cols, shot.rows, shot.lines.join('')]).toEqual([20, 3, '0123456789abc!']);
  });

  test('scrollback on demand, no more than is kept', async () => {
    const screen = screenOf({ scrollback: 5 });
    for (let i = 1; i <= 30; i++) screen.write(bytes(`line ${i}\r\n`));
    expect((await screen.shot({ scrollback: 100 })).lines[0]).toBe('line 19');
    expect((await screen.shot({ scrollback: 2 })).lines).toHaveLength(10);
  });

  test('rows with colours draw the same rows', async () => {
    const screen = screenOf();
    screen.write(
      bytes('\x1b[1;31mred\x1b[0m plain \x1b[48;5;200mpink\x1b[38;2;1;2;3mrgb\x1b[m\r\n  \x1b[92;7mgreen 日本\x1b[m'),
    );
    const again = screenOf();
    again.write(bytes((await screen.ansi()).replaceAll('\n', '\r\n')));
    expect(await again.ansi()).toBe(await screen.ansi());
    expect((await again.shot()).lines).toEqual((await screen.shot()).lines);
  });
});

describe('the emulator is loaded only when needed', () => {
  test('quiet output does not load it', async () => {
    const screen = screenOf();
    for (let i = 0; i < 100; i++) screen.write(bytes(`a line of output ${i} \x1b[32mok\x1b[0m\r\n`));
    await new Promise(setImmediate);
    expect(screen.isLoaded).toBe(false);
    expect((await screen.shot()).lines[6]).toBe('a line of output 99 ok');
    expect(screen.isLoaded).toBe(true);
  });

  test('more than waits raw loads it, and nothing is lost', async () => {
    const screen = screenOf();
    for (let i = 0; i < 20_000; i++) screen.write(bytes(`line number ${i}\r\n`));
    await screen.drained();
    expect((await screen.shot()).lines.slice(-3)).toEqual(['line number 19998', 'line number 19999', '']);
  });

  test('a flood is held within bounds without anyone waiting', async () => {
    const screen = screenOf();
    await screen.shot();
    const chunk = bytes(`${'x'.repeat(78)}\r\n`.repeat(800));
    let behind = 0;
    for (let i = 0; i < 400; i++) {
      screen.write(chunk);
      if (screen.behind) behind++;
    }
    expect(behind).toBeGreaterThan(0);
    await screen.drained();
    expect(screen.behind).toBe(false);
    expect((await screen.snapshot()).offset).toBe(400 * chunk.length);
  });
});

test('in a flood that begins in the middle of a sequence, a snapshot holds everything written before', async () => {
  const screen = screenOf({ clock: new HandClock() });
  const line = '\x1b[31mred\x1b[0m and a line of text\r\n';
  screen.write(bytes(line + line.slice(0, 3)));
  await screen.snapshot();
  const flood = bytes(line.slice(3) + line.repeat(20_000));
  let asked: { from: number; snapshot: Promise<{ offset: number }> } | undefined;
  for (let at = 0; at < flood.length; at += 50_000) {
    screen.write(flood.subarray(at, at + 50_000));
    // While more follows: who asks now gets at least what was there now.
    if (at === 200_000) asked = { from: screen.offset, snapshot: screen.snapshot() };
  }
  expect((await asked!.snapshot).offset).toBeGreaterThanOrEqual(asked!.from);
  expect((await screen.snapshot()).offset).toBe(screen.offset);
  expect((await screen.shot()).lines[0]).toBe('red and a line of text');
});

test('property: in a flood cut anywhere, whoever asks at any moment gets what was there, and the end is the same', async () => {
  const line = (n: number): string => `\x1b[${31 + (n % 7)}mline ${n}\x1b[0m größer 漢字 \x1b[1mbold\x1b[22m\r\n`;
  const flood = bytes(Array.from({ length: 14_000 }, (_, n) => line(n)).join(''));
  const plain = screenOf({ clock: new HandClock() });
  plain.write(flood);
  const expected = (await plain.shot({ scrollback: 1000 })).lines;
  const cuts = fc.array(fc.record({ at: fc.nat(flood.length), ask: fc.boolean(), turn: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(cuts, async (given) => {
      const screen = screenOf({ clock: new HandClock() });
      if (given[0]!.ask) await screen.shot();
      const asked: { from: number; snapshot: ReturnType<Screen['snapshot']> }[] = [];
      let from = 0;
      const end = { at: flood.length, ask: true, turn: true };
      for (const { at, ask, turn } of [...given.sort((a, b) => a.at - b.at), end]) {
        screen.write(flood.subarray(from, at));
        from = at;
        if (ask) asked.push({ from: screen.offset, snapshot: screen.snapshot() });
        if (turn) await new Promise(setImmediate);
      }
      for (const one of asked) expect((await one.snapshot).offset).toBeGreaterThanOrEqual(one.from);
      expect((await screen.shot({ scrollback: 1000 })).lines).toEqual(expected);
      screen.close();
    }),
    { numRuns: 40 },
  );
});

describe('while nobody watches', () => {
  test('a question is answered at once, wherever it is cut, also once the emulator is there', async () => {
    const screen = screenOf();
    for (const [...parts] of [['\x1b[c'], ['some text \x1b', '[c'], ['\x1b[', 'c and more'], ['\x1b', '[', 'c']]) {
      const answer = told<Uint8Array>((call) => screen.onReply(call));
      for (const part of parts) {
        screen.write(bytes(part));
        await new Promise(setImmediate);
      }
      expect(Buffer.from(await answer).toString()).toMatch(/^\x1b\[\?[\d;]+c$/);
    }
  });

  test('what the driver’s own terminal was asked is not answered again when we answer', async () => {
    for (const loaded of [false, true]) {
      const screen = screenOf();
      if (loaded) await screen.shot();
      const answers: string[] = [];
      screen.onReply((reply) => answers.push(Buffer.from(reply).toString()));
      screen.answering = false;
      screen.write(bytes('\x1b[c'));
      screen.answering = true;
      screen.write(bytes('\x1b[5n'));
      await screen.shot();
      expect(answers).toEqual(['\x1b[0n']);
    }
  });

  test('what waits is on the screen as soon as somebody asks or watches', async () => {
    const screen = screenOf();
    await screen.shot();
    screen.write(bytes('first'));
    const shown = await told<ScreenShot>((call) => screen.onFrame(call));
    expect(shown.lines[0]).toBe('first');
    screen.write(bytes(' second'));
    expect((await screen.shot()).lines[0]).toBe('first second');
  });
});

describe('snapshot', () => {
  test('redraws screen, modes and title on a terminal that showed something else', async () => {
    const screen = screenOf();
    screen.write(
      bytes(
        'one\r\n\x1b]2;title\x07\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[?1h\x1b[?25l\x1b[2;5r\x1b[4;3H\x1b[35mtail',
      ),
    );
    const other = screenOf();
    other.write(bytes('\x1b[?1049h\x1b[31mother\x1b[3;4r\x1b[?6h\x1b[4h'));
    other.write((await screen.snapshot()).bytes);
    expect(await whole(other)).toEqual(await whole(screen));
    for (const each of [screen, other]) each.write(bytes('\r\n\n\n\n\nmore'));
    expect(await whole(other)).toEqual(await whole(screen));
  });

  test('is made once per offset and shared', async () => {
    const screen = screenOf();
    screen.write(bytes('hello'));
    const first = screen.snapshot();
    expect(screen.snapshot()).toBe(first);
    expect((await first).offset).toBe(5);
    screen.write(bytes('!'));
    const second = screen.snapshot();
    expect(second).not.toBe(first);
    expect((await second).offset).toBe(6);
  });

  test('leaves out old scrollback before it grows beyond 60 KB', async () => {
    const screen = screenOf({ size: { cols: 200, rows: 50 } });
    for (let i = 0; i < 1200; i++) screen.write(bytes(`\x1b[3${i % 8}m${`${i} `.repeat(40).slice(0, 190)}\x1b[m\r\n`));
    const { bytes: drawn } = await screen.snapshot();
    expect(drawn.length).toBeLessThan(64_000);
    const other = screenOf({ size: { cols: 200, rows: 50 } });
    other.write(drawn);
    expect((await other.shot()).lines).toEqual((await screen.shot()).lines);
    expect((await other.shot({ scrollback: 1000 })).lines.length).toBeGreaterThan(150);
  });

  const piece = fc.constantFrom(
    'plain text ',
    '\r\n',
    '\n',
    '日本',
    '👍',
    'é',
    '\x1b[31m',
    '\x1b[0m',
    '\x1b[2;4H',
    '\x1b[K',
    '\x1b[2J',
    '\x1b[1;7m',
    '\x1b]0;title\x07',
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b[?25l',
    '\x1b[?25h',
    '\x1b[A',
    '\x1b[3P',
    '\x1b[2@',
    '\x1b[?2004h',
    '\x1b[3;6r',
    '\x1b[r',
    '\x1b(0',
    '\x1b(B',
    '\t',
    '\x1b[44m',
    '\x1b[X',
    '\x1b7',
    '\x1b8',
  );

  test('property: snapshot at any byte, then the rest, equals the whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(), async (pieces, at) => {
        const output = bytes(pieces.join(''));
        const cut = at % (output.length + 1);
        const [mine, theirs] = [screenOf(), screenOf()];
        mine.write(output.subarray(0, cut));
        const snapshot = await mine.snapshot();
        theirs.write(snapshot.bytes);
        mine.write(output.subarray(cut));
        theirs.write(output.subarray(cut));
        expect(snapshot.offset).toBe(cut);
        expect((await theirs.shot()).lines).toEqual((await mine.shot()).lines);
        expect(await theirs.ansi()).toBe(await mine.ansi());
        expect(await theirs.modes()).toEqual(await mine.modes());
        mine.close();
        theirs.close();
      }),
      { numRuns: 300 },
    );
  });
});

test('a character cut anywhere between two chunks is still there (xterm’s own reader loses some)', async () => {
  for (const text of ['a › b', 'x … y', '“quoted”', 'é漢🌍', '❯ 1. Yes']) {
    const bytes = new TextEncoder().encode(text);
    for (let cut = 1; cut < bytes.length; cut++) {
      const screen = new Screen({ size: { cols: 40, rows: 3 } });
      screen.write(bytes.subarray(0, cut));
      await screen.shot();
      screen.write(bytes.subarray(cut));
      expect((await screen.shot()).lines[0]).toBe(text);
      screen.close();
    }
  }
});
