/**
 * Commands, flags and help. Nothing happens here: each command loads its own file when it is called, so that a command
 * pays only for what it uses.
 */
import { Command, CommanderError, Option } from './commander.js';
import { type Context, createContext, fail, type GlobalFlags, notConsulted, version } from './context.js';
import { groupHelp, MCP_HELP, shapeHelp } from './help.js';
import { runFlags } from './program-run.js';

const collect = (value: string, all: string[]) => [...all, value];

const ANSWERS = `
run, deliver       reins answer ID allow        reins answer ID deny --reason "not on main"
one question       reins answer ID 2            by number, id or label; several values where several may be chosen
                   reins answer ID --text 2     the text 2, not the second option
several questions  reins answer ID db=PostgreSQL tests=unit tests=e2e --text name=x
a password         reins answer ID --secret     typed without being shown, or piped in
no answer          reins answer ID deny`;

export type Action = (context: Context) => Promise<number>;
export type Run = (command: Command, action: Action) => void;

/** Everything behind the first `--`: the agent's own arguments, or exec's command. */
function splitArgs(argv: string[]): { ours: string[]; theirs: string[] } {
  const cut = argv.indexOf('--');
  return cut < 0 ? { ours: argv, theirs: [] } : { ours: argv.slice(0, cut), theirs: argv.slice(cut + 1) };
}

export async function main(argv: string[]): Promise<void> {
  const { ours, theirs } = splitArgs(argv);
  let action: Action | undefined;
  let flags: GlobalFlags = {};
  const program = await build({
    first: ours[0],
    theirs,
    run(command, act) {
      flags = command.optsWithGlobals<GlobalFlags>();
      action = act;
    },
  });
  try {
    await program.parseAsync(ours, { from: 'user' });
  } catch (error) {
    // Commander has printed what is wrong already; help and version are no errors.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    await fail(createContext({}).channels, error);
  }
  if (!action) return;
  let context: Context;
  try {
    context = createContext(flags);
  } catch (error) {
    await fail(createContext({}).channels, error);
    return;
  }
  try {
    notConsulted(context.env);
    const code = await action(context);
    await context.channels.flush();
    process.exit(code);
  } catch (error) {
    await fail(context.channels, error);
  }
}

interface Wiring {
  /** The first word of the command line. */
  first?: string | undefined;
  theirs: string[];
  run: Run;
}

/** For the manual page: the program as it is, with nothing behind it. */
export const describedProgram = (): Promise<Command> => build({ theirs: [], run: () => undefined });

