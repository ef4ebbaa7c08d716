/**
 * How a plan, which is pure, looks at the files that decide it: the agent's own settings, the repository's instructions.
 * Only what is there as a plain file is read, and only so much of it.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import type { Look } from './adapter.js';

/** Settings and instructions are small; what is larger is something else. */
const LARGEST = 4 * 1024 * 1024;
const ABSENT = ['ENOENT', 'ENOTDIR'];

const isAbsent = (error: unknown): boolean => ABSENT.includes((error as NodeJS.ErrnoException).code ?? '');

export const look: Look = {
  real(path) {
    try {
      return realpathSync(path);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  },
  text(file) {
    let fd: number;
    try {
      // A FIFO in its place must not hold the host.
      fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    try {
      const about = fstatSync(fd);
      if (!about.isFile()) throw new Error(`${file} is not a file`);
      if (about.size > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`);
      return readFileSync(fd, 'utf8');
    } finally {
      closeSync(fd);
    }
  },
  names(folder) {
    try {
      return readdirSync(folder).sort();
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  },
};
