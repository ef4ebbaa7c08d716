/**
 * Which processes of this machine hold the other end of a TCP connection, and whether one of them is inside a session. The kernel
 * lists both ends of what stays on one machine, each with its socket, and a process its open files: nothing that the other side
 * says of itself counts. One that hides its files still shows its limits. See decision 065.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { type Inside, insideOf } from './inside.js';

/** As a socket of ours tells it. */
export interface TcpEnds {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

interface TcpRow {
  isOpen: boolean;
  uid: number;
  inode: string;
}

const GONE: Inside = { why: 'is gone, or not to be looked at' };

/** Undefined: outside, or of another machine, another user, or a system that does not tell. Contract: never throws. */
export function peerInside(ends: TcpEnds): Inside | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return judged(ends);
  } catch {
    return GONE;
  }
}

/** What a server knows of those who reached it. Asked once for each connection; a server that is itself inside asks nobody: no host believes it. */
export class PeersInside {
  readonly #judged = new WeakMap<object, Inside | 'outside'>();
  readonly #asks = insideOf(process.pid) === undefined;
  readonly #look: (socket: TcpEnds) => Inside | undefined;

  /** `look`: another one in tests. */
  constructor(look: (socket: TcpEnds) => Inside | undefined = peerInside) {
    this.#look = look;
  }

  /** `isNew`: this connection was not asked about before. */
  of(socket: TcpEnds): { inside: Inside | undefined; isNew: boolean } {
    if (!this.#asks) return { inside: undefined, isNew: false };
    const known = this.#judged.get(socket);
    if (known !== undefined) return { inside: known === 'outside' ? undefined : known, isNew: false };
    const inside = this.#look(socket);
    this.#judged.set(socket, inside ?? 'outside');
    return { inside, isNew: true };
  }
}

function judged({ localAddress, localPort, remoteAddress, remotePort }: TcpEnds): Inside | undefined {
  // Closed before anyone could look.
  if (!localAddress || !remoteAddress || !localPort || !remotePort) return GONE;
  const [ours, theirs] = [hexEnd(localAddress, localPort), hexEnd(remoteAddress, remotePort)];
  const peer = rowOf(theirs, ours);
  if (!peer) {
    // Of another machine. One of this machine that was cut off is not there either, but then our end is not open any more.
    const own = rowOf(ours, theirs);
    return own?.isOpen ? undefined : GONE;
  }
  if (peer.inode === '0') return GONE; // nobody's any more: it was said, and left behind
  if (peer.uid !== process.getuid?.()) return undefined;
  return holdersInside(`socket:[${peer.inode}]`, peer.uid);
}

/** Who held one before: looked at first, because a browser and a tunnel open many. */
const before = new Set<number>();
const MOST_BEFORE = 32;

/** The first who has it decides: nobody outside holds what somebody inside opened, unless they work together. */
function holdersInside(socket: string, uid: number): Inside | undefined {
  const hidden: number[] = [];
  for (const pid of new Set([...before, ...processes()])) {
    const holds = holdsFile(pid, socket);
    if (holds === undefined) hidden.push(pid);
    if (!holds) continue;
    before.delete(pid);
    before.add(pid);
    if (before.size > MOST_BEFORE) before.delete(before.values().next().value!);
    return insideOf(pid);
  }
  // Held by one that does not show its files (sshd, a browser's own sandbox): whichever it is, none of them may be inside.
  const mine = hidden.filter((pid) => userOf(pid) === uid);
  return mine.length === 0 ? GONE : mine.map((pid) => insideOf(pid)).find((inside) => inside !== undefined);
}

/** The youngest first. */
const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);

/** Undefined where its files are not shown. */
function holdsFile(pid: number, socket: string): boolean | undefined {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).some((fd) => linkOf(`${dir}/${fd}`) === socket);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? false : undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

/** As whom it acts: the owner of its directory says root for one that hides its files. */
function userOf(pid: number): number | undefined {
  try {
    const said = /^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return said === undefined ? statSync(`/proc/${pid}`).uid : Number(said);
  } catch {
    return undefined; // gone
  }
}

/** Found as text: there may be ten thousand that ended a moment ago. */
function rowOf(local: string, remote: string): TcpRow | undefined {
  for (const [name, before] of LISTS) {
    const text = textOf(`/proc/net/${name}`);
    const at = text.indexOf(` ${before}${local} ${before}${remote} `);
    if (at < 0) continue;
    const [, , state, , , , uid, , inode = ''] = text
      .slice(at, at + 400)
      .trim()
      .split(/\s+/);
    return { isOpen: state === '01', uid: Number(uid), inode };
  }
  return undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // without IPv6 there is no second list
  }
}

/** An IPv4 address in an IPv6 socket is the same one. */
const LISTS = [
  ['tcp', ''],
  ['tcp6', ''],
  ['tcp6', '0000000000000000FFFF0000'],
] as const;

/** As the kernel writes it: words of four bytes, each in the machine's order. */
function hexEnd(address: string, port: number): string {
  const bytes = bytesOf(address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, ''));
  const words = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.slice(at * 4, at * 4 + 4));
  const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');
  const text = words.map((word) => (IS_LITTLE ? word.reverse() : word).map(hex).join('')).join('');
  return `${text}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function bytesOf(address: string): number[] {
  if (isIP(address) === 4) return address.split('.').map(Number);
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
