/**
 * Lines in files that several hosts append to at once. One write per line, at the end wherever that is by then, so that
 * lines neither mix nor get lost; a line that was torn off by a crash is ended first, and costs only itself. Bounded: a
 * full file becomes the older half (`.1`) and a new one begins.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** Bytes of one file; two are kept. Some thousand decisions each. */
const LARGEST = 2 * 1024 * 1024;

/** A longer line is not ours: what is kept of a decision is cut to far less. */
const LONGEST_LINE = 256 * 1024;

/** Whoever turns the files over is done in a moment: a mark older than this is of one that died. */
const TURNING_MS = 10_000;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** Throws what the disk says. A link or a pipe in its place is refused: it would have us write elsewhere, or wait. */
export function appendLine(file: string, line: string, most = Number.POSITIVE_INFINITY): void {
  const fd = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const { size, nlink, isFile } = factsOf(fd);
    if (!isFile || nlink !== 1) throw new Error('it is not a file of its own');
    if (size > most) throw new Error(`it is full (${size} bytes)`);
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('the disk took only a part of it');
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function factsOf(fd: number): { size: number; nlink: number; isFile: boolean } {
  const stat = fstatSync(fd);
  return { size: stat.size, nlink: stat.nlink, isFile: stat.isFile() };
}

/** The same, with the older half put aside when it is full. */
export function appendTurning(file: string, line: string, largest = LARGEST): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= largest) turnOver(file, largest);
  appendLine(file, line);
}

/** One at a time: two would put the new file over the old half. Who appends meanwhile does so to one of both. */
function turnOver(file: string, largest: number): void {
  const turning = `${file}.turning`;
  try {
    closeSync(openSync(turning, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  } catch {
    // Another does it now, or died over it; a file that is a little too large meanwhile is no trouble.
    const since = statSync(turning, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > TURNING_MS) rmSync(turning, { force: true });
    return;
  }
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= largest) renameSync(file, `${file}.1`);
  } finally {
    rmSync(turning, { force: true });
  }
}

/** Whole lines, oldest first; none where there is no such file, or what is there is not one. */
export function linesIn(file: string, most = 2 * LARGEST): string[] {
  let fd: number;
  try {
    fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return []; // not there, or not a file of its own: it says nothing
  }
  try {
    const { size, isFile } = factsOf(fd);
    if (!isFile) return [];
    const from = Math.max(0, size - most);
    const bytes = Buffer.alloc(size - from);
    const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
    const lines = text.split('\n');
    lines.pop(); // torn, or nothing
    if (from > 0) lines.shift(); // we came into the middle of it
    return lines.filter((line) => line !== '' && line.length <= LONGEST_LINE);
  } finally {
    closeSync(fd);
  }
}