async function build({ first, theirs, run }: Wiring): Promise<Command> {
  const program = new Command('reins')
    .description('Hand coding agents the reins, and take them back.')
    .version(version(), '-V, --version')
    .option('-q, --quiet', 'no progress on stderr, only errors')
    .addOption(new Option('--format <format>', 'auto, text, text-pretty or json').default('auto'))
    .enablePositionalOptions(false)
    .exitOverride();
  shapeHelp(program);

  const command = (name: string, description: string): Command =>
    program.command(name).description(description).exitOverride();

  runFlags(command('run [prompt...]', 'start a session: a loop, or -i for the agent’s own terminal')).action(
    (words: string[], flags, self: Command) =>
      run(self, async (context) =>
        (await import('./commands/run.js')).run(context, words, { ...flags, agentArgs: theirs }),
      ),
  );

  command('exec [command...]', 'supervise any one command; its exit code is ours')
    .usage('[options] -- COMMAND ARGS…')
    // First: behind --no-pty it would be on by itself.
    .option('--pty', 'a terminal also where its output is redirected: one stream, as a terminal shows it')
    .option('--no-pty', 'plain pipes instead of a terminal')
    .option('-d, --detach', 'print the session id and return')
    .addOption(new Option('--in <place>', 'detached, with its viewer in a new window there').choices(['tmux']))
    .option('--name <name>', 'a name for the session')
    .option('--namespace <name>', 'which paired devices may know of it (default: default)')
    .option('-C, --cwd <dir>', 'where to run')
    .option('--timeout <secs>', 'stop it after so many seconds')
    .action((words: string[], flags, self: Command) =>
      run(self, async (context) => (await import('./commands/exec.js')).exec(context, [...words, ...theirs], flags)),
    );

  command('ls', 'the sessions of this machine: those that run (-q: their ids alone)')
    .option('-a, --all', 'ended ones too')
    .option('--json', 'as JSON')
    .action((flags, self: Command) =>
      run(self, async (context) => {
        const ids = self.optsWithGlobals<GlobalFlags>().quiet === true;
        return (await import('./commands/ls.js')).ls(context, { ...flags, ids });
      }),
    );

  command('attach [id]', 'a terminal on a session; leave with Ctrl-], the session lives on')
    .option('--read-only', 'look, do not touch')
    .option('--take', 'take the keys from whoever has them')
    .action((id: string | undefined, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/attach.js')).attach(context, id, flags)),
    );

  command('send <id> [text...]', 'submit a message (- reads stdin), or press keys')
    .option('--keys <keys>', 'like "Esc C-c Enter"')
    .option('--key <key>', 'idempotency key: the same one twice is one message')
    .option('--json', 'as JSON')
    .action((id: string, words: string[], flags, self: Command) =>
      run(self, async (context) =>
        (await import('./commands/screen.js')).send(context, id, [...words, ...theirs], flags),
      ),
    );

  command('screen <id>', 'what the agent’s terminal shows now')
    .option('--ansi', 'with colours')
    .option('--json', 'with cursor and modes')
    .option('--scrollback <lines>', 'lines above the screen')
    .action((id: string, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/screen.js')).screen(context, id, flags)),
    );

  command('logs [id]', 'the journal of a session')
    .option('-f, --follow', 'go on as it grows')
    .option('--since <seq>', 'only what came after this entry')
    .option('--summary', 'what a loop came to: changes, gates, hats, waits, cost, what was denied')
    .option('--json', 'as JSON')
    .option('--host', 'what its host did instead: links, commands, troubles')
    .option('--hub', 'what the hub did, without an id: devices, pages, pushes, troubles')
    .action((id: string | undefined, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/logs.js')).logs(context, id, flags)),
    );

  command('inbox', 'what waits for a person, in all sessions')
    .option('--watch', 'go on looking')
    .option('--json', 'as JSON')
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/inbox.js')).inbox(context, flags)),
    );

  command('answer <inquiry> [verdict...]', 'settle an inquiry: allow, deny, or the answer to its question')
    .option('--text <text>', 'a text of your own, as it stands, never taken for an option', collect, [])
    .option('--secret', 'ask for the answer without showing it, or take it from a pipe')
    .option('--scope <scope>', 'once or session (allow it for the rest of the session)')
    .option('--reason <text>', 'told to the agent')
    .option('--suggested [mark]', 'take the answer that another agent suggests (see inbox)')
    .addHelpText('after', ANSWERS)
    .option('--json', 'as JSON')
    .action((id: string, words: string[], flags, self: Command) =>
      run(self, async (context) =>
        (await import('./commands/inbox.js')).answer(context, id, [...words, ...theirs], flags),
      ),
    );

  command('consult <inquiry>', 'what another agent would be given to answer it, to the letter; nothing is started')
    .option('--dry-run', 'the only way: whether another agent is asked is for the policy to say')
    .option('--json', 'as JSON')
    .action((id: string, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/consult.js')).consult(context, id, flags)),
    );

  const control = () => import('./commands/control.js');
  command('interrupt <id>', 'end the agent’s turn, not the agent').action((id: string, _flags, self: Command) =>
    run(self, async (context) => (await control()).interrupt(context, id)),
  );
  command('pause <id>', 'stop the whole process tree where it is')
    .option('--json', 'as JSON')
    .action((id: string, flags, self: Command) =>
      run(self, async (context) => (await control()).pause(context, id, { ...flags, on: true })),
    );
  command('resume <id>', 'let a paused session go on')
    .option('--json', 'as JSON')
    .action((id: string, flags, self: Command) =>
      run(self, async (context) => (await control()).pause(context, id, { ...flags, on: false })),
    );
  for (const how of ['stop', 'kill'] as const) {
    command(`${how} <id>`, how === 'stop' ? 'end a session: TERM, 5 s, KILL, nothing left' : 'end a session at once')
      .option('--json', 'as JSON')
      .action((id: string, flags, self: Command) =>
        run(self, async (context) => (await control()).stop(context, id, { ...flags, how })),
      );
  }
  command('resize <id> <size>', 'set the terminal’s size, like 120x40').action(
    (id: string, size: string, _flags, self: Command) =>
      run(self, async (context) => (await control()).resize(context, id, size)),
  );
  const removal = () => import('./commands/remove.js');
  command('rm <id...>', 'remove ended sessions: their record, never the project’s files')
    .option('--json', 'as JSON')
    .action((ids: string[], flags, self: Command) =>
      run(self, async (context) => (await removal()).rm(context, ids, flags)),
    );
  command('prune', 'remove sessions that ended long ago (sessions.keep_days)')
    .option('--older-than <days>', 'those that ended more than so many days ago')
    .option('--all', 'every ended one')
    .option('--dry-run', 'only say which')
    .option('--json', 'as JSON')
    .action((flags, self: Command) => run(self, async (context) => (await removal()).prune(context, flags)));
  command('guide <id> <text...>', 'guidance for the next iteration’s prompt, also of a loop that has ended')
    .option('--json', 'as JSON')
    .action((id: string, words: string[], flags, self: Command) =>
      run(self, async (context) => (await control()).guide(context, id, words, flags)),
    );
  command('emit <topic> [payload...]', 'publish a loop event from inside an agent’s shell')
    .option('--json', 'as JSON')
    .action((topic: string, words: string[], flags, self: Command) =>
      run(self, async (context) => (await control()).emit(context, topic, [...words, ...theirs], flags)),
    );

  command('replay <id>', 'play the recording of a session')
    .option('--speed <n>', 'like 2 for twice as fast')
    .option('--at <time>', 'show one moment, like 1:30')
    .option('--export <file>', 'write an asciicast v2 file, - for stdout')
    .option('--chapters', 'inquiries, answers and iterations, with their times')
    .action((id: string, flags, self: Command) =>
      run(self, async (context) => (await import('./commands/replay.js')).replay(context, id, flags)),
    );

  runFlags(command('rehearse <scenario> [prompt...]', 'the real agent, offline, on a scripted model'))
    .option('--here', 'work in this folder: the tools really run')
    .option('--keep', 'keep the disposable home and project')
    .action((file: string, words: string[], flags, self: Command) =>
      run(self, async (context) =>
        (await import('./commands/rehearse.js')).rehearse(context, file, words, { ...flags, agentArgs: theirs }),
      ),
    );

  command('demo', 'try Reins with the practice agent: no key, no network').action((flags, self: Command) =>
    run(self, async (context) => (await import('./commands/demo.js')).demo(context, flags)),
  );
  command('mcp', 'sessions as tools for another agent: a server of the Model Context Protocol')
    .option(
      '--may <rights>',
      'what the caller may do: view, answer, type, admin; answering only where it is said',
      'type',
    )
    .option('--http', 'on 127.0.0.1 instead of stdin and stdout, with a key (REINS_MCP_KEY, or one that is shown once)')
    .option('--port <port>', 'of --http; a free one unless told')
    .addHelpText('after', MCP_HELP)
    .action((flags, self: Command) =>
      run(self, async (context) => (await import('./commands/mcp.js')).mcp(context, flags)),
    );
  // Only where one of those above is named for certain; help, completion and what nobody knows are about all of them.
  const isNamed = program.commands.some((one) => one.name() === first);
  if (!isNamed) (await import('./program-rest.js')).restCommands(program, run);
  const completions = () => import('./commands/completion.js');
  command('completion <shell>', 'completion for bash, zsh or fish: a script to source').action(
    (shell: string, _flags, self: Command) =>
      run(self, async (context) => (await completions()).completion(context, shell)),
  );
  program
    .command('__complete', { hidden: true })
    .exitOverride()
    .action((_flags, self: Command) =>
      run(self, async (context) => (await completions()).candidates(context, program, theirs)),
    );
  groupHelp(program);
  return program;
}
