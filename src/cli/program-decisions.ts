/** The commands about what was decided and what happened meanwhile. */
import type { Command } from './commander.js';
import type { Run } from './program.js';

const collect = (value: string, all: string[]) => [...all, value];

export function decisionCommands(program: Command, run: Run): void {
  const load = () => import('./commands/decisions.js');
  const decisions = program
    .command('decisions')
    .description('what was decided for you in this project, by whom and why')
    .option('-a, --all', 'of all projects')
    .option('--json', 'as JSON')
    .exitOverride()
    .action((flags, self: Command) => run(self, async (context) => (await load()).list(context, flags)));
  const sub = (name: string, description: string) =>
    decisions.command(name).description(description).exitOverride().option('--json', 'as JSON');
  sub('show <id>', 'one of them, whole').action((id: string, _flags, self: Command) =>
    run(self, async (context) => (await load()).show(context, id, self.optsWithGlobals())),
  );
  sub('revoke <id>', 'it answers nothing any more')
    .option('--reason <text>', 'why, for the record')
    .action((id: string, _flags, self: Command) =>
      run(self, async (context) => (await load()).revoke(context, id, self.optsWithGlobals())),
    );
  sub(
    'correct <id> [value...]',
    'another answer: told to the sessions that got the old one, used for the same question',
  )
    .option('--text <text>', 'a text of your own, as it stands', collect, [])
    .option('--reason <text>', 'told to the agent')
    .action((id: string, words: string[], _flags, self: Command) =>
      run(self, async (context) => (await load()).correct(context, id, words, self.optsWithGlobals())),
    );
  sub('rule <id>', 'the lines of a config that answer the question from now on')
    .option('--write', 'into your own config (~/.config/reins/config.yml), whose old text is kept beside it')
    .action((id: string, _flags, self: Command) =>
      run(self, async (context) => (await load()).rule(context, id, self.optsWithGlobals())),
    );
  program
    .command('digest')
    .description('what happened while you were away: answers given for you, denials, what waits, ends, cost')
    .option('--since <when>', '8h, yesterday, or an ISO time; since you were last there unless told')
    .option('--json', 'as JSON')
    .exitOverride()
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/digest.js')).digest(context, flags)),
    );
}
