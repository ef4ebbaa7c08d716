/** `exec` without a terminal of our own: bytes from the command to stdout and stderr, bytes from stdin to the command. */
import type { HostClient, Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import type { Context } from './context.js';
import { type EndWords, type View, Viewing } from './viewing.js';

/** A command that reads slowly must not make anyone hoard what it will read later. */
const ASK_EVERY_BYTES = 256 * 1024;

/** For a person's terminal; loaded only where one of the streams is one. */
async function eyes(stream: NodeJS.WriteStream) {
  if (!stream.isTTY) return undefined;
  const { Sieve } = await import('../vt/index.js');
  return new Sieve(() => ({ mayAnswer: false, mayCopy: false }));
}

export async function passThrough(
  context: Context,
  place: Place,
  ended: (exit: number, reason: string) => EndWords | undefined,
): Promise<number> {
  // Where one of the streams is a person's terminal after all, what comes out of it is for their eyes alone.
  const [out, err] = await Promise.all([eyes(process.stdout), eyes(process.stderr)]);
  const { channels } = context;
  const viewing = new Viewing(context, {
    session: place.id,
    tie: true,
    connect: (incoming) => connectTo(context, place, incoming),
  });
  const show = (bytes: Uint8Array) => {
    channels.out(out?.pass(bytes) ?? bytes);
    viewing.wrote();
  };
  const view: View = {
    request: () => ({
      kind: 'run',
      role: 'driver',
      take: true,
      visible: true,
      bytes: true,
      entries: false,
      answers: 'no',
      since: { offset: 0 },
    }),
    incoming: {
      output: show,
      snapshot: show,
      stderr: (bytes) => channels.childError(err?.pass(bytes) ?? bytes),
    },
    attached: () => giveInput(viewing.client!),
    ended,
    leave() {
      if (out) channels.out(out.giveBack({ blindly: false }));
      if (err) channels.childError(Buffer.from(err.giveBack({ blindly: false })));
      process.stdin.destroy();
    },
  };
  return viewing.run(view);
}

function giveInput(client: HostClient): void {
  let sent = 0;
  process.stdin.on('data', (bytes: Buffer) => {
    client.input(bytes);
    sent += bytes.length;
    if (sent < ASK_EVERY_BYTES) return;
    sent = 0;
    process.stdin.pause();
    const go = () => void process.stdin.resume();
    // It ended first: nobody reads on.
    client.command('input-room').then(go, () => undefined);
  });
  process.stdin.on('end', () => void client.command('end-input').catch(() => undefined)); // it ended first
  process.stdin.on('error', () => undefined); // a closed stdin is an empty one
}
