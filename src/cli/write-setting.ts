/** Writes one setting into the user's own config, because they asked for it: whole or not at all, with the old text kept beside it. */
import { copyFileSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { setInText, userConfigFile } from '../config/index.js';
import { type Env, ReinsError, unreadableBecause } from '../contract/index.js';
import { makeDir, writeWhole } from '../disk/index.js';

export interface WrittenSetting {
  file: string;
  /** Where its old text is; absent: there was none. */
  kept?: string;
}

/** Contract: throws CONFIG_INVALID or USAGE, and then nothing has changed. */
export function writeUserSetting(env: Env, setting: { path: string[]; value: unknown }): WrittenSetting {
  const named = userConfigFile(env);
  const before = read(named);
  const text = setInText(before ?? '', { file: named, ...setting });
  try {
    makeDir(dirname(named));
    // A link stays one: many keep their config in a repository of its own.
    const file = before === undefined ? named : realpathSync(named);
    const kept = `${file}.before`;
    if (before !== undefined) copyFileSync(file, kept);
    writeWhole(file, text);
    return { file, ...(before === undefined ? {} : { kept }) };
  } catch (error) {
    throw new ReinsError('USAGE', {
      problem: `${named} cannot be written: ${unreadableBecause(error)}`,
      fix: 'put the lines there yourself',
    });
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ReinsError('USAGE', {
      problem: `${file} cannot be read: ${unreadableBecause(error)}`,
      fix: 'look at it',
    });
  }
}
