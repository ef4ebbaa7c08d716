/** The commands about configuration: config, init, policy, hats, doctor. */
import { type Command, Option } from './commander.js';
import type { Run } from './program.js';

const collect = (value: string, all: string[]) => [...all, value];

/** Where a config comes from: the same flags as `run`. */
const withFiles = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'this config instead of the project’s')
    .option('--set <key=value>', 'set one config value', collect, []);

export function configCommands(program: Command, run: Run): void {
  const config = program.command('config').description('show, check and migrate the configuration').exitOverride();
  const sub = (parent: Command, name: string, description: string) =>
    parent.command(name).description(description).exitOverride();
  const load = () => import('./commands/config.js');

  withFiles(sub(config, 'show [key]', 'the effective configuration'))
    .option('--effective <tool>', 'what applies to one tool, and why')
    .option('--explain', 'where each value came from')
    .option('--json', 'as JSON')
    .action((key: string | undefined, flags, self: Command) =>
      run(self, async (context) => (await load()).show(context, key, flags)),
    );
  withFiles(sub(config, 'check', 'find mistakes in the configuration'))
    .option('--json', 'as JSON')
    .action((flags, self: Command) => run(self, async (context) => (await load()).check(context, flags)));
  sub(config, 'schema', 'JSON Schema of reins.yml, or of an output')
    .option('--events', 'of journal entries')
    .option(
      '--of <what>',
      'ls, inbox, screen, send, answer, consult, events, notification, notify, policy, doctor, stop, pause, guide, emit, check, hats or worktrees',
    )
    .action((flags, self: Command) => run(self, async (context) => (await load()).schema(context, flags)));
  withFiles(sub(config, 'migrate', 'print this project’s ralph.yml as reins.yml'))
    .option('--write', 'write reins.yml if there is none')
    .action((flags, self: Command) => run(self, async (context) => (await load()).migrate(context, flags)));

  program
    .command('init')
    .description('write a small reins.yml here')
    .exitOverride()
    .option('--agent <name>', 'the agent to use')
    .option('--preset <name>', 'loop, tdd or review')
    .option('--force', 'overwrite an existing file')
    .option('--trust', 'trust the file that is here')
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/init.js')).init(context, flags)),
    );

  program
    .command('trust [agent] [dir]')
    .description('let an agent use what a folder brings along for it; alone: what was said so far')
    .exitOverride()
    .option('--revoke', 'take it back')
    .option('--json', 'the list, as JSON')
    .addHelpText(
      'after',
      '\nFor runs nobody watches:  reins trust claude   then   reins run -i -d -b claude "fix the failing test"',
    )
    .action((agent: string | undefined, dir: string | undefined, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/trust.js')).trust(context, { agent, dir }, flags)),
    );

  const notify = program.command('notify').description('how you are told while you are away').exitOverride();
  withFiles(sub(notify, 'test', 'send one message to each notifier that is configured'))
    .option('--json', 'as JSON')
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/notify.js')).test(context, flags)),
    );

  const policy = program.command('policy').description('who answers which inquiry').exitOverride();
  withFiles(sub(policy, 'explain <tool> [input]', 'which answer a call would get, and why'))
    .option('--kind <kind>', 'run, deliver or question')
    .addOption(new Option('--trust <trust>', 'as if started with this trust').choices(['guarded', 'full']))
    .option('--json', 'as JSON')
    .action((tool: string, input: string | undefined, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/policy.js')).explain(context, tool, input, flags)),
    );

  const hats = program.command('hats').description('the loop’s hats').exitOverride();
  withFiles(sub(hats, 'graph', 'which hat leads to which'))
    .option('--mermaid', 'as a Mermaid diagram')
    .option('--json', 'as JSON')
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/hats.js')).graph(context, flags)),
    );

  program
    .command('doctor')
    .description('what is here and what works: agents, terminals, state')
    .exitOverride()
    .option('--json', 'as JSON')
    .option('--probe', 'rehearse each agent offline and say which signs still hold')
    .option('--pinned', 'with --probe: the versions Reins was built with, not those on PATH')
    .option('--markdown', 'with --probe: as a page')
    .action((flags, self: Command) =>
      run(self, async (context) =>
        flags.probe
          ? (await import('./commands/probe.js')).probe(context, flags)
          : (await import('./commands/doctor.js')).doctor(context, flags),
      ),
    );
}
