/**
 * The file an agent keeps about itself: it may say that the agent waits for somebody although the screen does not show it
 * yet, or shows something nobody can read. It never says that a dialog is gone: it is written late.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Tui } from '../../adapters/index.js';
import { asks } from './may-type.js';

/** It has some hundred bytes. */
const LONGEST = 16 * 1024;

/** A wrapper's children: the agent itself is among the first. */
const MOST_PROCESSES = 8;

/** Contract: never throws. Only the files of these processes are opened, no others in their folder. */
export function saysItWaits(tui: Tui, pids: () => number[]): boolean {
  const { statusFile, status } = tui;
  if (!statusFile || !status) return false;
  for (const pid of pids().slice(0, MOST_PROCESSES)) {
    const content = read(statusFile(pid));
    const state = content === undefined ? undefined : status(content);
    if (state !== undefined) return asks(state);
  }
  return false;
}

function read(path: string): string | undefined {
  let file: number | undefined;
  try {
    // Not to be held up by what somebody may have put there instead of a file.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(LONGEST);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, LONGEST, 0));
  } catch {
    return undefined; // not there (yet), or not ours to read: it says nothing
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
