import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { Sieve } from './sieve.js';
import type { Rights } from './sieve-rules.js';

const DRIVER: Rights = { mayAnswer: true, mayCopy: true };
const WATCHER: Rights = { mayAnswer: false, mayCopy: false };

const through = (text: string, rights: Rights = WATCHER): string =>
  Buffer.from(new Sieve(() => rights).pass(Buffer.from(text))).toString();

/** Answered with numbers: whoever drives may answer them, nobody else. */
const QUESTIONS = [
  '\x1b[c',
  '\x1b[0c',
  '\x1b[>c',
  '\x1b[=c',
  '\x1b[5n',
  '\x1b[6n',
  '\x1b[?6n',
  '\x1b[?996n',
  '\x1b[>0q',
  '\x1b[?u',
  '\x1b[?2026$p',
  '\x1b[4$p',
  '\x1b[14t',
  '\x1b[18t',
  '\x1b]11;?\x07',
  '\x1b]10;?;?\x1b\\',
  '\x1b]4;1;?\x07',
  '\x1bZ',
];

/** What no terminal of a person's may get: answers with text in them, and power over more than cells. */
const NEVER = [
  ['the clipboard read out', '\x1b]52;c;?\x07'],
  ['… of the selection', '\x1b]52;p;?\x1b\\'],
  ['… of two at once', '\x1b]52;pc;?\x1b\\'],
  ['… of none', '\x1b]52;;?\x07'],
  ['… by kitty’s own way', '\x1b]5522;type=read;dGV4dA==\x1b\\'],
  ['… in tmux’s passthrough', '\x1bPtmux;\x1b\x1b]52;c;?\x07\x1b\\'],
  ['… behind an unfinished string', '\x1b]0;x\x1b]52;c;?\x07'],
  ['… with controls in between', '\x1b]5\x002;c;?\x07'],
  ['… with a control of the eighth bit', '\u009d52;c;?\u009c'],
  ['… with leading zeros', '\x1b]052;c;?\x07'],
  ['a clipboard larger than any', `\x1b]52;c;${'A'.repeat(200_000)}\x07`],
  ['the title read out', '\x1b[21t'],
  ['the icon’s title read out', '\x1b[20t'],
  ['a window moved', '\x1b[3;0;0t'],
  ['a window made small', '\x1b[2t'],
  ['a window resized', '\x1b[8;10;10t'],
  ['the screen’s checksum', '\x1b[1;1;1;1;10;10*y'],
  ['the cursor’s report', '\x1b[1$w'],
  ['a setting', '\x1bP$qm\x1b\\'],
  ['a capability', '\x1bP+q544e\x1b\\'],
  ['terminal parameters', '\x1b[x'],
  ['keyboard resources', '\x1b[?4m'],
  ['graphics limits', '\x1b[?1;1S'],
  ['a printer', '\x1b[5i'],
  ['the screen printed', '\x1b[i'],
  ['the keyboard locked', '\x1b[2h'],
  ['132 columns', '\x1b[?40;3h'],
  ['a mode that nobody knows', '\x1b[?4711h'],
  ['highlight tracking, which waits for ever', '\x1b[1;1;1;1;5T'],
  ['another character encoding', '\x1b%@'],
  ['controls of eight bits', '\x1b G'],
  ['another conformance level', '\x1b[61"p'],
  ['the answerback', '\x05'],
  ['a title without any text', '\x1b]1\x07'],
  ['a link without any', '\x1b]8\x1b\\'],
  ['a font', '\x1b]50;#1\x07'],
  ['a file by iTerm', '\x1b]1337;File=name=eA==;size=1:QQ==\x07'],
  ['a variable by iTerm', '\x1b]1337;ReportVariable=eA==\x07'],
  ['the working directory', '\x1b]7;file:///tmp/evil\x07'],
  ['a command of Emacs', '\x1b]51;Eevil\x07'],
  ['a program by ConEmu', '\x1b]9;7;calc\x07'],
  ['a command of an editor’s shell', '\x1b]633;E;rm -rf /;\x07'],
  ['a pointer', '\x1b]22;crosshair\x07'],
  ['a notification that answers', '\x1b]99;i=1:a=report;click\x1b\\'],
  ['what notifications can do', '\x1b]99;i=1:p=?;\x1b\\'],
  ['a picture by its file', '\x1b_Ga=T,t=f;L2V0Yy9wYXNzd2Q=\x1b\\'],
  ['whether pictures are understood', '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\'],
  ['a privacy message', '\x1b^x\x1b\\'],
  ['a title of screen', '\x1bkx\x1b\\'],
] as const;

const KEPT = [
  'text 漢字 🐎 é',
  '\x1b[31m',
  '\x1b[38:2::1:2:3;4:3m',
  '\x1b[2J',
  '\x1b[1;5H',
  '\x1b[?1049h',
  '\x1b[22;0;0t',
  '\x1b[1 q',
  '\x1b[>1u',
  '\x1b[>4;2m',
  '\x1b[!p',
  '\x1b]8;;https://example.com/?a=b\x07',
  '\x1b]8;id=1;https://example.com/\x1b\\',
  '\x1b]11;#000000\x07',
  '\x1b]4;1;rgb:00/ff/00;2;red\x1b\\',
  '\x1b]9;4;1;50\x07',
  '\x1bPq#0;2;0;0;0~\x1b\\',
  '\x1b7\x1b8\x1bM\x1bD\x1bE\x1b(0\x1b(B\x1b#8',
  '\r\n\t\x07\b\x0e\x0f',
];

/** The same but for a shorter way to say it. */
const plain = (text: string): string => text.replaceAll('\x1b[22;0;0t', '\x1b[22;0t');

describe('S7: what an agent prints does not reach beyond the cells of a person’s terminal', () => {
  it.each(NEVER)('%s', (_, text) => {
    expect(through(`a${text}b`, DRIVER)).toBe('ab');
    expect(through(`a${text}b`)).toBe('ab');
  });

  it.each(QUESTIONS)('%j is answered by who drives, and nobody else is asked', (text) => {
    expect(through(`a${text}b`, DRIVER)).toBe(`a${text}b`);
    expect(through(`a${text}b`)).toBe('ab');
  });

  it.each(KEPT)('%j passes', (text) => expect(through(`a${text}b`)).toBe(`a${plain(text)}b`));

  it('the clipboard is written by whoever may, and by nobody else', () => {
    const copy = '\x1b]52;c;aGVsbG8=\x07';
    expect(through(copy, DRIVER)).toBe(copy);
    expect(through(copy, { mayAnswer: true, mayCopy: false })).toBe('');
    expect(through(copy)).toBe('');
  });

  it('a title keeps the user’s below it', () => expect(through('\x1b]0;what?\x07')).toBe('\x1b[22;0t\x1b]0;what?\x07'));

  it('a full reset takes nothing that is the user’s', () => {
    const text = through('\x1b[?1049h\x1bc');
    expect(text).not.toContain('\x1bc');
    expect(text).toContain('\x1b[?1049l');
    expect(text).toMatch(/\x1b\[2J$/);
  });

  it('a keyboard mode that is set in place lies above the user’s', () => {
    expect(through('\x1b[=5;1u')).toBe('\x1b[>0u\x1b[=5;1u');
    expect(through('\x1b[<9u')).toBe('');
    expect(through('\x1b[>1u\x1b[<9u')).toBe('\x1b[>1u\x1b[<1u');
  });
});

test('S7: however it is cut into pieces, what passes is the same', () => {
  const never = NEVER.map(([, text]) => text).filter((text) => text.length < 1000);
  const part = fc.oneof(fc.constantFrom(...QUESTIONS), fc.constantFrom(...never), fc.constantFrom(...KEPT));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(8), { maxLength: 60 }), (parts, cuts) => {
      const all = Buffer.from(`${parts.join('')}.`);
      const whole = Buffer.from(new Sieve(() => WATCHER).pass(all)).toString('latin1');
      let sieve = new Sieve(() => WATCHER);
      let shown = '';
      let at = 0;
      for (const cut of cuts) {
        shown += Buffer.from(sieve.pass(all.subarray(at, at + cut))).toString('latin1');
        at += cut;
        // The terminal changes hands in the middle.
        const next = new Sieve(() => WATCHER);
        next.adopt(JSON.parse(JSON.stringify(sieve.left)));
        if (!sieve.left.held.startsWith('\x1bX')) sieve = next;
      }
      shown += Buffer.from(sieve.pass(all.subarray(at))).toString('latin1');
      expect(shown).toBe(whole);
    }),
  );
});

