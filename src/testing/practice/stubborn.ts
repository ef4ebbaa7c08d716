/** The habits that outlive a turn: deafness to signals, children left behind, and the counter of the `loop` scenario. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stage, say } from './stage.js';

/** What an abandoned child may live at most, so that a failed test leaves nothing for long. */
export const CHILD_SECS = 300;

export const forever = (): Promise<never> => new Promise(() => setInterval(() => undefined, 60_000));

export function deaf(): void {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(name);
    process.on(name, () => undefined);
  }
}

export function orphan(): number | undefined {
  const child = spawn('sleep', [String(CHILD_SECS)], { detached: true, stdio: 'ignore' });
  child.unref();
  return child.pid;
}

export async function loop(stage: Stage): Promise<undefined> {
  const total = Number(stage.chosen.arg) || 3;
  const file = join(stage.session.cwd, '.practice-count');
  const count = Number(await readCount(file)) + 1;
  await say(`Iteration ${count} of ${total}.`, stage);
  if (count >= total) {
    rmSync(file, { force: true });
    await say('All iterations are done.\nLOOP_COMPLETE', stage);
    return undefined;
  }
  writeFileSync(file, String(count));
  await say(`<event topic="task.progress">iteration ${count} of ${total}</event>`, stage);
  return undefined;
}

/** When the plan takes work again, in seconds; undefined once a limit of `secs` seconds is over. Without: always in an hour. */
export function usageReset(cwd: string, secs: number | undefined): number | undefined {
  const now = Date.now() / 1000;
  if (secs === undefined) return Math.floor(now) + 3600;
  const file = join(cwd, '.practice-limit');
  const known = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (known === undefined) {
    const resetsAt = Math.ceil(now + secs);
    writeFileSync(file, String(resetsAt));
    return resetsAt;
  }
  if (now < known) return known;
  rmSync(file);
  return undefined;
}

async function readCount(file: string): Promise<string> {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // No file: this is the first iteration.
    return '0';
  }
}
