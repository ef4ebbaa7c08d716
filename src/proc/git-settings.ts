/**
 * What a repository's configuration says, read and never obeyed: how text is written, which filters and merge drivers it
 * defines, who the user is. `git config --list` and `git var` only read; they get the real folder because a file may be
 * included on a condition about it.
 */
import { ReinsError } from '../contract/index.js';
import type { Repository } from './git-folders.js';
import { type GitSaid, runGit, safePath } from './git-own.js';

const TIMEOUT_MS = 20_000;

export interface GitSettings {
  /** For `Borrowed.text`. */
  text: Record<string, string>;
  /** Filters by their name, and what each would run to write a file. */
  filters: Map<string, string>;
  /** Names of merge drivers that run something. */
  drivers: Set<string>;
}

/** Names and words that cannot mean anything but what they are. */
const TEXT = /^core\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase)$/;
const TEXT_VALUE = /^(true|false|input|lf|crlf|native|warn)$/;

/** Throws GIT_FAILED where git cannot read it: what it would run cannot be known then. */
export async function gitSettings(repository: Repository): Promise<GitSettings> {
  const said = await ask(repository, ['config', '--includes', '--list', '-z']);
  if (!said.ok) throw new ReinsError('GIT_FAILED', { what: 'read its settings', reason: lastLine(said.stderr) });
  const settings: GitSettings = { text: {}, filters: new Map(), drivers: new Set() };
  /** Both are shown: which of the two git runs is its own choice, and a harmless one must not stand for the other. */
  const runs = new Map<string, string>();
  for (const record of said.stdout.split('\0').filter(Boolean)) {
    const cut = record.indexOf('\n');
    const key = cut < 0 ? record : record.slice(0, cut);
    const value = cut < 0 ? 'true' : record.slice(cut + 1);
    if (TEXT.test(key) && TEXT_VALUE.test(value)) settings.text[key.slice('core.'.length)] = value;
    const filter = /^filter\.(.+)\.(smudge|process)$/s.exec(key);
    if (filter && value !== '') runs.set(`${filter[1]}\0${filter[2]}`, value);
    const driver = /^merge\.(.+)\.driver$/s.exec(key);
    if (driver && value !== '') settings.drivers.add(driver[1]!);
  }
  for (const [key, value] of runs) {
    const name = key.slice(0, key.indexOf('\0'));
    const before = settings.filters.get(name);
    settings.filters.set(name, before === undefined ? value : `${before}, and ${value}`);
  }
  return settings;
}

/** For a commit in the user's name; undefined where git does not know who that is. */
export async function identityOf(repository: Repository): Promise<Record<string, string> | undefined> {
  const env: Record<string, string> = {};
  for (const who of ['AUTHOR', 'COMMITTER']) {
    const said = await ask(repository, ['var', `GIT_${who}_IDENT`]);
    const [, name, email] = /^(.+) <(.*)> \d+ [-+]\d{4}\n$/.exec(said.ok ? said.stdout : '') ?? [];
    if (name === undefined || email === undefined) return undefined;
    env[`GIT_${who}_NAME`] = name;
    env[`GIT_${who}_EMAIL`] = email;
  }
  return env;
}

function ask({ top, gitDir }: Repository, args: string[]): Promise<GitSaid> {
  const { PATH = '', HOME, XDG_CONFIG_HOME, ...rest } = process.env;
  const named = Object.entries(rest).filter(([key]) => /^(GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)|EMAIL)$/.test(key));
  return runGit({
    args: ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args],
    cwd: top,
    env: {
      ...(Object.fromEntries(named) as Record<string, string>),
      PATH: safePath(PATH, top),
      ...(HOME === undefined ? {} : { HOME }),
      ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
      LC_ALL: 'C',
      GIT_DIR: gitDir,
      GIT_WORK_TREE: top,
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeout: TIMEOUT_MS,
  });
}

/** git says the reason last; before it may stand hints. */
export const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .findLast((line) => /^(error|fatal):/.test(line))
    ?.replace(/^(error|fatal): /, '') ?? text.trim().slice(0, 300);
