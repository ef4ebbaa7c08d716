/** Commands of which a session's start needs none: loaded where one of them is named, or all are told about. */
import type { Command } from './commander.js';
import type { Run } from './program.js';
import { configCommands } from './program-config.js';
import { decisionCommands } from './program-decisions.js';
import { hubCommands } from './program-hub.js';
import { worktreeCommands } from './program-worktree.js';

export function restCommands(program: Command, run: Run): void {
  hubCommands(program, run);
  decisionCommands(program, run);
  worktreeCommands(program, run);
  configCommands(program, run);
}
