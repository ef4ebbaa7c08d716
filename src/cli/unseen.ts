/**
 * A line that must not be seen: not on the screen, not in the shell's history, not among the arguments that every process
 * can read. From a pipe where something is piped in, else typed on /dev/tty without an echo.
 */
import { ReinsError } from '../contract/index.js';
import { openTty, type Tty } from './channels.js';

/** More than a terminal takes as one line. */
const LONGEST_BYTES = 8 * 1024;

export async function readUnseen(question: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine(process.stdin);
  const tty = openTty();
  if (!tty) {
    throw new ReinsError('USAGE', {
      problem: 'there is no terminal to type the secret at',
      fix: 'pipe it in: reins answer ID --secret < FILE',
    });
  }
  try {
    return await typedUnseen(tty, question);
  } finally {
    tty.close();
  }
}

async function firstLine(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
    if (bytes.includes(0x0a) || length > LONGEST_BYTES) break;
  }
  const [line = ''] = Buffer.concat(parts).toString('utf8').split('\n');
  return line.replace(/\r$/, '');
}

/** Exported for its test. */
export function typedUnseen(tty: Pick<Tty, 'write' | 'keys'>, question: string): Promise<string> {
  tty.write(question);
  let line = '';
  const decoder = new TextDecoder();
  return new Promise((resolve, reject) => {
    const undo = tty.keys((bytes) => {
      const end = (finish: () => void) => {
        undo();
        tty.write('\r\n');
        finish();
      };
      for (const char of decoder.decode(bytes, { stream: true }).replace(/\x1b(?:\[[\d;]*[ -/]*[@-~]|.)?/g, '')) {
        if (char === '\r' || char === '\n') return end(() => resolve(line));
        if (char === '\x03' || char === '\x04') return end(() => reject(cancelled()));
        if (char === '\x7f' || char === '\b') line = [...line].slice(0, -1).join('');
        else if (char === '\x15') line = '';
        else if (char >= ' ' && Buffer.byteLength(line) < LONGEST_BYTES) line += char;
      }
    });
  });
}

const cancelled = (): ReinsError =>
  new ReinsError('USAGE', { problem: 'nothing was typed', fix: 'the inquiry still waits: see reins inbox' });
