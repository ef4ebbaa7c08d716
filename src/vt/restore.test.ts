/** Every thing an agent may switch on a person's terminal is put back, by the sieve's own account and by a real emulator's. */
import { createRequire } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { ALTERNATE_MODES, ANSI_MODES, PRIVATE_MODES, QUIET } from './modes.js';
import { Sieve } from './sieve.js';

const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless');

const sieve = () => new Sieve(() => ({ mayAnswer: false, mayCopy: false }));

/** What is written on leaving, after so much output. */
function left(...chunks: string[]): string {
  const one = sieve();
  for (const chunk of chunks) one.pass(Buffer.from(chunk));
  return one.giveBack();
}
const LEAVE = '\x1b[?1049l';

const AWAY: [string, string][] = [
  ...Object.entries(PRIVATE_MODES)
    .filter(([mode]) => mode !== '66')
    .map(([mode, home]): [string, string] => [`\x1b[?${mode}${home === 'h' ? 'l' : 'h'}`, `\x1b[?${mode}${home}`]),
  ...[...ANSI_MODES].map((mode): [string, string] => [`\x1b[${mode}h`, `\x1b[${mode}l`]),
  ...[...ALTERNATE_MODES].map((mode): [string, string] => [`\x1b[?${mode}h`, LEAVE]),
  ['\x1b=', '\x1b>'],
  ['\x1b[?66h', '\x1b>'],
  ['\x1b[?1;66h', '\x1b>'],
  ['\x1b[5 q', '\x1b[0 q'],
  ['\x1b[ q', '\x1b[0 q'],
  ['\x1b[>4;2m', '\x1b[>4m'],
  ['\x1b[>4n', '\x1b[>4m'],
  ['\x1b[1"q', '\x1b[0"q'],
  ['\x1b[3g', '\x1bH'],
  ['\x1bH', '\x1b[3g'],
  ['\x1b(0', '\x1b(B'],
  ['\x1b)0', '\x1b)B'],
  ['\x1b*0', '\x1b*B'],
  ['\x1b+0', '\x1b+B'],
  ['\x0e', '\x0f'],
  ['\x1b[2;5r', '\x1b[r'],
  ['\x1b[31;4:3m', '\x1b[0m'],
  ['\x1b]8;;https://example.com\x07', '\x1b]8;;\x1b\\'],
  ['\x1b]0;title\x07', '\x1b[23;0t'],
  ['\x1b]2;title\x1b\\', '\x1b[23;0t'],
  ['\x1b[22;0t', '\x1b[23;0t'],
  ['\x1b]4;1;red\x07', '\x1b]104;1\x1b\\'],
  ['\x1b]4;1;red;7;blue\x07', '\x1b]104;7\x1b\\'],
  ['\x1b]10;red\x07', '\x1b]110\x1b\\'],
  ['\x1b]10;red;blue\x07', '\x1b]111\x1b\\'],
  ['\x1b]11;red\x07', '\x1b]111\x1b\\'],
  ['\x1b]12;red\x07', '\x1b]112\x1b\\'],
  ['\x1b]9;4;1;50\x07', '\x1b]9;4;0\x1b\\'],
  ['\x1b[>1u', '\x1b[<1u'],
  ['\x1b[=1u', '\x1b[<1u'],
  ['\x1b[=5;2u', '\x1b[<1u'],
  ['\x1b[>1u\x1b[=3;1u', '\x1b[<1u'],
];

describe('S2: what an agent switched is put back when it is left', () => {
  it.each(AWAY)('%j by %j, however it was cut', (set, undo) => {
    expect(left(set)).toContain(undo);
    expect(left(...set)).toContain(undo);
    expect(left('text', `${set}more`)).toContain(undo);
  });

  it.each(AWAY.filter(([, undo]) => !QUIET.includes(undo)))('%j: not by %j where nobody did it', (_, undo) =>
    expect(left('text')).not.toContain(undo),
  );

  it('whoever takes the terminal over puts it back the same', () => {
    for (const [set] of AWAY) {
      const [host, viewer] = [sieve(), sieve()];
      host.pass(Buffer.from(set));
      viewer.adopt(JSON.parse(JSON.stringify(host.left)));
      expect(viewer.giveBack()).toBe(left(set));
    }
  });

  it('names from elsewhere that are none are nothing', () => {
    const one = sieve();
    one.adopt({ away: ['?9999', 'x', '\x1b]52;c;?\x07', 'constructor'], keyboards: [1e9, -1], titles: 1e9, held: '' });
    expect(one.giveBack().length).toBeLessThan(300);
  });
});

test('the alternate screen is left only by who entered it, however the sequence was cut', () => {
  expect(left('plain text')).not.toContain(LEAVE);
  expect(left('\x1b[?1049h')).toContain(LEAVE);
  expect(left('\x1b[?10', '49h')).toContain(LEAVE);
  expect(left('x\x1b', '[?1049h')).toContain(LEAVE);
  expect(left('\x1b[?25;1049h')).toContain(LEAVE);
  expect(left('\x1b[?1049h', 'text', '\x1b[?1049l')).not.toContain(LEAVE);
});

test('kitty keyboard modes are taken off their stack as often as they were put there, never more', () => {
  expect(left('nothing')).not.toMatch(/\x1b\[<\d*u/);
  expect(left('\x1b[>1u')).toContain('\x1b[<1u');
  expect(left('\x1b[>1u\x1b[>5u')).toContain('\x1b[<2u');
  expect(left('\x1b[>1u', '\x1b[<u')).not.toMatch(/\x1b\[<\d*u/);
  expect(left('\x1b[>1u', '\x1b[<9u', '\x1b[>1u')).toContain('\x1b[<1u');
});

test('S2: keyboard modes of the alternate screen are taken off there, the others behind it', () => {
  expect(left('\x1b[>1u\x1b[?1049h\x1b[>3u')).toMatch(/^\x1b\[<1u\x1b\[\?1049l\x1b\[<1u/);
});

test('the cursor, mouse and paste modes are given back blindly', () => {
  for (const mode of ['\x1b[?25h', '\x1b[?1000l', '\x1b[?2004l', '\x1b[0m']) expect(left('')).toContain(mode);
});

/** What an emulator says of itself, so far as it does. */
function state(terminal: InstanceType<typeof Terminal>) {
  const core = (terminal as unknown as { _core: { coreService: { decPrivateModes: object; modes: object } } })._core;
  return structuredClone({
    modes: { ...terminal.modes },
    more: { ...core.coreService.decPrivateModes },
    ansi: { ...core.coreService.modes },
    screen: terminal.buffer.active.type,
    shown: Reflect.get(Reflect.get(core, 'coreService') as object, 'isCursorHidden'),
  });
}

test('S2: an emulator that was given back is as it was before', async () => {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const write = (text: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const before = state(terminal);
  for (const [set] of AWAY) {
    const one = sieve();
    await write(one.pass(Buffer.from(set)));
    await write(one.giveBack());
    expect({ set, ...state(terminal) }).toEqual({ set, ...before });
  }
  const all = sieve();
  await write(all.pass(Buffer.from(AWAY.map(([set]) => set).join(''))));
  expect(state(terminal)).not.toEqual(before);
  await write(all.giveBack());
  expect(state(terminal)).toEqual(before);
  terminal.dispose();
});
