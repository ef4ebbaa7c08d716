/**
 * How help looks: commands in groups, the flags that every command takes shown with each of them, and an error that
 * points to the help of the command it is about. What commands and flags say is in program*.ts.
 */
import type { Command, Help, Option } from 'commander';

const GROUPS: Record<string, string[]> = {
  'Start:': ['run', 'exec', 'rehearse', 'demo'],
  'Sessions:': ['ls', 'attach', 'send', 'screen', 'logs', 'replay', 'resize', 'rm', 'prune', 'worktree'],
  'What waits for you:': ['inbox', 'answer', 'consult', 'decisions', 'digest'],
  'From a browser or a phone:': ['serve', 'pair', 'devices'],
  'Hold and end:': ['interrupt', 'pause', 'resume', 'stop', 'kill'],
  'The loop:': ['guide', 'emit', 'hats'],
  'Set up:': ['init', 'trust', 'config', 'policy', 'notify', 'doctor', 'mcp', 'completion'],
};

const EXAMPLES = `
Examples:
  reins demo                          a first look: no key, no network
  reins run "fix the failing test"    the loop; you are asked where needed
  reins run -i                        the agent’s own terminal, you at the keys
  reins run -d "fix it"               leave it; reins inbox shows what it asks
  reins exec -- npm test              any one command, supervised

reins COMMAND --help lists the flags. An ID may be shortened, or be the session’s name.`;

export const MCP_HELP = `
Add it to an agent:
  claude mcp add reins -- reins mcp
  codex mcp add reins -- reins mcp

The tools start agents, wait for them, show their screen, send them messages and stop them. What those agents ask waits
for a person: reins inbox. See docs/mcp.md.`;

/** Before the commands are made: they inherit it. */
export function shapeHelp(program: Command): void {
  program.configureHelp({
    sortSubcommands: false,
    showGlobalOptions: true,
    subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argument)].join(' '),
    visibleCommands: (command) =>
      command.commands.filter((one) => one.name() !== 'help' && !one.name().startsWith('__')),
    visibleGlobalOptions: (command) => (command === program ? [] : program.options.filter(isForAll)),
    optionDescription(this: Help, option: Option): string {
      // "(default: [])" tells nobody anything.
      if (Array.isArray(option.defaultValue) && option.defaultValue.length === 0) return option.description;
      return Object.getPrototypeOf(this).optionDescription.call(this, option);
    },
  });
  program.addHelpText('after', EXAMPLES);
}

/** When all commands are there. */
export function groupHelp(program: Command): void {
  for (const [title, names] of Object.entries(GROUPS))
    for (const command of program.commands.filter((one) => names.includes(one.name()))) command.helpGroup(title);
  pointToHelp(program, 'reins');
}

function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(see \`${path} --help\`)`);
  for (const sub of command.commands) pointToHelp(sub, `${path} ${sub.name()}`);
}

const isForAll = (option: Option): boolean => option.long !== '--version' && !option.hidden;

function argument(one: Command['registeredArguments'][number]): string {
  const name = `${one.name()}${one.variadic ? '…' : ''}`.toUpperCase();
  return one.required ? name : `[${name}]`;
}
