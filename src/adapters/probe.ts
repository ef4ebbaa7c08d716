/**
 * Runs one program with `--version`. It gets a process group of its own, so that a wrapper and what it started can be
 * killed together; whatever is left of the group after the answer is killed too.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../contract/index.js';
import { lineStripper } from '../vt/strip.js';

/** More than any version text; the rest of a flood is dropped. */
const MOST_OUTPUT = 64 * 1024;
const LONGEST_VERSION = 200;

export interface Probe {
  answer: Promise<{ version: string } | { failure: string }>;
  settled(): boolean;
  /** Kills it; the answer is then a failure. May be called twice. */
  cancel(): void;
}

export function probeVersion(ask: {
  path: string;
  env: Record<string, string | undefined>;
  timeoutMs: number;
  clock: Clock;
}): Probe {
  let done = false;
  let stop = (_failure: string): void => {};
  const answer = new Promise<{ version: string } | { failure: string }>((tell) => {
    const child = spawn(ask.path, ['--version'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: ask.env as NodeJS.ProcessEnv,
    });
    const output: Buffer[] = [];
    let size = 0;
    let failure: string | undefined;
    const killGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group is empty already, which is what was wanted.
      }
    };
    const cancelTimer = ask.clock.after(ask.timeoutMs, () => stop(`gave no answer within ${ask.timeoutMs / 1000} s`));
    const settle = (said: { version: string } | { failure: string }) => {
      if (done) return;
      done = true;
      cancelTimer();
      tell(said);
    };
    stop = (why) => {
      if (done) return;
      failure ??= why;
      killGroup();
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (size < MOST_OUTPUT) output.push(chunk.subarray(0, MOST_OUTPUT - size));
      size += chunk.length;
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      settle({ failure: `cannot be run (${error.code ?? error.message})` }),
    );
    // A child of the program may hold the pipe open: without the group it closes.
    child.on('exit', killGroup);
    child.on('close', (code, signal) => {
      if (failure !== undefined) settle({ failure });
      else if (code === 0) settle({ version: firstLine(Buffer.concat(output).toString('utf8')) });
      else settle({ failure: signal ? `was ended by ${signal}` : `exited with code ${code}` });
    });
  });
  return { answer, settled: () => done, cancel: () => stop('is no longer needed') };
}

function firstLine(text: string): string {
  const line = lineStripper()(text)
    .split('\n')
    .find((one) => one.trim() !== '');
  return (line ?? '').trim().slice(0, LONGEST_VERSION);
}
