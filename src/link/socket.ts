/**
 * Frames over a stream socket. The socket's own buffer is the queue; nothing is buffered twice. A socket's path may have at
 * most about 100 bytes; a deep state directory is reached through the directory's own descriptor instead of moving the
 * socket elsewhere.
 */
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { encodeFrame, type Frame, FrameReader, ReinsError } from '../contract/index.js';
import { type Link, Listeners } from './link.js';

/** Up to this size head and payload are copied into one write. */
const SMALL_BYTES = 4096;

/** A peer that lives closes its side as soon as it has read the end of ours. */
const LINGER_MS = 1000;

export function socketLink(socket: Socket): Link {
  const listeners = new Listeners();
  const reader = new FrameReader();
  let broken = 'closed by the other side';
  let isClosing = false;
  const breakOff = (reason: string) => {
    broken = reason;
    socket.destroy();
  };
  socket.on('data', (chunk: Buffer) => {
    // Whoever closed wants to hear nothing more; it is only taken so that the peer can write it.
    if (isClosing) return;
    let frames: Frame[];
    try {
      frames = reader.feed(chunk);
    } catch (error) {
      breakOff(`not our protocol: ${(error as Error).message}`);
      return;
    }
    try {
      for (const frame of frames) listeners.frame(frame);
    } catch (error) {
      // One link's trouble must not take the process, and every other link, with it.
      breakOff(`a message could not be handled: ${(error as Error).message}`);
    }
  });
  socket.on('error', (error) => {
    broken = error.message;
  });
  // Half-open sockets are of no use to either side: the end of one direction is the end of the link.
  socket.on('end', () => socket.end());
  socket.on('close', () => listeners.close(broken));
  socket.on('drain', () => listeners.drain());
  return {
    send(frame) {
      if (listeners.closed || socket.destroyed || !socket.writable) return;
      let parts: Uint8Array[];
      try {
        parts = encodeFrame(frame);
      } catch (error) {
        // Left out, it would be missed by nobody and everybody; a broken link is at least noticed.
        breakOff(`it could not be sent: ${(error as Error).message}`);
        return;
      }
      const [head, payload] = parts as [Uint8Array, Uint8Array];
      if (payload.length <= SMALL_BYTES) {
        // A key and its echo: one small copy is cheaper than gathering two writes.
        socket.write(Buffer.concat([head, payload]));
        return;
      }
      socket.cork();
      socket.write(head);
      socket.write(payload);
      socket.uncork();
    },
    get queued() {
      return socket.writableLength;
    },
    onFrame: (call) => listeners.onFrame(call),
    onClose: (call) => listeners.onClose(call),
    onDrain: (call) => listeners.onDrain(call),
    hold: () => socket.pause(),
    release: () => socket.resume(),
    close(reason = 'closed by this side') {
      if (isClosing) return;
      isClosing = true;
      broken = reason;
      // What was sent must arrive. A peer that writes to a closed socket loses what it has not read yet, our last words
      // too, so we read on until it has closed as well; one that does not must not keep us alive.
      socket.end(() => setTimeout(() => socket.destroy(), LINGER_MS).unref());
      socket.resume();
      socket.unref();
    },
  };
}

/** sun_path holds 108 bytes on Linux and 104 on BSD, with the final zero. */
export const LONGEST_SOCKET_PATH = 100;

/** Calls with a path the kernel accepts for a socket of the session, valid until the returned promise settles. */
export async function withSocketPath<T>(dir: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(dir, name);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return use(path);
  if (process.platform !== 'linux') {
    throw new ReinsError('STATE_DIR', { dir, reason: 'its path is too long for a socket' });
  }
  const fd = openSync(dir, 'r');
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
