/** A terminal's name for another program. */
import { fstatSync, readlinkSync } from 'node:fs';
import type { TerminalName } from '../contract/index.js';

/** The name under which another program can open the terminal that is open here; none where there is no /proc. */
export function terminalName(fd: number): TerminalName | undefined {
  try {
    const { dev, ino, rdev } = fstatSync(fd);
    return { path: readlinkSync(`/proc/self/fd/${fd}`), dev, ino, rdev };
  } catch {
    return undefined;
  }
}
