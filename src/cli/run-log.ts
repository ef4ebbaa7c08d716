/** The diagnostics of a run: a file of their own, never stderr unless asked for. */

import { dirname } from 'node:path';
import { type Log, ReinsError } from '../contract/index.js';
import { makeDir } from '../disk/index.js';
import { createLog, defaultLogFile, levelFor, secretsFrom } from '../log/index.js';
import type { Context } from './context.js';

export function openRunLog(
  context: Context,
  flags: { verbose?: number; logFile?: string; logFormat?: 'text' | 'json' },
): Log {
  const named = flags.logFile ?? context.env.REINS_LOG_FILE;
  const file = named ?? defaultLogFile(context.env, 'reins');
  try {
    // Only our own place is made; a folder somebody misspelt is not.
    if (named === undefined) makeDir(dirname(file));
    return createLog({
      file,
      level: levelFor(flags.verbose ?? 0),
      format: flags.logFormat ?? 'text',
      now: () => Date.now(),
      writeStderr: (line: string) => context.channels.complain(line.trimEnd()),
      secrets: secretsFrom(context.env),
    }).room('cli');
  } catch (error) {
    if (named !== undefined) throw error;
    // Nobody asked for a log: what is wrong is the place where everything of ours is kept.
    const reason = error instanceof ReinsError ? String(error.data.reason) : (error as Error).message;
    throw new ReinsError('STATE_DIR', { dir: dirname(file), reason }, { cause: error });
  }
}
