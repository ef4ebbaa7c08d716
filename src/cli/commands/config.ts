/** `reins config show|check|schema|migrate`: what is in force and why, what is wrong, and the way from old files. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type LoadedConfig, migrateText, ralphUserFile, trustFile, userConfigFile } from '../../config/index.js';
import { type Env, ReinsError, shellWord } from '../../contract/index.js';
import type { StartPlace } from '../../sessions/index.js';
import { insideSession } from '../../sessions/inside.js';
import {
  configFindings,
  ensureFolderTrust,
  type Findings,
  partLines,
  readSettings,
  type SettingsAsk,
  untrustedParts,
} from '../../sessions/run.js';
import type { Context } from '../context.js';
import { effectiveFor, effectiveText, explained, explainLines, valueAt, valueText } from '../show-config.js';
import { startPorts } from '../start-ports.js';

type FileFlags = Pick<SettingsAsk, 'config' | 'set'>;

export async function show(
  context: Context,
  key: string | undefined,
  flags: FileFlags & { json?: boolean; explain?: boolean; effective?: string },
): Promise<number> {
  const { channels } = context;
  if (key !== undefined && flags.effective !== undefined) {
    throw new ReinsError('USAGE', { problem: 'both a key and --effective were given', fix: 'ask for one of them' });
  }
  const { loaded } = readSettings(context, flags);
  if (flags.effective !== undefined) {
    const effective = effectiveFor(loaded, flags.effective);
    if (flags.json) channels.json(effective);
    else channels.out(effectiveText(effective));
    return 0;
  }
  const value = valueAt(loaded, key);
  if (flags.explain) {
    if (flags.json) channels.json(explained(loaded, key));
    else channels.out(`${explainLines(loaded, key).join('\n')}\n`);
    return 0;
  }
  if (value === undefined) channels.chrome(`${key} is not set`);
  if (flags.json) channels.json(value ?? null);
  else if (value !== undefined) channels.out(valueText(value));
  // As `git config --get`: a script can tell "not set" from an empty text.
  return value === undefined ? 1 : 0;
}

export interface CheckResult extends Findings {
  ok: boolean;
  files: string[];
}

/** Contract: throws nothing that a config can cause; what is wrong is in the result. */
export function checkConfig(where: StartPlace, ask: FileFlags = {}): CheckResult {
  try {
    const settings = readSettings(where, ask);
    const { errors, warnings } = configFindings(settings.loaded);
    const parts = untrustedParts(where, settings);
    if (parts.length > 0) {
      const file = settings.loaded.project!.name;
      warnings.push(
        [
          `${file} is not trusted yet: where it is committed, a run asks first or refuses; read it, then \`reins init --trust\``,
          ...partLines(parts),
        ].join('\n'),
      );
    }
    return { ok: errors.length === 0, files: settings.loaded.files.map((file) => file.name), errors, warnings };
  } catch (error) {
    if (!(error instanceof ReinsError) || error.exit !== 10) throw error;
    return { ok: false, files: [], errors: error.message.split('\n'), warnings: [] };
  }
}

export async function check(context: Context, flags: FileFlags & { json?: boolean }): Promise<number> {
  const { channels } = context;
  const result = checkConfig(context, flags);
  if (flags.json) channels.json(result);
  else {
    for (const error of result.errors) channels.complain(`error: ${error}`);
    for (const warning of result.warnings) channels.chrome(`warning: ${warning}`);
    if (result.ok) {
      channels.chrome(
        `ok: ${result.files.join(', ') || 'no config file, the defaults are in force (`reins init` writes one)'}`,
      );
    }
  }
  return result.ok ? 0 : 10;
}

