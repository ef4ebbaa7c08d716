/**
 * `reins exec`: supervise any one command. In a terminal it behaves as if it were started there; a stream that is
 * redirected gets the command's own bytes, and our stdin goes to it.
 */
import type { Config } from '../../config/index.js';
import { ReinsError } from '../../contract/index.js';
import type { Place } from '../../link/index.js';
import { type CommandTask, connectTo, startCommand } from '../../sessions/start.js';
import type { Context } from '../context.js';
import { takeAhead } from '../host-ahead.js';
import { checkTmux, openInTmux } from '../in-tmux.js';
import { seatOf } from '../seat.js';
import type { EndWords } from '../viewing.js';

export interface ExecFlags {
  pty?: boolean;
  detach?: boolean;
  in?: 'tmux';
  name?: string;
  namespace?: string;
  cwd?: string;
  timeout?: string;
}

export async function exec(context: Context, argv: string[], flags: ExecFlags): Promise<number> {
  if (argv.length === 0) {
    throw new ReinsError('USAGE', { problem: 'there is no command', fix: 'reins exec -- npm test' });
  }
  if (flags.in) checkTmux(context);
  const timeout = flags.timeout === undefined ? 0 : Number(flags.timeout);
  if (!Number.isFinite(timeout) || timeout < 0) {
    throw new ReinsError('USAGE', { problem: `--timeout ${flags.timeout} is no number of seconds`, fix: 'like 600' });
  }
  const isSeen = !(flags.detach || flags.in);
  const streams = streamsOf(flags, isSeen);
  // The host takes as long to start as we do: what we need afterwards is loaded meanwhile.
  const view = isSeen ? viewOf(streams.io) : undefined;
  view?.catch(() => undefined); // where nothing was started, nobody waits for it
  const seat = seatOf(context, { detach: !isSeen }, 'command');
  const task = { argv, ...streams, cwd: flags.cwd, name: flags.name, namespace: flags.namespace, timeout };
  const { place, spec } = await startCommand(context, task, seat, () => takeAhead(context.env));
  if (flags.in) return openInTmux(context, place, spec.name);
  if (!view) {
    context.channels.out(`${place.id}\n`);
    return 0;
  }
  const ended = (exit: number, reason: string) =>
    exit !== 0 && !OWN_END.test(reason) ? ({ as: 'complaint', text: reason } as const) : undefined;
  return (await view)({ context, place, config: spec.config, ended });
}

/**
 * As a shell starts it: a stream that is redirected gets the command's own bytes, apart from the others. Without a terminal
 * on stdout there is none for the command either; `-d` gives it one that nobody looks at yet.
 */
function streamsOf(flags: ExecFlags, isSeen: boolean): Pick<CommandTask, 'io' | 'apart'> {
  if (flags.pty === true) return { io: 'pty' };
  if (flags.pty === false || (isSeen && !process.stdout.isTTY)) return { io: 'pipe' };
  const stdin = isSeen && !process.stdin.isTTY;
  const stderr = isSeen && !process.stderr.isTTY;
  return { io: 'pty', ...(stdin || stderr ? { apart: { stdin, stderr } } : {}) };
}

interface ShownExec {
  context: Context;
  place: Place;
  config: Config;
  ended: (exit: number, reason: string) => EndWords | undefined;
}

async function viewOf(io: 'pty' | 'pipe'): Promise<(shown: ShownExec) => Promise<number>> {
  if (io === 'pty' && process.stdout.isTTY && process.stdin.isTTY) {
    const { keySource } = await import('../keyboard.js');
    const { driverRights, terminalView } = await import('../terminal-view.js');
    const { detachKey } = await import('../../vt/index.js');
    return ({ context, place, config, ended }) =>
      terminalView(context, {
        connect: (incoming) => connectTo(context, place, incoming),
        session: place.id,
        role: 'driver',
        take: true,
        tie: true,
        detach: detachKey(config.cli.detach_key),
        rights: driverRights({ mode: 'exec', config }),
        keys: keySource(),
        // A command is not an agent: it asks as it likes.
        calls: 'off',
        ended,
      });
  }
  const { passThrough } = await import('../pass-through.js');
  return ({ context, place, ended }) => passThrough(context, place, ended);
}

/** A command's own end is its own affair; what we did to it, or could not do, is ours to tell. */
const OWN_END = /^(exit code \d+|died of SIG\w+)$/;
