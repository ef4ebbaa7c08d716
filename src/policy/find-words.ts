/** find's own words: places, tests and what it does with what it found. Anything not listed is not understood. */
import { HARMLESS } from './programs.js';
import { filledIn, type Runs, type Wrapper } from './runs.js';
import type { Word } from './shell-words.js';

const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
/** Tests and actions, with how many words they take. */
const TAKES_NONE = new Set(
  `-print -print0 -ls -prune -quit -depth -d -xdev -mount -empty -executable -readable -writable -follow -daystart -true
   -false -nouser -nogroup -noleaf -not -a -and -o -or -H -L -P -E -X ! ( ) ,`.split(/\s+/),
);
const TAKES_ONE = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin
   -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -samefile -lname -ilname
   -printf -fstype -newermt -newerct -newerat -used`.split(/\s+/),
);

export const find: Wrapper = (args) => {
  const runs: Required<Pick<Runs, 'commands'>> & Runs = { commands: [] };
  const doubt = (why: string) => {
    runs.unclear ??= why;
  };
  let places = true;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index]!;
    const { text } = word;
    if (RUNS.has(text)) {
      places = false;
      const end = args.findIndex((other, at) => at > index && endsHere(other, args[at - 1]!));
      // What is found begins with the place it was looked for in, and those are plain here.
      runs.commands.push(filledIn(args.slice(index + 1, end < 0 ? undefined : end), '{}', { operand: true }));
      // In the folder of what was found there may be another Makefile, package.json or repository.
      if (/dir$/.test(text) && !HARMLESS.has(args[index + 1]?.text ?? '')) doubt('it runs in other folders');
      if (end < 0) doubt('it has no end');
      else index = end;
    } else if (word.exact && TAKES_NONE.has(text)) places &&= /^-[HLPEX]$/.test(text);
    else if (word.exact && TAKES_ONE.has(text)) {
      places = false;
      index += 1;
      if (args[index] && !isOne(args[index]!)) doubt('a part is only known when it runs');
    } else if (!places || !isPlace(word))
      doubt(word.exact ? `${text} is not understood` : 'a part is only known when it runs');
  }
  return runs;
};

/** `+` is the end behind `{}` alone. */
const endsHere = ({ text }: Word, before: Word) => text === ';' || (text === '+' && before.text === '{}');

/** One word for certain: it cannot become two. */
const isOne = (word: Word) => word.exact || !word.splits;
const isPlace = (word: Word) => (word.exact && /^[^-!(,)]/.test(word.text)) || word.operand === true;
