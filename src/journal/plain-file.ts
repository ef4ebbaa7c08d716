/**
 * Reads a file of a session's directory that may be anything by now: a folder, a pipe that nobody writes to, another
 * user's, far too large. It never waits and never takes more than it was told.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { ReinsError } from '../contract/index.js';
import { readPart } from './lines.js';

/** Reading stops the program: so much takes a second or two. */
const MOST_BYTES = 512 * 1024 * 1024;

const WORDS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links lead in a circle',
  EISDIR: 'it is a folder',
  ENXIO: 'it is not a file',
};

export interface PlainFile {
  fd: number;
  size: number;
}

/** An open, ordinary file; undefined when there is none. Throws UNREADABLE for everything else. */
export function openPlainFile(file: string): PlainFile | undefined {
  let fd: number;
  try {
    // Without waiting: a pipe would, for somebody who writes to it.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ReinsError('UNREADABLE', { file, reason: WORDS[code] ?? message }, { cause: error });
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, size: stat.size };
  closeSync(fd);
  throw new ReinsError('UNREADABLE', { file, reason: stat.isDirectory() ? 'it is a folder' : 'it is not a file' });
}

/** Calls with it and closes it again. */
export function withPlainFile<T>(file: string, use: (opened: PlainFile) => T): T | undefined {
  const opened = openPlainFile(file);
  if (!opened) return undefined;
  try {
    return use(opened);
  } finally {
    closeSync(opened.fd);
  }
}

/** The whole file, or undefined when there is none. */
export function readPlainFile(file: string, mostBytes = MOST_BYTES): Buffer | undefined {
  return withPlainFile(file, ({ fd, size }) => {
    if (size > mostBytes) throw new ReinsError('UNREADABLE', { file, reason: `it is too large (${size} bytes)` });
    return readPart(fd, 0, size);
  });
}
