/** The flags of `reins run`. */

import { ReinsError } from '../contract/index.js';
import { type Command, Option } from './commander.js';

export function runFlags(command: Command): Command {
  return command
    .option('-p, --prompt <text>', 'the prompt')
    .option('-P, --prompt-file <file>', 'the prompt, from a file')
    .option('-b, --backend <name>', 'claude, kiro, gemini, codex, amp, custom, practice, or auto')
    .addOption(new Option('-i, --interactive', 'the agent’s own terminal, you at the keys').conflicts('autonomous'))
    .addOption(new Option('-a, --autonomous', 'the loop, whatever the config says').conflicts('interactive'))
    .option('--tui', 'autonomous, shown as the agent’s live terminal')
    .addOption(new Option('--trust <trust>', 'how much the agent may do unasked').choices(['guarded', 'full']))
    .option('--trust-folder', 'follow this folder’s reins.yml or ralph.yml for this run, as in CI')
    .option('--non-interactive', 'nobody answers: the detached policy decides')
    .option('--idle-timeout <secs>', 'interactive: stop after so much silence (0: never)', amount('--idle-timeout'))
    .option('--timeout <secs>', 'stop an iteration after so long (0: the adapter’s own)', amount('--timeout'))
    .option('--once', 'one iteration, no promise needed')
    .option('--max-iterations <n>', 'at most so many iterations', count('--max-iterations'))
    .option('--max-runtime <secs>', 'at most so long', amount('--max-runtime'))
    .option('--max-cost <usd>', 'at most so much', amount('--max-cost'))
    .option('--completion-promise <text>', 'the last line that means done')
    .option('--worktree [name]', 'in a git worktree of its own, on the branch reins/NAME (the prompt stands before it)')
    .option('--share-folder', 'start also where another loop works in this folder')
    .option('--continue <id>', 'go on with a session that ended; a loop also with a new prompt, limits, --set')
    .option('--name <name>', 'a name for the session')
    .option('--namespace <name>', 'which paired devices may know of it (default: default)')
    .option('-d, --detach', 'print the session id and return')
    .addOption(new Option('--in <place>', 'detached, with its viewer in a new window there').choices(['tmux']))
    .option('-C, --cwd <dir>', 'where the agent works')
    .option('-c, --config <file>', 'this config instead of the project’s')
    .option('--set <key=value>', 'set one config value', (value: string, all: string[]) => [...all, value], [])
    .option('-v, --verbose', 'more in the log file, up to -vvvvv', (_: string, count: number) => count + 1, 0)
    .option('--log-file <file>', 'where diagnostics go (- is stderr)')
    .addOption(new Option('--log-format <format>', 'of the log file').choices(['text', 'json']))
    .option('--dry-run', 'print what would be started, start nothing')
    .addHelpText('after', '\nEverything behind -- goes to the agent:  reins run "fix it" -- --model opus');
}

const amount = (flag: string) => (text: string) => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new ReinsError('USAGE', { problem: `${flag} ${text} is no amount`, fix: 'give a number like 30' });
  return value;
};

const count = (flag: string) => (text: string) => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 1)
    throw new ReinsError('USAGE', { problem: `${flag} ${text} is no count`, fix: 'give a whole number from 1' });
  return value;
};
