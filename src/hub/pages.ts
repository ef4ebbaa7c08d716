/** What the server hands an authenticated socket to, and tells what belongs to all pages. */
import type { WebSocket } from 'ws';
import type { KnownDevice } from './device-files.js';

export interface Pages {
  /** A socket of this device, let in by a ticket. The server closes it when the device is let out. */
  accept(socket: WebSocket, device: KnownDevice): void;
  /** A device was let in, renamed or let out: for the pages that may know. */
  tell(note: string, at: string, about: KnownDevice): void;
  /** Its device is out: nothing it says is heard any more. */
  out(device: string, at: string): void;
  close(): void;
}

/** No pages: sockets are held and nothing is said. */
export const noPages: Pages = {
  accept: () => undefined,
  tell: () => undefined,
  out: () => undefined,
  close: () => undefined,
};
