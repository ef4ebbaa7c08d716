/**
 * The temporary folder that events come into (emit-drop.ts). A host that is killed leaves its own behind; its name says
 * whose it was, so the next host that makes one takes it away.
 */
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../proc/index.js';
import { ownIdentity } from '../proc/peer.js';

/** Nobody can ever make something here. */
const NOWHERE = '/dev/null/reins-emit';
const OURS = /^reins-emit-(\d{1,10})-(\d{1,20})-\w{6}$/;
/** Seen from another container a host that lives looks dead; after a day it is worth the doubt. */
const OLD_MS = 24 * 60 * 60 * 1000;
/** What is left over is left for the next one. */
const MOST_FOLDERS = 100;
const MOST_FILES = 500;

/** Without a temporary folder there is no way out of a sandbox, but the loop goes on: it stops no work. */
export function newEmitFolder(): string {
  try {
    const { pid, startTicks } = ownIdentity();
    return mkdtempSync(join(tmpdir(), `reins-emit-${pid}-${startTicks}-`));
  } catch {
    return NOWHERE;
  }
}

/** Contract: never throws, and takes nothing away of a host that lives, nor of another user. */
export function sweepEmitFolders(now: number): void {
  try {
    const names = readdirSync(tmpdir()).filter((name) => OURS.test(name));
    for (const name of names.slice(0, MOST_FOLDERS)) sweep(name, now);
  } catch {
    // No temporary folder to be read: nothing to be swept either.
  }
}

function sweep(name: string, now: number): void {
  const [, pid, ticks] = OURS.exec(name)!;
  const folder = join(tmpdir(), name);
  try {
    const facts = lstatSync(folder);
    const isDead = facts.isDirectory() && facts.uid === process.getuid?.() && !isAlive(Number(pid), Number(ticks));
    if (!isDead || now - facts.mtimeMs < OLD_MS) return;
    // Plain files only: how deep the folders of an agent go is nobody's to find out.
    for (const file of readdirSync(folder).slice(0, MOST_FILES)) rmSync(join(folder, file), { force: true });
    rmdirSync(folder);
  } catch {
    // Gone meanwhile, or something in it is no file: it stays.
  }
}
