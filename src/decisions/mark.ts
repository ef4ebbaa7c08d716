/**
 * The mark on each line: an HMAC over the line's own bytes and the project's name, with a key that lies in the state
 * directory. A line that a repository brought, that was edited, or that was copied from another project has none that fits.
 * The bytes are compared, not what they mean: there is no second way to write a marked line.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, linkSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newNonce } from '../contract/index.js';

const KEY = /^[0-9a-f]{64}\n$/;
const KEY_BYTES = 65;
const TAIL = /,"mark":"([0-9a-f]{64})"\}$/;

/** Made once, by whoever is first. Throws what the disk says; a file that is no key is never replaced. */
export function keyIn(dir: string): Buffer {
  const file = join(dir, 'key');
  const there = readKey(file);
  if (there) return there;
  const draft = join(dir, `key.${process.pid}.${newNonce()}`);
  try {
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeSync(fd, `${randomBytes(32).toString('hex')}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    linkSync(draft, file); // with its content, or not at all
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another was faster: theirs is the key
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readKey(file);
  if (!made) throw new Error(`${file} cannot be made`);
  return made;
}

/** Undefined where there is none. Throws for what is no key. */
export function readKey(file: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const room = Buffer.alloc(KEY_BYTES + 1);
    const isFile = fstatSync(fd).isFile();
    const text = isFile ? room.toString('latin1', 0, readSync(fd, room)) : '';
    if (!KEY.test(text)) throw new Error(`${file} is not a key of ours`);
    return Buffer.from(text.trim(), 'hex');
  } finally {
    closeSync(fd);
  }
}

interface Marking {
  key: Buffer;
  project: string;
}

function macOf(body: string, { key, project }: Marking): Buffer {
  return createHmac('sha256', key).update(`reins decision 1\0${project}\0`).update(body).digest();
}

/** The line as it is written, with its mark. */
export function marked(value: object, marking: Marking): { line: string; mark: string } {
  const body = JSON.stringify(value);
  const mark = macOf(body, marking).toString('hex');
  return { line: `${body.slice(0, -1)},"mark":"${mark}"}`, mark };
}

/** The mark of a line and whether it fits; without a key none does. */
export function markOf(
  line: string,
  { key, project }: { key: Buffer | undefined; project: string },
): { mark: string; fits: boolean } {
  const mark = TAIL.exec(line)?.[1];
  if (mark === undefined) return { mark: '', fits: false };
  const body = `${line.slice(0, -(mark.length + ',"mark":""}'.length))}}`;
  const fits = key !== undefined && timingSafeEqual(Buffer.from(mark, 'hex'), macOf(body, { key, project }));
  return { mark, fits };
}
