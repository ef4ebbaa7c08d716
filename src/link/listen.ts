/** The host's end of the Unix socket: owner-only, one link per connection. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Link } from './link.js';
import { socketLink, withSocketPath } from './socket.js';

export interface Listening {
  close(): Promise<void>;
}

/** Contract: the directory is 0700 already; the socket adds its own 0600. */
export async function listen(dir: string, name: string, onLink: (link: Link) => void): Promise<Listening> {
  const server = createServer((socket) => onLink(socketLink(socket)));
  const path = join(dir, name);
  rmSync(path, { force: true });
  let over: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  await new Promise<void>((resolve, reject) => {
    // The address stays valid until the server is closed: closing removes the socket by the very name it was made with.
    withSocketPath(dir, name, async (address) => {
      await bind(server, address);
      resolve();
      await closed;
    }).catch(reject);
  });
  // A connection that cannot be taken (too many open files) is its viewer's trouble, not the session's end.
  server.on('error', () => undefined);
  chmodSync(path, 0o600);
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= new Promise((resolve) => {
        rmSync(path, { force: true });
        server.close(() => {
          over();
          resolve();
        });
      });
      return closing;
    },
  };
}

function bind(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