test('S7: whatever bytes come, none that asks or copies comes out', () => {
  const dangerous =
    /\x1b\](?!0;|1;|2;|4;|8;|9;|1\d[;\x1b\x07]|99;|104|11\d|777;)|\x05|\x1bP(?![\d;]*q)|\x1b[_^X%k]|\x1b\[[\d;]*[cnixy]|\u009b|\u009d/;
  const byte = fc.constantFrom(
    ...[...'\x1b\x1b\x1b]];;[?52c\x07\\\x18P_tmux0147$qyn\x05 \u009d\u009b\u009c'].flatMap((one) => [
      ...Buffer.from(one),
    ]),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (bytes) => {
      const text = Buffer.from(new Sieve(() => WATCHER).pass(Uint8Array.from(bytes))).toString('utf8');
      expect(text).not.toMatch(dangerous);
    }),
    { numRuns: 5000 },
  );
});

test('a string without an end is not held back for ever', () => {
  const sieve = new Sieve(() => WATCHER);
  const mega = Buffer.alloc(1024 * 1024 + 1, 'A');
  sieve.pass(Buffer.from('\x1b]0;'));
  expect(sieve.pass(mega).length).toBe(0);
  expect(Buffer.from(sieve.pass(Buffer.from('text'))).toString()).toBe('text');
});
