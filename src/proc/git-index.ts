/**
 * Reads git's index by itself: is this path in it? No git is started, because a repository's own configuration says what
 * git would run. Contract: an answer only where the whole file was understood, and its checksum fits; whoever asks takes
 * everything else for a yes.
 */
import { createHash } from 'node:crypto';

export interface IndexEntry {
  path: string;
  /** A symbolic link: what lies behind it was put there by the repository. */
  isLink: boolean;
}

/** Throws on anything that is not wholly understood: split and sparse indexes, unknown versions, a wrong checksum. */
export function readIndex(bytes: Buffer): IndexEntry[] {
  const hashSize = hashSizeOf(bytes);
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) throw new Error('not an index we know');
  const end = bytes.length - hashSize;
  const entries: IndexEntry[] = [];
  let at = 12;
  let last = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 40 + hashSize);
    const name = at + 42 + hashSize + ((flags & 0x4000) !== 0 ? 2 : 0);
    const read = version === 4 ? prefixed(bytes, name, last) : { from: name, kept: Buffer.alloc(0) };
    const zero = bytes.indexOf(0, read.from);
    if (zero < 0 || zero >= end) throw new Error('a name without an end');
    last = Buffer.concat([read.kept, bytes.subarray(read.from, zero)]);
    entries.push({ path: last.toString('utf8'), isLink: (mode & 0o170000) === 0o120000 });
    // Before version 4, one to eight zeros fill an entry up to a multiple of eight.
    at = version === 4 ? zero + 1 : at + Math.ceil((zero + 1 - at) / 8) * 8;
  }
  checkExtensions(bytes, at, end);
  return entries;
}

/** SHA-1 or SHA-256, whichever the last bytes are. */
function hashSizeOf(bytes: Buffer): number {
  for (const [name, size] of [
    ['sha1', 20],
    ['sha256', 32],
  ] as const) {
    if (bytes.length < 12 + size) continue;
    const sum = createHash(name).update(bytes.subarray(0, -size)).digest();
    if (sum.equals(bytes.subarray(-size))) return size;
  }
  throw new Error('the checksum does not fit');
}

/** Version 4: how many bytes of the name before are dropped, as a number of variable length; then the rest. */
function prefixed(bytes: Buffer, start: number, last: Buffer): { from: number; kept: Buffer } {
  let at = start;
  let byte = bytes[at]!;
  let drop = byte & 0x7f;
  while (byte & 0x80) {
    at += 1;
    byte = bytes[at]!;
    drop = (drop + 1) * 128 + (byte & 0x7f);
  }
  if (drop > last.length) throw new Error('a name that cannot be');
  return { from: at + 1, kept: last.subarray(0, last.length - drop) };
}

/** A name in small letters must be understood (`link`: entries are elsewhere, `sdir`: folders stand for their files). */
function checkExtensions(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (!/^[A-Z][A-Z0-9]{3}$/i.test(bytes.toString('latin1', at, at + 4)))
      throw new Error('an extension without a name');
    if (/^[a-z]/.test(bytes.toString('latin1', at, at + 1))) throw new Error('an extension that changes the meaning');
  }
}
