import { expect, test } from 'vitest';
import { Restore } from './restore.js';

const after = (...chunks: string[]): string => {
  const restore = new Restore();
  for (const chunk of chunks) restore.watch(Buffer.from(chunk, 'latin1'));
  return restore.bytes();
};
const LEAVE = '\x1b[?1049l';

test('the alternate screen is left only by who entered it, however the sequence was cut', () => {
  expect(after('plain text')).not.toContain(LEAVE);
  expect(after('\x1b[?1049h')).toContain(LEAVE);
  expect(after('\x1b[?10', '49h')).toContain(LEAVE);
  expect(after('x\x1b', '[?1049h')).toContain(LEAVE);
  expect(after('\x1b[?25;1049h')).toContain(LEAVE);
  expect(after('\x1b[?1049h', 'text', '\x1b[?1049l')).not.toContain(LEAVE);
});

test('kitty keyboard modes are taken off their stack as often as they were put there, never more', () => {
  expect(after('nothing')).not.toMatch(/\x1b\[<\d*u/);
  expect(after('\x1b[>1u')).toContain('\x1b[<1u');
  expect(after('\x1b[>1u\x1b[>5u')).toContain('\x1b[<2u');
  expect(after('\x1b[>1u', '\x1b[<u')).not.toMatch(/\x1b\[<\d*u/);
  expect(after('\x1b[>1u', '\x1b[<9u', '\x1b[>1u')).toContain('\x1b[<1u');
});

test('the cursor, mouse and paste modes are given back blindly', () => {
  for (const mode of ['\x1b[?25h', '\x1b[?1000l', '\x1b[?2004l', '\x1b[0m']) expect(after('')).toContain(mode);
});
