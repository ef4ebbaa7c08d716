/** The host's end of the Unix socket: owner-only, one link per connection. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Link } from './link.js';
import { FILES, withSocketPath } from './places.js';
import { socketLink } from './socket.js';

export interface Listening {
  close(): Promise<void>;
}

/** Contract: the directory is 0700 already; the socket adds its own 0600. */
export async function listen(dir: string, onLink: (link: Link) => void): Promise<Listening> {
  const server = createServer((socket) => onLink(socketLink(socket)));
  const path = join(dir, FILES.socket);
  rmSync(path, { force: true });
  await withSocketPath(dir, (address) => {
    return new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, () => {
        server.off('error', reject);
        resolve();
      });
    });
  });
  chmodSync(path, 0o600);
  let closing: Promise<void> | undefined;
  return {
    close() {
      closing ??= new Promise((resolve) => {
        rmSync(path, { force: true });
        server.close(() => resolve());
      });
      return closing;
    },
  };
}
