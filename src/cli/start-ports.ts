/** A person at this terminal, for who starts a session: lines on stderr, questions on /dev/tty. */
import type { StartPorts } from '../sessions/run.js';
import { openTty } from './channels.js';
import type { Context } from './context.js';
import { harmless } from './table.js';
import { askYesNo } from './yes-no.js';

export function startPorts(context: Context, { mayAsk }: { mayAsk: boolean }): StartPorts {
  const tell: StartPorts['tell'] = (line, weight) =>
    weight === 'warning' ? context.channels.complain(harmless(line)) : context.channels.chrome(harmless(line));
  if (!mayAsk) return { tell };
  return {
    tell,
    mayFollow: (file, permits, since) =>
      askLines(
        since === 'changed'
          ? `${harmless(file)} was changed since the session began, perhaps by its agent. It would now mean:`
          : `${harmless(file)} came with this repository and permits more than the defaults, or names what to run:`,
        permits,
        'Follow it from now on? [y/n] ',
      ),
    mayStart: (agent, starts) =>
      askLines(
        `This folder brings along what would start with ${agent}:`,
        starts,
        'Let it start from now on? Tool calls are asked about either way. [y/N] ',
      ),
    mayFilter: (runs) =>
      askLines(
        'To write the files of the worktree, git would run these programs of its configuration:',
        runs.map((line) => `  ${line}`),
        'Run them? [y/N] ',
      ),
    mayShare: (others) =>
      askLines(
        'A loop works in this folder already; two change the same files:',
        others.map((line) => `  ${line}`),
        'Start this one beside it? [y/N] ',
      ),
  };
}

/** Undefined where nobody can be asked. */
async function askLines(title: string, lines: string[], question: string): Promise<boolean | undefined> {
  const tty = openTty();
  if (!tty) return undefined;
  try {
    tty.write(`${title}\r\n`);
    tty.write(`${lines.map(harmless).join('\r\n')}\r\n`);
    return await askYesNo(tty, question);
  } finally {
    tty.close();
  }
}
