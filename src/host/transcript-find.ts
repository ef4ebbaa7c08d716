/**
 * Looks for transcript files: newest names first, only as deep as the agent lays them, and never through more entries
 * than a look is worth. Where several could be the one, the file that the agent itself holds open is.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptPlace } from '../adapters/index.js';

/** Directory entries one look may see; a machine full of old conversations must not stall the session. */
const MOST_ENTRIES = 5_000;
/** The first line of a codex rollout holds the model's whole instructions. */
const HEAD_BYTES = 256 * 1024;

export interface FoundFile {
  path: string;
  bytes: number;
  bornAt: number;
}

/** Contract: never throws; folders that are not there hold nothing. */
export function transcriptsIn(place: TranscriptPlace): FoundFile[] {
  let left = MOST_ENTRIES;
  const walk = (dir: string, depth: number): FoundFile[] => {
    const found: FoundFile[] = [];
    // Newest first: dated names sort that way, for the others the order does not matter.
    for (const entry of listed(dir).reverse()) {
      left -= 1;
      if (left < 0) break;
      const path = join(dir, entry.name);
      if (depth > 0) {
        if (entry.isDirectory()) found.push(...walk(path, depth - 1));
      } else if (entry.isFile() && place.name.test(entry.name)) found.push(...factsOf(path));
    }
    return found;
  };
  return walk(place.dir, place.depth);
}

function listed(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // Not there yet.
  }
}

function factsOf(path: string): FoundFile[] {
  try {
    const { size, birthtimeMs, mtimeMs } = statSync(path);
    return [{ path, bytes: size, bornAt: birthtimeMs || mtimeMs }];
  } catch {
    return []; // Gone between two looks.
  }
}

/** The first line, if it is complete. */
export function headOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    const head = bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0));
    const end = head.indexOf(0x0a);
    return end < 0 ? undefined : head.subarray(0, end).toString('utf8');
  } catch {
    return undefined; // Gone, or not ours to read.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** What a process wrote about itself; not what an earlier one with its number left behind. */
export function noteAt(path: string, since: number): string | undefined {
  try {
    return statSync(path).mtimeMs < since - 1000 ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined; // Not there: most processes of an agent keep none.
  }
}

/** Whether one of these processes has the file open; undefined where the system does not say. */
export function isHeldBy(path: string, pids: readonly number[]): boolean | undefined {
  let known: boolean | undefined;
  for (const pid of pids) {
    try {
      const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
      if (open.includes(path)) return true;
      known = false;
    } catch {
      // No such process any more, or no such place on this system: it says nothing.
    }
  }
  return known;
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // Closed meanwhile.
  }
}
