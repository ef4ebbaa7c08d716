/**
 * What each wrapper runs, read from its arguments. Options are read strictly: an option that is not listed makes the
 * wrapper unclear, because it might take the next word with it.
 */
import { unknownWord, type Word } from './shell-words.js';

export interface Runs {
  /** Commands given as words. */
  commands?: Word[][];
  /** Commands given as text for a shell. */
  texts?: Word[];
  unclear?: string;
}

type Wrapper = (args: Word[], name: string) => Runs;

interface OptionShape {
  /** Letters and long names that stand alone. */
  flags?: string;
  /** Letters and long names that take the next word (or the rest of their own). */
  values?: string;
  /** Words between the options and the command (`timeout 5 npm test`). */
  operands?: number;
  assignments?: boolean;
}

const UNLISTED = 'an option that is not understood';

/** The words behind a wrapper's own options, or undefined when the options cannot be read. */
function afterOptions(args: Word[], shape: OptionShape): Word[] | undefined {
  const values = new Set((shape.values ?? '').split(' ').filter(Boolean));
  const flags = new Set((shape.flags ?? '').split(' ').filter(Boolean));
  let index = 0;
  for (; index < args.length; index += 1) {
    const { text, exact } = args[index]!;
    if (!exact) return undefined;
    if (text === '--') {
      index += 1;
      break;
    }
    if (!text.startsWith('-') || text === '-') break;
    const long = text.startsWith('--');
    const name = long ? text.slice(2).split('=', 1)[0]! : text.slice(1);
    if (values.has(name)) index += long && text.includes('=') ? 0 : 1;
    else if (flags.has(name) || (!long && [...name].every((letter) => flags.has(letter)))) continue;
    else if (!long && values.has(name[0]!)) continue;
    else if (!long && values.has(name.at(-1)!) && [...name.slice(0, -1)].every((letter) => flags.has(letter)))
      index += 1;
    else return undefined;
  }
  let rest = args.slice(index);
  if (shape.operands) rest = rest.slice(shape.operands);
  return rest;
}

function prefix(shape: OptionShape): Wrapper {
  return (args) => {
    const rest = afterOptions(args, shape);
    if (!rest) return { unclear: UNLISTED, commands: guess(args) };
    return rest.length > 0 ? { commands: [rest] } : {};
  };
}

/** For deny rules: where options cannot be read, every word could begin the command. */
function guess(args: Word[]): Word[][] {
  return args.slice(0, 20).flatMap((word, index) => (word.text.startsWith('-') ? [] : [args.slice(index)]));
}

const joinedText = (words: Word[]): Word => ({
  text: words.map((word) => word.text).join(' '),
  exact: words.every((word) => word.exact),
});

/** `sh -c TEXT`; a script file is a program like any other; without either it reads commands from its input. */
const shellProgram: Wrapper = (args) => {
  for (const [index, { text, exact }] of args.entries()) {
    if (!exact) return { unclear: 'what it runs is only known when it runs' };
    const rest = args.slice(index + 1);
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(text)) {
      const [first] = rest;
      if (!first) return { unclear: 'what it runs is not named' };
      return /^[-+]/.test(first.text) ? { unclear: UNLISTED, texts: rest } : { texts: [first] };
    }
    if (/^[-+][a-zA-Z]*[oO]$/.test(text) || /^--(rcfile|init-file)$/.test(text)) {
      return { unclear: UNLISTED, texts: rest };
    }
    if (/^-[a-zA-Z]*s/.test(text) || text === '-') return { unclear: 'it runs what comes in on its input' };
    if (!/^[-+]/.test(text)) return {};
  }
  return { unclear: 'it runs what comes in on its input' };
};

const evaluate: Wrapper = (args) => (args.length > 0 ? { texts: [joinedText(args)] } : {});

const xargs: Wrapper = (args) => {
  const shape = {
    flags: '0 r t p x o null no-run-if-empty verbose interactive exit',
    values: 'a d E I L n P s arg-file delimiter max-lines max-args max-procs max-chars replace process-slot-var',
  };
  const rest = afterOptions(args, shape);
  if (!rest) return { unclear: UNLISTED, commands: guess(args) };
  if (rest.length === 0) return {};
  const own = args.slice(0, args.length - rest.length).map((word) => word.text);
  const at = own.findIndex((text) => text.startsWith('-I') || text.startsWith('--replace'));
  if (at < 0) return { commands: [[...rest, unknownWord]] };
  const mark = own[at] === '-I' || own[at] === '--replace' ? own[at + 1] : own[at]!.replace(/^(-I|--replace=?)/, '');
  return { commands: [filledIn(rest, mark || '{}')] };
};

/** Words in which the wrapper puts something in place of `mark`. */
const filledIn = (words: Word[], mark: string): Word[] =>
  words.map((word) =>
    word.text.includes(mark) ? { ...word, text: word.text.replaceAll(mark, '\0'), exact: false } : word,
  );

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FIND_CHANGES = new Set(['-delete', '-fprint', '-fprint0', '-fprintf', '-fls']);

