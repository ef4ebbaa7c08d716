/**
 * What each wrapper runs, read from its arguments. Options are read strictly: an option that is not listed makes the
 * wrapper unclear, because it might take the next word with it.
 */
import { find } from './find-words.js';
import { LAUNCHERS } from './launchers.js';
import { afterOptions, filledIn, guessed, joinedText, prefix, type Runs, UNLISTED, type Wrapper } from './runs.js';
import { unknownWord } from './shell-words.js';

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
    if (/^[-+][a-zA-Z]*[oO]$/.test(text) || text.startsWith('--')) return { unclear: UNLISTED, texts: rest };
    if (/^-[a-zA-Z]*s/.test(text) || text === '-')
      return { unclear: 'it runs what comes in on its input', script: true };
    if (/^\/dev\/|^\/proc\//.test(text)) return { unclear: 'it runs what comes in on its input', script: true };
    if (!/^[-+]/.test(text)) return {};
  }
  return { unclear: 'it runs what comes in on its input', script: true };
};

/** `. FILE` runs the file here: what it sets stays set. */
const source: Wrapper = (args) =>
  args.some(({ text, exact }) => !exact || /^(-|\/dev\/|\/proc\/)/.test(text))
    ? { unclear: 'it runs what comes in', script: true }
    : {};

const evaluate: Wrapper = (args) => (args.length > 0 ? { texts: [joinedText(args)] } : {});

const xargs: Wrapper = (args) => {
  const shape = {
    // The value of `--replace` and `--max-lines` is optional: only one behind `=` is theirs.
    flags: '0 r t x null no-run-if-empty verbose exit max-lines replace',
    values: 'd E I L n P s delimiter max-args max-procs max-chars',
  };
  const rest = afterOptions(args, shape);
  if (!rest) return { unclear: UNLISTED, ...guessed(args) };
  if (rest.length === 0) return {};
  const own = args.slice(0, args.length - rest.length).map((word) => word.text);
  const at = own.findIndex((text) => text.startsWith('-I') || text.startsWith('--replace'));
  if (at < 0) return { commands: [[...rest, unknownWord]], from: own.length };
  const mark = own[at] === '-I' ? own[at + 1] : own[at]!.replace(/^(-I|--replace=?)/, '');
  return { commands: [filledIn(rest, mark || '{}', { exact: false })], from: own.length };
};

const fd: Wrapper = (args) => {
  const at = args.findIndex((word) => /^(-[a-zA-Z]*[xX]|--exec(-batch)?)$/.test(word.text));
  if (args.some((word) => /^--exec(-batch)?=|^-[a-zA-Z]*[xX]./.test(word.text)))
    return { unclear: UNLISTED, ...guessed(args) };
  return at < 0 ? {} : { commands: [[...args.slice(at + 1), unknownWord]] };
};

/** `su -c TEXT`, `flock FILE -c TEXT`, `script -c TEXT`: anything else of theirs is unclear. */
const byTextOption: Wrapper = (args) => {
  const at = args.findIndex((word) => /^(-[a-zA-Z]*c|--command)$/.test(word.text));
  const text = args[at + 1];
  if (at >= 0 && text) return { texts: [text], ...(at > 1 ? { unclear: UNLISTED } : {}) };
  return { unclear: 'what it runs is not named', ...guessed(args) };
};

const ssh: Wrapper = (args) => {
  const rest = afterOptions(args, {
    flags: '4 6 A a C G g K k N n q T t V v X x Y y tt vv vvv',
    values: 'b c l p',
  });
  if (!rest) return { unclear: UNLISTED, texts: [joinedText(args.slice(1))], script: true };
  const [, ...words] = rest;
  // Behind the host, two dashes are its own.
  const told = words[0]?.text === '--' ? words.slice(1) : words;
  return told.length > 0 ? { texts: [joinedText(told)] } : { script: true };
};

const trap: Wrapper = (args) => {
  const [text, ...signals] = args;
  if (!text || text.text === '-' || /^-[lp]/.test(text.text)) return {};
  const ends = signals.every((signal) => signal.exact && /^(EXIT|0|INT|TERM|HUP|QUIT)$/.test(signal.text));
  return { texts: [text], ...(ends ? {} : { unclear: 'it runs with every command' }) };
};

const command: Wrapper = (args, name) => {
  if (name === 'command' && args.some(({ text }, index) => index === 0 && /^-[vV]$/.test(text))) return {};
  // Another name in front (`-a`) may make another program of it.
  return prefix({ flags: 'p c l' })(args, name);
};

const envWrapper: Wrapper = (args, name) => {
  // `-S` splits its own text into a command; that stays unclear, with every text shown to deny rules.
  const split = args.find((word) => /^(-[a-zA-Z]*S|--split-string)/.test(word.text));
  if (split) return { unclear: UNLISTED, texts: args, ...guessed(args) };
  return prefix({ flags: 'i 0 ignore-environment null', values: 'u unset' })(args, name);
};

const unclear =
  (why: string, more: Partial<Runs> = {}): Wrapper =>
  (args) => ({ unclear: why, ...guessed(args), ...more });

const LISTED: [string, Wrapper][] = [
  ['bash sh zsh dash ksh ash fish rbash mksh csh tcsh yash oksh posh osh ysh nu pwsh xonsh elvish', shellProgram],
  ['. source', source],
  ['eval', evaluate],
  ['env', envWrapper],
  [
    'sudo',
    prefix({
      flags: 'A B b E H K k l n P S V v preserve-env non-interactive stdin',
      values: 'C g h p r T t U u user group host prompt',
    }),
  ],
  ['doas', prefix({ flags: 'n L', values: 'u a' })],
  ['nohup setsid builtin', prefix({ flags: 'c f w fork wait ctty' })],
  ['coproc', unclear('it runs in the background')],
  ['time', prefix({ flags: 'p v portability verbose', values: 'f format' })],
  [
    'timeout gtimeout',
    prefix({ flags: 'v preserve-status foreground verbose', values: 'k s kill-after signal', operands: 1 }),
  ],
  ['nice', prefix({ values: 'n adjustment' })],
  ['ionice', prefix({ flags: 't ignore', values: 'c n class classdata' })],
  ['stdbuf', prefix({ values: 'i o e input output error' })],
  ['taskset chrt', prefix({ flags: 'a b f i o r', operands: 1 })],
  ['chroot', unclear('its programs are others')],
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
  ['at batch crontab', unclear('it runs what comes in on its input', { script: true })],
  ['enable hash bind complete mapfile readarray', unclear('it changes what commands mean')],
  ...LAUNCHERS,
];

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  LISTED.flatMap(([names, wrapper]) => names.split(/\s+/).map((name) => [name, wrapper] as const)),
);

/** `bash5`, `ksh93` and `bash-5.2` are shells as well. */
export function wrapperOf(name: string): Wrapper | undefined {
  const plain = WRAPPERS.get(name.replace(/\.exe$/i, ''));
  const bare = plain ?? WRAPPERS.get(name.replace(/-?\d[\d.]*$/, ''));
  return plain || bare === shellProgram ? bare : undefined;
}
