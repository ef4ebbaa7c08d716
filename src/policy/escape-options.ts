/**
 * Options with which an ordinary program runs a command of the caller's choice. A rule
 * such as `Bash(git log:*)` was not meant to cover `git -c core.pager='!rm x' log`; it must name the option itself.
 */
import type { Word } from './shell-words.js';

const OPTIONS: Record<string, RegExp> = {
  git: /^(-c|--config-env|--exec-path=|--upload-pack|--receive-pack|--ext-diff|--open-files-in-pager|-O|--exec)/,
  tar: /^(-I|--to-command|--checkpoint-action|--use-compress-program|--rsh-command|--rmt-command|--new-volume-script|-F)/,
  rsync: /^(-[a-zA-Z]*e|--rsh|--rsync-path)/,
  sort: /^--compress-program/,
  man: /^(-P|--pager|-H|--html)/,
  rg: /^(--pre|--hostname-bin)/,
  zip: /^(-TT|--unzip-command)/,
  scp: /^(-S|-o)/,
  sftp: /^(-S|-o)/,
  less: /^\+/,
  vim: /^(-c|-S|\+|--cmd)/,
  vi: /^(-c|-S|\+|--cmd)/,
  curl: /^(-K|--config)/,
  wget: /^(--use-askpass|-e|--execute)/,
  make: /^(SHELL=|--eval|-E)/,
  npm: /^(--script-shell|--node-options)/,
  go: /^(-exec|-toolexec|-vettool)/,
  cargo: /^--config/,
};

/** awk and sed programs are code: these parts of it start commands or write files. */
const PROGRAMS: Record<string, RegExp> = {
  awk: /system|getline|[|>]|@/,
  sed: /(^|[;{}\n])\s*(\d+|\$|\/[^/]*\/)?(,(\d+|\$|\/[^/]*\/))?\s*[ewW](\s|$)|s([^\w\s]).*\6.*\6[gpimIM\d]*[ew]/,
};
const SAME_AS: Record<string, string> = {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  nvim: 'vim',
  gtar: 'tar',
};

/** Index in `words` (0 is the name) of the first word that does more than the program's name says, or -1. */
export function escapeOption(name: string, words: Word[]): number {
  const program = Object.hasOwn(SAME_AS, name) ? SAME_AS[name]! : name;
  const options = Object.hasOwn(OPTIONS, program) ? OPTIONS[program] : undefined;
  const code = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  return words.findIndex((word, index) => index > 0 && (options?.test(word.text) || code?.test(word.text)));
}
