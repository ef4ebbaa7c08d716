/**
 * The one write into a file that belongs to the agent: an entry the user agreed to, which answers a first-run page before
 * it is asked. Every other byte stays; a file that is not what it should be is left alone, and the page is asked as ever.
 * The agent's own processes rewrite the same file, so its lock is taken while ours is put in.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { FileEntry } from '../adapters/index.js';
import { withJsonEntry } from '../adapters/loaded.js';
import type { Clock } from '../contract/index.js';

/** A lock this old was left by a process that died: its owner renews it every few seconds. */
const STALE_MS = 10_000;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;

export type Accepted = { did: 'added' | 'nothing' } | { did: 'refused'; reason: string };

/** Contract: never throws; `refused` leaves the file as it was. */
export async function acceptEntry(entry: FileEntry, clock: Clock): Promise<Accepted> {
  try {
    const text = read(entry.file);
    const wanted = changed(text, entry);
    if (wanted === undefined) return { did: 'refused', reason: 'it is not the JSON it should be' };
    if (wanted === text) return { did: 'nothing' };
    mkdirSync(dirname(entry.file), { recursive: true, mode: 0o700 });
    if (!(await lock(entry, clock))) return { did: 'refused', reason: 'the agent holds its lock' };
    try {
      return addTo(entry);
    } finally {
      rmdirSync(entry.lock);
    }
  } catch (error) {
    return { did: 'refused', reason: (error as Error).message };
  }
}

/** Read again: until the lock was ours, the agent may have written. */
function addTo(entry: FileEntry): Accepted {
  const text = read(entry.file);
  const wanted = changed(text, entry);
  if (wanted === undefined) return { did: 'refused', reason: 'it is not the JSON it should be' };
  if (wanted !== text) replace(entry.file, wanted);
  return { did: wanted === text ? 'nothing' : 'added' };
}

function changed(text: string | undefined, { path, value }: FileEntry): string | undefined {
  return withJsonEntry(text ?? '{}\n', path, value);
}

function read(file: string): string | undefined {
  try {
    // A byte that is no UTF-8 would be lost on the way back: then the file is left alone.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all; a link stays a link. */
function replace(file: string, text: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there && there.uid !== process.getuid?.()) throw new Error('it belongs to another user');
  const target = there ? realpathSync(file) : file;
  const draft = `${target}.reins-${process.pid}`;
  try {
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(fd, text);
      if (there) fchmodSync(fd, there.mode & 0o777);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function lock({ lock: dir }: FileEntry, clock: Clock): Promise<boolean> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    try {
      mkdirSync(dir);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = statSync(dir, { throwIfNoEntry: false });
    if (held && clock.now() - held.mtimeMs > STALE_MS) rmdirSync(dir);
    else await new Promise<void>((resolve) => void clock.after(LOCK_PAUSE_MS, resolve));
  }
  return false;
}
