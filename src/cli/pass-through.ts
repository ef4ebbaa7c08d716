/** `exec` without a terminal of our own: bytes from the command to stdout and stderr, bytes from stdin to the command. */
import type { Place } from '../link/index.js';
import type { Context } from './context.js';
import { connectTo } from './sessions.js';
import { hostLost } from './sweep.js';

const SIGNALS = { SIGINT: 'stop', SIGTERM: 'stop', SIGHUP: 'stop', SIGQUIT: 'kill' } as const;

export async function passThrough(
  context: Context,
  place: Place,
  ended: (exit: number, reason: string) => void,
): Promise<number> {
  let finish: (code: number) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<number>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const client = await connectTo(context, place, {
    output(bytes) {
      context.channels.out(bytes);
      if (!process.stdout.writableNeedDrain) return;
      client.hold();
      process.stdout.once('drain', () => client.release());
    },
    snapshot: (bytes) => context.channels.out(bytes),
    stderr: (bytes) => context.channels.childError(bytes),
    end: (exit, reason) => {
      ended(exit ?? 0, reason);
      finish(exit ?? 0);
    },
    closed: (reason) => void hostLost(context, { session: place.id, reason, tie: true }).then(fail),
  });
  const undo = Object.entries(SIGNALS).map(([signal, how]) => {
    const take = () => void client.command('stop', { how, why: signal, signal }).catch(fail);
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
    process.stdin.on('data', (bytes: Buffer) => client.input(bytes));
    process.stdin.on('end', () => void client.command('end-input').catch(() => undefined)); // it ended first
    process.stdin.on('error', () => undefined); // a closed stdin is an empty one
    return await done;
  } finally {
    for (const one of undo) one();
    process.stdin.destroy();
    client.close();
  }
}
