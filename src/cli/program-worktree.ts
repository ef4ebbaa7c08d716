/** The commands about worktrees. */
import type { Command } from './commander.js';
import type { Run } from './program.js';

export function worktreeCommands(program: Command, run: Run): void {
  const worktree = program
    .command('worktree')
    .description('folders and branches that sessions were given with run --worktree')
    .exitOverride();
  const sub = (name: string, description: string) =>
    worktree.command(name).description(description).exitOverride().option('--json', 'as JSON');
  const load = () => import('./commands/worktree.js');
  sub('ls', 'those of this repository: commits, files, sessions').action((flags, self: Command) =>
    run(self, async (context) => (await load()).ls(context, flags)),
  );
  sub('merge <name>', 'merge its branch into the one you are on; a conflict changes nothing').action(
    (name: string, flags, self: Command) => run(self, async (context) => (await load()).merge(context, name, flags)),
  );
  sub('rm <name...>', 'remove folder and branch; asks before anything is lost')
    .option('--force', 'do not ask: what is not merged or not committed is lost')
    .action((names: string[], flags, self: Command) =>
      run(self, async (context) => (await load()).rm(context, names, flags)),
    );
}
