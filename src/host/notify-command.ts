/**
 * Runs the user's command that tells a person something: its input on stdin, its output bounded, its time too, and when it is
 * over its whole tree is ended by a mark of its own. It stands in the user's home, never in the project: a relative name must
 * not mean a file that the agent can write. Like everything below a host it counts as inside, so all it can do is print.
 */
import { homedir } from 'node:os';
import {
  type Clock,
  type Env,
  NOTIFICATION_MARK,
  NOTIFICATION_OF,
  type SessionId,
  systemClock,
} from '../contract/index.js';
import { startProcess, stopTree } from '../terminal/index.js';

export interface NotifyRun {
  id: string;
  argv: string[];
  stdin: string;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface NotifyRunEnd {
  code: number | null;
  stdout: Uint8Array;
  stderr: string;
  cut?: string;
}

/** More than any answer; whoever prints more is ended. */
const MOST_OUT = 64 * 1024;
const MOST_ERR = 2000;
/** A program that only tells has nothing to finish. */
const GRACE_MS = 1000;
const SIZE = { cols: 80, rows: 24 };

/** Contract: resolves, never rejects; afterwards nothing of it runs. */
export async function runNotifyCommand(
  ask: NotifyRun,
  { env, clock = systemClock, session }: { env: Env; clock?: Clock; session?: SessionId },
): Promise<NotifyRunEnd> {
  const [command = '', ...args] = ask.argv;
  const nothing = { code: null, stdout: new Uint8Array(), stderr: '' };
  if (ask.signal.aborted) return { ...nothing, cut: 'called off' };
  const started = await startProcess({
    command,
    args,
    cwd: homedir(),
    env: ownEnv({ ...env, [NOTIFICATION_OF]: session, [NOTIFICATION_MARK]: ask.id }),
    io: 'pipe',
    stdin: 'open',
    size: SIZE,
  });
  if (!started.ok) return { ...nothing, cut: `it cannot be started: ${started.reason}` };
  const { proc } = started;
  const tree = {
    root: proc.pid,
    mark: { name: NOTIFICATION_MARK, value: ask.id },
    isNew: true,
    proc,
    graceMs: GRACE_MS,
  };
  const out: Uint8Array[] = [];
  let [size, stderr, cut] = [0, '', undefined as string | undefined];
  const end = (why: string): void => {
    cut ??= why;
    void stopTree({ ...tree, how: 'stop' });
  };
  proc.onOutput((chunk, stream) => {
    if (stream === 'err') stderr = (stderr + Buffer.from(chunk).toString('latin1')).slice(-MOST_ERR);
    else if (size <= MOST_OUT) {
      out.push(new Uint8Array(chunk));
      size += chunk.length;
      if (size > MOST_OUT) end(`it printed more than ${MOST_OUT / 1024} KB`);
    }
  });
  const cancel = clock.after(ask.timeoutMs, () => end(`it ran longer than ${Math.round(ask.timeoutMs / 1000)} s`));
  const off = (): void => end('called off');
  ask.signal.addEventListener('abort', off, { once: true });
  // One that does not read its input may well be content without it.
  void proc.write(ask.stdin).then(() => proc.endInput());
  const { code } = await proc.exited;
  cancel();
  ask.signal.removeEventListener('abort', off);
  await stopTree({ ...tree, how: 'stop' });
  proc.close();
  return { code, stdout: Buffer.concat(out), stderr, ...(cut === undefined ? {} : { cut }) };
}

function ownEnv(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
