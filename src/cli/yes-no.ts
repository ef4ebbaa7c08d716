/** One yes-or-no question on /dev/tty. Anything but a plain y is no; other keys are ignored. */
import type { Tty } from './channels.js';

const KEYS = ['y', 'n', '\r', '\x03', '\x1b'];

export async function askYesNo(tty: Tty, question: string): Promise<boolean> {
  tty.write(question);
  const yes = await new Promise<boolean>((resolve) => {
    const undo = tty.keys((bytes) => {
      const key = bytes.toString('utf8').toLowerCase();
      if (!KEYS.includes(key)) return;
      undo();
      resolve(key === 'y');
    });
  });
  tty.write(yes ? 'yes\r\n' : 'no\r\n');
  return yes;
}