export async function schema(context: Context, flags: { events?: boolean; of?: string }): Promise<number> {
  if (flags.events && flags.of !== undefined && flags.of !== 'events') {
    throw new ReinsError('USAGE', { problem: 'both --events and --of were given', fix: 'ask for one of them' });
  }
  const { publishedSchema } = await import('../output-schemas.js');
  const found = publishedSchema(flags.events ? 'events' : flags.of);
  // Always laid out: it is read by people and kept in files, also when it goes through a pipe.
  context.channels.out(`${JSON.stringify(found, null, 2)}\n`);
  return 0;
}

export interface Migration {
  /** The file that was read. */
  from: string;
  /** Where the new one belongs. */
  to: string;
  text: string;
  changes: string[];
}

export function planMigration(loaded: LoadedConfig, env: Env): Migration {
  const { project, projectKind } = loaded;
  if (!project || projectKind === 'none') {
    throw new ReinsError('USAGE', {
      problem: 'there is no ralph.yml or reins.yml here or above',
      fix: 'go to the project, name the file with -c, or write a new one with `reins init`',
    });
  }
  const isUsers = project.file === ralphUserFile(env);
  const { text, changes } = migrateText(readFileSync(project.file, 'utf8'), isUsers ? 'user' : projectKind);
  const to = isUsers ? userConfigFile(env) : join(dirname(project.file), 'reins.yml');
  // Read with a ralph.yml and with nothing else: what it says stays the user's, and is not put into a project's file.
  const users = isUsers ? undefined : loaded.files.find(({ file }) => file === ralphUserFile(env));
  const left = users
    ? [`${users.name} is read with a ralph.yml only; \`reins config migrate -c ${users.name} --write\` takes it along`]
    : [];
  return { from: project.name, to, text, changes: [...changes, ...left] };
}

export async function migrate(context: Context, flags: FileFlags & { write?: boolean }): Promise<number> {
  const { channels } = context;
  const settings = readSettings(context, flags);
  const migration = planMigration(settings.loaded, context.env);
  for (const change of migration.changes) channels.chrome(`${migration.from}: ${change}`);
  if (migration.changes.length === 0) channels.chrome(`${migration.from} needs no change`);
  if (!flags.write) {
    channels.out(migration.text);
    return 0;
  }
  if (existsSync(migration.to)) throw notReplaced(migration.to);
  const isUsers = settings.loaded.project!.file === ralphUserFile(context.env);
  // A file that came with a clone would be the user's own under its new name: first it has to be followed under the old.
  if (!isUsers) {
    const ports = { ...startPorts(context, { mayAsk: true }), agree: toAgree(context, settings.loaded) };
    await ensureFolderTrust(context, { ...settings, named: false }, ports);
  }
  writeNew(migration);
  // The same content was followed under its old name: the move changes nothing but the name. An agent cannot do this.
  const trusted = !isUsers && !insideSession(context);
  if (trusted) trustFile({ env: context.env, file: migration.to });
  const old = isUsers ? 'is kept, for where there is only a ralph.yml' : 'is kept, and no longer read';
  channels.chrome(`wrote ${migration.to}${trusted ? ' and trusted it' : ''}; ${migration.from} ${old}`);
  return 0;
}

/** `init --trust` takes the file that counts in its folder; any other is read, and put there by hand. */
function toAgree({ cwd }: Context, { project }: LoadedConfig): string {
  const [dir, name] = [dirname(project!.file), basename(project!.file)];
  if (name !== 'ralph.yml') return 'print it without --write and put it where you want it';
  const go = dir === cwd ? '' : `cd ${shellWord(dir)} && `;
  return `run \`${go}reins init --trust\` and this again`;
}

const notReplaced = (to: string, why = 'exists already and is not replaced') =>
  new ReinsError('USAGE', {
    problem: `${to} ${why}`,
    fix: 'move it away, or print the text without --write and put it where you want it',
  });

/** Contract: never replaces a file. */
export function writeNew({ to, text }: Pick<Migration, 'to' | 'text'>): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text, { flag: 'wx' });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw notReplaced(to, exists ? undefined : `cannot be written: ${(error as Error).message}`);
  }
}
