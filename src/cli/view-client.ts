/** What the viewers share: where keys come from, the link's types under one name. */
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

export type { HostClient, Incoming } from '../link/index.js';

/** stdin if it is a terminal, else /dev/tty (stdin may be a pipe with content), else nothing. */
export function keySource(): ReadStream | undefined {
  if (process.stdin.isTTY) return process.stdin;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined; // no terminal at all: a viewer without keys
  }
}
