/**
 * The key of a device and how it is replaced, as pure rules on what is at rest: hashes. A new key is given after some days of
 * use. The old one stays good until the new one was used, because an answer may be lost on its way, and a minute longer,
 * because requests may be under way with it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ROTATED_AFTER_MS = 7 * 24 * 3600_000;
const OVERLAP_MS = 60_000;

export interface KeyFile {
  hash: string;
  since: number;
  /** The one before; without `until` the present one was not used yet. */
  before?: { hash: string; until?: number };
}

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export const newKey = (): string => randomBytes(32).toString('base64url');

const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export type KeyVerdict =
  /** `keep`: what is to be at rest from now on, if anything changes. `due`: a new key is to be given. */
  | { ok: true; keep?: KeyFile; due: boolean }
  /** `old`: it was this device's, long ago: somebody else may have it. */
  | { ok: false; old: boolean };

export function judgeKey(file: KeyFile, key: string, now: number): KeyVerdict {
  const hash = hashOf(key);
  const { before } = file;
  if (same(hash, file.hash)) {
    const keep =
      before && before.until === undefined ? { ...file, before: { ...before, until: now + OVERLAP_MS } } : file;
    return { ok: true, due: now - file.since >= ROTATED_AFTER_MS, ...(keep === file ? {} : { keep }) };
  }
  if (!before || !same(hash, before.hash)) return { ok: false, old: false };
  if (before.until === undefined) return { ok: true, due: now - file.since >= OVERLAP_MS };
  return before.until > now ? { ok: true, due: false } : { ok: false, old: true };
}

/** `used` is the key that was shown: it stays good until the new one is. */
export function rotated(used: string, now: number): { key: string; file: KeyFile } {
  const key = newKey();
  return { key, file: { hash: hashOf(key), since: now, before: { hash: hashOf(used) } } };
}
