/**
 * The fields of a shell tool's input: what runs, where, and nothing else. All commands in it are judged, because nobody
 * knows which one counts; a field that is not known makes the call unclear, because it may change what runs.
 */
import { isRecord, plainKey } from './fields.js';
import type { Call } from './tools.js';

const COMMANDS = new Set(['command', 'cmd', 'script', 'commandline', 'shellcommand']);
const WORKDIRS = new Set(
  'cwd workdir workingdirectory workingdir dirpath directory dir folder currentdir currentdirectory chdir basedir'.split(
    ' ',
  ),
);
/** Words for people, times and sizes: none of them changes what runs. */
const KNOWN = new Set(
  `description timeout timeoutms timeoutsecs runinbackground isbackground background async yieldtimems maxoutputtokens tty
  login justification reason explanation title summary purpose note sandboxpermissions withescalatedpermissions prefixrule
  dangerouslydisablesandbox mode sessionid id callid toolcallid itemid content locations kind status commandactions
  parsedcmd initialwait security thought`.split(/\s+/),
);
const SHELL = /^(\/(usr\/)?bin\/)?(bash|zsh|sh|dash)$/;

type ShellCall = Pick<Call, 'command' | 'more' | 'workdir' | 'unclear'>;

const isCommand = (value: unknown): value is string | string[] =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'));
const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export function readShellCall(input: unknown): ShellCall {
  if (typeof input === 'string') return { command: input };
  if (!isRecord(input)) return {};
  const commands: (string | string[])[] = [];
  const folders = new Set<string>();
  let unclear: string | undefined;
  for (const [name, value] of Object.entries(input)) {
    const key = plainKey(name);
    const doubt = (why: string) => {
      unclear ??= why;
    };
    if (COMMANDS.has(key)) {
      if (isCommand(value)) commands.push(value);
      else if (!isEmpty(value)) doubt(`its ${name} is no text`);
    } else if (isEmpty(value) || KNOWN.has(key)) continue;
    else if (WORKDIRS.has(key)) {
      if (typeof value === 'string' && !value.startsWith('~')) folders.add(value);
      else doubt(`where it works (${name}) cannot be told`);
    } else if (key === 'shell') {
      if (typeof value !== 'boolean' && !(typeof value === 'string' && SHELL.test(value)))
        doubt('its shell is not known');
    } else if (typeof value === 'string' || typeof value === 'object') doubt(`its field ${name} is not known`);
  }
  if (folders.size > 1) unclear ??= 'it names several folders to work in';
  const different = [...new Map(commands.map((one) => [JSON.stringify(one), one])).values()];
  const [command, ...more] = different;
  const [workdir] = folders;
  return {
    ...(command === undefined ? {} : { command }),
    ...(more.length > 0 ? { more } : {}),
    ...(workdir === undefined ? {} : { workdir }),
    ...(unclear === undefined ? {} : { unclear }),
  };
}
