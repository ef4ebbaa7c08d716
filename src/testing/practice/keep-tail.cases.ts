/** For tests: a program's last bytes in a terminal, which a busy reader would lose. */
import { closeSync, constants, openSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';
import { readRest } from '../../terminal/drain.js';

/**
 * A terminal whose last process ends takes with it what a busy reader has not read yet, often the very words a test waits
 * for. So its other end is held open until the process was collected, and the rest is read before it is closed.
 */
export function keepTail(pty: IPty, take: (data: string) => void): void {
  const { _socket: socket, ptsName, fd } = pty as IPty & { _socket: ReadStream; ptsName: string; fd: number };
  let slave: number | undefined = openSync(ptsName, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  const letGo = () => {
    if (slave !== undefined) closeSync(slave);
    slave = undefined;
  };
  const destroy = socket._destroy.bind(socket);
  socket._destroy = (error, done) => {
    while (socket.read() !== null); // hands each piece to who listens
    readRest(fd, (chunk) => take(Buffer.from(chunk).toString('utf8')));
    letGo();
    destroy(error, done);
  };
  // Nobody else waits for the close but the exit.
  socket.on('newListener', (event) => {
    if (event === 'close') letGo();
  });
}
