/**
 * What a session's config came from, apart from its files: what the user said when it was started. Kept with the session,
 * so that the files can be read again when it goes on, under the same words and those that are new.
 */
import { resolve } from 'node:path';
import { parsePath } from '../config/index.js';
import type { StartWords } from '../host/index.js';
import { agreedTo, permittedBy } from './settings.js';
import { FLAG_KEYS, type RunAsk, type RunSettings, type SettingWords } from './settings-run.js';
import type { Where } from './where.js';

export interface SaidWith {
  settings: RunSettings;
  promptFromFiles: boolean;
}

export function saidOf(where: Pick<Where, 'cwd'>, ask: RunAsk, { settings, promptFromFiles }: SaidWith): StartWords {
  const { project } = settings.loaded;
  const flags = (Object.keys(FLAG_KEYS) as (keyof typeof FLAG_KEYS)[]).flatMap((name) => {
    const value = ask[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...(ask.config === undefined ? {} : { config: resolve(where.cwd, ask.config) }),
    ...(ask.module ? { module: ask.module } : {}),
    set: ask.set ?? [],
    flags: Object.fromEntries(flags),
    ...(promptFromFiles ? { prompt_from_files: true } : {}),
    ...(project ? { file: { path: project.file, sha256: project.sha256 } } : {}),
    permits: permittedBy(settings).map(agreedTo),
  };
}

/** The old words with the new ones on top: a `--set` that is new also beats a flag that is not. */
export function saidAgain(said: StartWords, ask: RunAsk): RunAsk {
  const fresh = ask.set ?? [];
  const isSet = (key: string) => fresh.some((text) => names(text, key));
  const kept = Object.entries(said.flags).filter(([name]) => !isSet(FLAG_KEYS[name as keyof typeof FLAG_KEYS]));
  const given = Object.fromEntries(Object.entries(ask).filter(([, value]) => value !== undefined)) as RunAsk;
  return {
    ...(said.config === undefined ? {} : { config: said.config }),
    ...(said.module ? { module: said.module } : {}),
    ...(Object.fromEntries(kept) as SettingWords),
    ...given,
    set: [...said.set, ...fresh],
  };
}

/** Whether these words say something about the value at this key. */
export function speaksOf(ask: RunAsk, key: string): boolean {
  const flags = Object.keys(FLAG_KEYS) as (keyof typeof FLAG_KEYS)[];
  const isFlag = flags.some((name) => ask[name] !== undefined && FLAG_KEYS[name] === key);
  return isFlag || (ask.set ?? []).some((text) => names(text, key));
}

/** Whether `key=value` says something about the value at this key: it is the key, or a map around it. */
function names(text: string, key: string): boolean {
  const path = parsePath(text.slice(0, text.indexOf('=')).trim());
  if (!path) return false;
  return key === path.join('.') || key.startsWith(`${path.join('.')}.`);
}
