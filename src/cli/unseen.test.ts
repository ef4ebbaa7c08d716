import { describe, expect, it } from 'vitest';
import { typedUnseen } from './unseen.js';

/** A terminal that shows what is written to it, and types what it is told to. */
function terminal() {
  let keys: ((bytes: Buffer) => void) | undefined;
  const shown: string[] = [];
  const tty = {
    write: (text: string) => void shown.push(text),
    keys: (call: (bytes: Buffer) => void) => {
      keys = call;
      return () => {
        keys = undefined;
      };
    },
  };
  return { tty, shown, type: (bytes: string | Buffer) => keys?.(Buffer.from(bytes)), isOpen: () => keys !== undefined };
}

describe('a line that is typed unseen', () => {
  it('shows nothing of it, and takes back what is erased', async () => {
    const { tty, shown, type, isOpen } = terminal();
    const line = typedUnseen(tty, 'Password: ');
    for (const bytes of ['wrong\x15', 'geh', 'ein', '\x7fm', '\x1b[A', '\r']) type(bytes);
    expect(await line).toBe('geheim');
    expect(shown).toEqual(['Password: ', '\r\n']);
    expect(isOpen()).toBe(false);
  });

  it('a letter may come in pieces', async () => {
    const { tty, type } = terminal();
    const line = typedUnseen(tty, '');
    const umlaut = Buffer.from('ö');
    type(umlaut.subarray(0, 1));
    type(umlaut.subarray(1));
    type('\r');
    expect(await line).toBe('ö');
  });

  it.each(['\x03', '\x04'])('%j leaves it', async (key) => {
    const { tty, type, isOpen } = terminal();
    const line = typedUnseen(tty, '');
    type(`half${key}`);
    await expect(line).rejects.toMatchObject({ code: 'USAGE' });
    expect(isOpen()).toBe(false);
  });
});
