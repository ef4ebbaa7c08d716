/** Frames over a stream socket. The socket's own buffer is the queue; nothing is buffered twice. */
import type { Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../contract/index.js';
import { type Link, Listeners } from './link.js';

export function socketLink(socket: Socket): Link {
  const listeners = new Listeners();
  const reader = new FrameReader();
  let broken = 'closed by the other side';
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const frame of reader.feed(chunk)) listeners.frame(frame);
    } catch (error) {
      broken = `not our protocol: ${(error as Error).message}`;
      socket.destroy();
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
      socket.cork();
      for (const part of encodeFrame(frame)) socket.write(part);
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
      broken = reason;
      // What was sent must arrive; a peer that does not read must not keep us alive.
      socket.end(() => socket.destroy());
      socket.unref();
    },
  };
}
