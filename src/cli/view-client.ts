/** What the viewers share: where keys come from, how a screen begins, the link's types under one name. */
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

export type { HostClient, Incoming } from '../link/index.js';

/** A redraw starts from nothing: colours off, screen cleared, cursor home. */
export const newScreen = Buffer.from('\x1b[0m\x1b[H\x1b[2J\x1b[3J');

/** stdin if it is a terminal, else /dev/tty (stdin may be a pipe with content), else nothing. */
export function keySource(): ReadStream | undefined {
  if (process.stdin.isTTY) return process.stdin;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined; // no terminal at all: a viewer without keys
  }
}