const find: Wrapper = (args) => {
  const runs: Required<Pick<Runs, 'commands'>> & Runs = { commands: [] };
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]!;
    if (FIND_CHANGES.has(word.text)) runs.unclear = `${word.text} changes files`;
    // An unquoted glob is a place to search; anything else unknown could be -delete.
    if (!word.exact && word.text.startsWith('\0')) runs.unclear ??= 'a part is only known when it runs';
    if (!FIND_RUNS.has(word.text)) continue;
    const end = args.findIndex((other, at) => at > index && (other.text === ';' || other.text === '+'));
    runs.commands.push(filledIn(args.slice(index + 1, end < 0 ? undefined : end), '{}'));
    if (end < 0) runs.unclear ??= 'it has no end';
    else index = end;
  }
  return runs;
};

const fd: Wrapper = (args) => {
  const at = args.findIndex((word) => /^(-[a-zA-Z]*[xX]|--exec(-batch)?)$/.test(word.text));
  if (args.some((word) => /^--exec(-batch)?=/.test(word.text))) return { unclear: UNLISTED };
  return at < 0 ? {} : { commands: [[...args.slice(at + 1), unknownWord]] };
};

/** `su -c TEXT`, `flock FILE -c TEXT`, `script -c TEXT`: anything else of theirs is unclear. */
const byTextOption: Wrapper = (args) => {
  const at = args.findIndex((word) => /^(-[a-zA-Z]*c|--command)$/.test(word.text));
  const text = args[at + 1];
  if (at >= 0 && text) return { texts: [text], ...(at > 1 ? { unclear: UNLISTED } : {}) };
  return { unclear: 'what it runs is not named', commands: guess(args) };
};

const ssh: Wrapper = (args) => {
  const rest = afterOptions(args, {
    flags: '4 6 A a C f G g K k M N n q s T t V v X x Y y tt vv vvv',
    values: 'b c i l p',
  });
  if (!rest) return { unclear: UNLISTED, texts: [joinedText(args.slice(1))] };
  return rest.length > 1 ? { texts: [joinedText(rest.slice(1))] } : {};
};

const trap: Wrapper = (args) => {
  const [text] = args;
  return !text || text.text === '-' || /^-[lp]/.test(text.text) ? {} : { texts: [text] };
};

const command: Wrapper = (args, name) => {
  if (name === 'command' && args.some(({ text }, index) => index === 0 && /^-[vV]$/.test(text))) return {};
  return prefix({ flags: 'p c l', values: 'a' })(args, name);
};

const envWrapper: Wrapper = (args, name) => {
  // `-S` splits its own text into a command; that stays unclear, with every text shown to deny rules.
  const split = args.find((word) => /^(-[a-zA-Z]*S|--split-string)/.test(word.text));
  if (split) return { unclear: UNLISTED, texts: args, commands: guess(args) };
  return prefix({ flags: 'i 0 v ignore-environment null debug', values: 'u C unset chdir' })(args, name);
};

const unclear =
  (why: string): Wrapper =>
  (args) => ({ unclear: why, commands: guess(args) });

const LISTED: [string, Wrapper][] = [
  ['bash sh zsh dash ksh ash fish rbash mksh', shellProgram],
  ['eval', evaluate],
  ['env', envWrapper],
  [
    'sudo',
    prefix({
      flags: 'A B b E e H i K k l n P S s V v preserve-env login non-interactive stdin',
      values: 'C D g h p R r T t U u user group host prompt chdir chroot',
    }),
  ],
  ['doas', prefix({ flags: 'n s L', values: 'u C a' })],
  ['nohup setsid builtin', prefix({ flags: 'c f w fork wait ctty' })],
  ['coproc', unclear('it runs in the background')],
  ['time', prefix({ flags: 'p a v portability append verbose', values: 'f o format output' })],
  [
    'timeout gtimeout',
    prefix({ flags: 'v preserve-status foreground verbose', values: 'k s kill-after signal', operands: 1 }),
  ],
  ['nice', prefix({ values: 'n adjustment' })],
  ['ionice', prefix({ flags: 't ignore', values: 'c n class classdata' })],
  ['stdbuf', prefix({ values: 'i o e input output error' })],
  ['taskset chrt', prefix({ flags: 'a b f i o r', operands: 1 })],
  ['chroot', prefix({ values: 'userspec groups', operands: 1 })],
  ['caffeinate', prefix({ flags: 'd i m s u', values: 't w' })],
  ['busybox toybox', prefix({})],
  ['command exec', command],
  ['xargs gxargs', xargs],
  ['find gfind', find],
  ['fd fdfind', fd],
  ['su runuser flock script', byTextOption],
  ['ssh', ssh],
  ['trap', trap],
  ['alias', unclear('it gives a command another meaning')],
  ['watch entr parallel strace ltrace gdb unshare nsenter systemd-run at batch crontab', unclear('it runs a command')],
  ['enable hash bind complete mapfile readarray', unclear('it changes what commands mean')],
];

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  LISTED.flatMap(([names, wrapper]) => names.split(' ').map((name) => [name, wrapper] as const)),
);
