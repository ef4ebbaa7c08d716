/** The manual page, from the same program that parses the command line: `man reins` cannot say what is not so. */
import type { Command } from './commander.js';

/** Text for roff: a backslash, a hyphen and a leading dot mean something there. */
const safe = (text: string): string =>
  text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('’', '\\(cq').replace(/^[.']/gm, '\\&$&');

export function manPage(program: Command, version: string): string {
  const lines = [
    `.TH REINS 1 "" "reins ${version}" "User Commands"`,
    '.SH NAME',
    'reins \\- hand coding agents the reins, and take them back',
    '.SH SYNOPSIS',
    '.B reins',
    '[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    'Runs coding\\-agent programs in a terminal they believe in and decides who answers when they ask. Sessions outlive',
    'terminals, everything that happened is on record, and a stop leaves nothing running.',
    '.SH COMMANDS',
    ...visible(program).flatMap((command) => commandLines(command, '')),
    '.SH OPTIONS OF EVERY COMMAND',
    ...optionLines(program),
    '.SH EXIT STATUS',
    ...EXITS.flatMap(([code, text]) => ['.TP', code, safe(text)]),
    '.SH FILES',
    ...FILES.flatMap(([file, text]) => ['.TP', `.I ${safe(file)}`, safe(text)]),
    '.SH SEE ALSO',
    'reins COMMAND \\-\\-help',
  ];
  return `${lines.join('\n')}\n`;
}

const visible = (command: Command): Command[] =>
  command.commands.filter((one) => one.name() !== 'help' && !one.name().startsWith('__'));

function commandLines(command: Command, path: string): string[] {
  const name = `${path}${command.name()}`;
  const subs = visible(command);
  if (subs.length > 0) return subs.flatMap((sub) => commandLines(sub, `${name} `));
  return [
    '.SS',
    safe(`reins ${name} ${command.usage().replace('[options]', '').trim()}`),
    safe(command.description()),
    ...optionLines(command),
  ];
}

function optionLines(command: Command): string[] {
  return command.options
    .filter((option) => !option.hidden)
    .flatMap((option) => ['.TP', `.B ${safe(option.flags)}`, safe(option.description)]);
}

const EXITS: [string, string][] = [
  ['0', 'completed'],
  ['1', 'the work failed'],
  ['2', 'usage'],
  ['3', 'a limit was reached'],
  ['4', 'an inquiry needed a person and none was there'],
  ['5', 'parked: deferred inquiries wait'],
  ['6', 'ungated: a tool call ran without an allow on record, the agent was stopped'],
  ['10', 'configuration'],
  ['20', 'the agent was not found or cannot be started'],
  ['21', 'the working directory is inaccessible'],
  ['30', 'no such session'],
  ['31', 'driven or answered by another'],
  ['70', 'a bug of Reins'],
  ['124', 'timed out'],
  ['130, 131, 143', 'SIGINT, SIGQUIT, SIGTERM'],
];

const FILES: [string, string][] = [
  ['reins.yml', 'the project’s configuration'],
  ['$XDG_CONFIG_HOME/reins/config.yml', 'the user’s configuration'],
  ['$XDG_STATE_HOME/reins/sessions/', 'one directory per session: its journal and recording'],
];
