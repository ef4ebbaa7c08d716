/**
 * What is to be judged, looked at once: the call's command, paths and addresses, and for a shell command everything it
 * would run. All matching works on this.
 */
import type { Inquiry } from '../contract/index.js';
import { MOST_WORDS, newBudget, type Unfolded, unfold } from './commands.js';
import { type Moves, movesOf } from './moves.js';
import { isInCwd, type PathBase, seePath } from './paths.js';
import { type ParsedShell, type Shell, shellOfWords } from './shell-words.js';
import { type Call, readCall } from './tools.js';
import { isDeciding } from './writes.js';

export interface Subject {
  kind: Inquiry['kind'];
  call: Call;
  place: PathBase;
  /** It works outside the session's folder, or where git or an agent keeps its own: rules for commands do not reach there. */
  away: boolean;
  /** Whether the input is there to be judged: a result may be announced without it, its run was judged before. */
  seen: boolean;
  /** Every statement of the command, with what it would run inside. */
  commands: Unfolded[];
  /** Why the call could not be read. */
  problem?: string;
  /** It was read, but does something that is not judged. */
  unclear?: string;
  /** It is unclear, and what it does may be a command that its text holds. */
  hidden: boolean;
  /** The folders its commands may run in. */
  moves: Moves;
}

export interface SubjectAsk {
  kind: Inquiry['kind'];
  tool: string;
  input: unknown;
  place: PathBase;
  shell: Shell | undefined;
}

const noShell: Shell = () => ({ problem: 'there is no shell grammar to read it with', commands: [] });

export function subjectOf({ kind, tool, input, place: session, shell = noShell }: SubjectAsk): Subject {
  const call = readCall(tool, input);
  const { place, away } = placeOf(call, session);
  const unread = call.unclear === undefined ? {} : { problem: call.unclear };
  const base = {
    kind,
    call,
    place,
    away,
    seen: input !== undefined,
    commands: [],
    hidden: false,
    moves: movesOf([], place),
    ...unread,
  };
  if (call.tool !== 'Bash') return base;
  const parsed = [call.command, ...(call.more ?? [])].map((command) => parsedCommand(call, command, shell));
  const budget = newBudget();
  const commands = parsed.flatMap((one) => one.commands.map((command) => unfold(command, shell, budget)));
  const problem = call.unclear ?? parsed.find((one) => one.problem !== undefined)?.problem;
  const unclear = parsed.find((one) => one.unclear !== undefined)?.unclear;
  return {
    ...base,
    commands,
    hidden: parsed.some((one) => one.hidden === true),
    moves: movesOf(commands, place),
    ...(unclear === undefined ? {} : { unclear }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Where relative paths of this call count from, and whether that lies where the session's rules were not meant for. */
function placeOf(call: Call, session: PathBase): { place: PathBase; away: boolean } {
  if (call.workdir === undefined) return { place: session, away: false };
  const seen = seePath(call.workdir, session);
  if (seen.real === undefined) return { place: { ...session, from: 'unknown' }, away: true };
  const away = !isInCwd(call.workdir, session) || isDeciding(seen, 'edit', session);
  return { place: { ...session, from: seen.real }, away };
}

function parsedCommand(call: Call, command: Call['command'], shell: Shell): ParsedShell {
  if (command === undefined) return { problem: 'it names no command', commands: [] };
  if (typeof command !== 'string' && command.length > MOST_WORDS)
    return { problem: 'it has too many words', commands: [] };
  const parsed = typeof command === 'string' ? shell(command) : shellOfWords(command);
  const inside = call.name === 'Bash' ? undefined : carried(parsed);
  return inside === undefined ? parsed : shell(inside);
}

/**
 * Some agents hand over every command as `/bin/bash -lc '…'`: that is how they run it, not something the model wrote,
 * so the text inside is the command. Only this exact shape, and never for a tool that is called Bash.
 */
function carried({ problem, commands }: ParsedShell): string | undefined {
  const [only, more] = commands;
  if (problem !== undefined || !only || more || only.redirects.length > 0 || only.words.length !== 3) return undefined;
  if (!only.words.every((word) => word.exact)) return undefined;
  const [program, option, text] = only.words.map((word) => word.text);
  const isShell = /^(\/(usr\/)?bin\/)?(bash|zsh|sh)$/.test(program!);
  return isShell && (option === '-lc' || option === '-c') ? text : undefined;
}
