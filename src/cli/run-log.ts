/** The diagnostics of a run: a file of their own, never stderr unless asked for. */

import type { Log } from '../contract/index.js';
import { createLog, defaultLogFile, levelFor, secretsFrom } from '../log/index.js';
import type { Context } from './context.js';

export function openRunLog(
  context: Context,
  flags: { verbose?: number; logFile?: string; logFormat?: 'text' | 'json' },
): Log {
  const file = flags.logFile ?? context.env.REINS_LOG_FILE ?? defaultLogFile(context.env, 'reins.log');
  return createLog({
    file,
    level: levelFor(flags.verbose ?? 0),
    format: flags.logFormat ?? 'text',
    now: () => Date.now(),
    writeStderr: (line: string) => context.channels.complain(line.trimEnd()),
    secrets: secretsFrom(context.env),
  }).room('cli');
}
