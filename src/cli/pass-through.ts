/** `exec` without a terminal of our own: bytes from the command to stdout and stderr, bytes from stdin to the command. */
import type { Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import type { Context } from './context.js';
import { hostLost } from './host-lost.js';

/** A command that reads slowly must not make anyone hoard what it will read later. */
const ASK_EVERY_BYTES = 256 * 1024;

const SIGNALS = { SIGINT: 'stop', SIGTERM: 'stop', SIGHUP: 'stop', SIGQUIT: 'kill' } as const;

/** For a person's terminal; loaded only where one of the streams is one. */
async function eyes(stream: NodeJS.WriteStream) {
  if (!stream.isTTY) return undefined;
  const { Sieve } = await import('../vt/index.js');
  return new Sieve(() => ({ mayAnswer: false, mayCopy: false }));
}

export async function passThrough(
  context: Context,
  place: Place,
  ended: (exit: number, reason: string) => { text: string } | undefined,
): Promise<number> {
  let finish: (code: number) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<number>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // Where one of the streams is a person's terminal after all, what comes out of it is for their eyes alone.
  const [out, err] = await Promise.all([eyes(process.stdout), eyes(process.stderr)]);
  const client = await connectTo(context, place, {
    output(bytes) {
      context.channels.out(out?.pass(bytes) ?? bytes);
      if (!process.stdout.writableNeedDrain) return;
      client.hold();
      process.stdout.once('drain', () => client.release());
    },
    snapshot: (bytes) => context.channels.out(out?.pass(bytes) ?? bytes),
    stderr: (bytes) => context.channels.childError(err?.pass(bytes) ?? bytes),
    end: (exit, reason) => {
      if (out) context.channels.out(out.giveBack({ blindly: false }));
      const words = ended(exit ?? 0, reason);
      if (words) context.channels.complain(words.text);
      finish(exit ?? 0);
    },
    closed: (reason) => void hostLost(context, { session: place.id, reason, tie: true }).then(fail),
  });
  const undo = Object.entries(SIGNALS).map(([signal, how]) => {
    const take = () => void client.insist('stop', { how, why: signal, signal }).catch(fail);
    process.on(signal, take);
    return () => process.off(signal, take);
  });
  context.onBrokenPipe(async () => {
    await client.command('stop', { how: 'kill', why: 'nobody reads the output any more', signal: 'SIGPIPE' });
  });
  try {
    await client.attach({
      kind: 'run',
      role: 'driver',
      take: true,
      tie: true,
      visible: true,
      bytes: true,
      entries: false,
      answers: 'no',
      since: { offset: 0 },
    });
    client.ready();
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
    return await done;
  } finally {
    for (const one of undo) one();
    process.stdin.destroy();
    client.close();
  }
}
