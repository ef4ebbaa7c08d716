/**
 * The files of a recording. `terminal.cast` is written now and plain; when it has grown enough it becomes
 * `terminal.cast.<number>-<start>`, is compressed to the same name with `.gz` in the background, and a new
 * `terminal.cast` begins with a keyframe. Names carry number and start (epoch ms), so that a reader opens only what it
 * needs. A crash between any two steps leaves files that read the same: `.gz` appears by rename, then the plain one goes.
 */
import { lstat, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ZlibOptions } from 'node:zlib';

export interface Segment {
  path: string;
  number: number;
  /** Epoch milliseconds of its time zero; unknown (0) for the file that is being written until its header is read. */
  startedAt: number;
  bytes: number;
  compressed: boolean;
}

/** Loaded with the first part that is closed: most sessions end before that. */
const compress = async (bytes: Buffer, options: ZlibOptions) =>
  promisify<Buffer, ZlibOptions, Buffer>((await import('node:zlib')).gzip)(bytes, options);
const expand = async (bytes: Buffer, options: ZlibOptions) =>
  promisify<Buffer, ZlibOptions, Buffer>((await import('node:zlib')).gunzip)(bytes, options);

/** More than most segments take when they are compressed. */
const PACKED_PIECE_BYTES = 256 * 1024;

/** A segment never holds more text than this, whatever a damaged or hostile file claims. */
const MAX_SEGMENT_TEXT = 64 * 1024 * 1024;

/** The segments beside `path`, oldest first, without the one being written. */
export async function closedSegments(path: string): Promise<Segment[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(() => []);
  const found = new Map<number, Segment>();
  for (const name of names) {
    const match = name.startsWith(prefix) ? /^(\d+)-(\d+)(\.gz)?$/.exec(name.slice(prefix.length)) : null;
    if (!match) continue;
    const number = Number(match[1]);
    const compressed = match[3] !== undefined;
    if (found.get(number)?.compressed) continue;
    const file = join(dirname(path), name);
    const bytes = (await stat(file).catch(() => undefined))?.size;
    if (bytes !== undefined) found.set(number, { path: file, number, startedAt: Number(match[2]), bytes, compressed });
  }
  return [...found.values()].sort((a, b) => a.number - b.number);
}

/** The text of a segment. A file that was cut or damaged gives what can be read of it. */
export async function readSegment(segment: { path: string; compressed: boolean }): Promise<string> {
  const bytes = await readFile(segment.path);
  if (!segment.compressed) return bytes.toString('utf8');
  return (await expand(bytes, { maxOutputLength: MAX_SEGMENT_TEXT })).toString('utf8');
}

/** Moves the file being written out of the way; returns its new name. */
export async function closeSegment(path: string, number: number, startedAt: number): Promise<Segment> {
  // Only ever move a file: a device or pipe at this place belongs to someone else.
  if (!(await lstat(path)).isFile()) throw new Error(`${path} is not a file`);
  const closed = `${path}.${String(number).padStart(6, '0')}-${startedAt}`;
  await rename(path, closed);
  return { path: closed, number, startedAt, bytes: (await stat(closed)).size, compressed: false };
}

/** Compresses a closed segment; quick and coarse while output floods, thorough when there is time. */
export async function compressSegment(segment: Segment, how: 'quick' | 'thorough'): Promise<Segment> {
  // In one go: with the small pieces Node takes by default, each would be a turn of the host's event loop.
  const options = { level: how === 'quick' ? 1 : 6, chunkSize: PACKED_PIECE_BYTES };
  const packed = await compress(await readFile(segment.path), options);
  const path = `${segment.path}.gz`;
  try {
    await writeFile(`${path}.tmp`, packed, { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  } catch (error) {
    await rm(`${path}.tmp`, { force: true });
    throw error;
  }
  await rm(segment.path, { force: true });
  return { ...segment, path, bytes: packed.length, compressed: true };
}
