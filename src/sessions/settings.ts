/**
 * The config as a command needs it: loaded, its rules readable, each policy value with its place, and whether the
 * project's file may be followed. A file that comes with a clone gives agents more than the defaults only after the user
 * trusted it; what the user names or says (`-c`, own file, environment, flags) never needs that.
 */
import {
  type Config,
  type ConfigInput,
  type EffectiveTool,
  effectiveTool,
  isTrusted,
  type LoadedConfig,
  loadConfig,
  type PermissivePart,
  permissiveParts,
  type RuleLine,
  trustFile,
} from '../config/index.js';
import { ReinsError, type Trust } from '../contract/index.js';
import { isRuleError, parseRule } from '../policy/index.js';
import type { StartPlace } from './where.js';

export interface SettingsAsk {
  /** `-c FILE` */
  config?: string;
  /** `--set key=value`, in order */
  set?: readonly string[];
  /** What flags of their own set, and which flag that was. */
  flags?: ConfigInput;
  flagNames?: Readonly<Record<string, string>>;
}

export interface Settings {
  loaded: LoadedConfig;
  rules: RuleLine[];
  /** Dotted key → place, for `SessionSpec.sources`. */
  sources: Record<string, string>;
  trust: Trust;
  trustSource: string;
  /** The user named the file with `-c`: that is the user's word. */
  named: boolean;
}

/** Contract: throws only ReinsError; a rule nobody can read is an error here, because a deny that is skipped opens. */
export function loadSettings(where: StartPlace, ask: SettingsAsk = {}): Settings {
  const settings = readSettings(where, ask);
  const problems = ruleProblems(settings.rules);
  if (problems.length > 0) throw new ReinsError('CONFIG_INVALID', { problem: problems.join('\n') });
  return settings;
}

/** The defaults alone, whatever this machine has. */
export function defaultConfig(): Config {
  // A home that is not there, and nothing above it: no file is found.
  return loadConfig({ cwd: '/nonexistent', env: { HOME: '/nonexistent' } }).config;
}

/** What is the user's alone: the user's own file, the environment and `--set`. No project's file has a say in it. */
export const userSettings = ({ env }: Pick<StartPlace, 'env'>, { set = [] }: Pick<SettingsAsk, 'set'>): Config =>
  loadConfig({ cwd: '/nonexistent', env, sets: set }).config;

/** Who answers by that alone, whatever the tool, and how many rules come before. Contract: throws CONFIG_INVALID. */
export function userPolicy({ env }: Pick<StartPlace, 'env'>): UserPolicy {
  const loaded = loadConfig({ cwd: '/nonexistent', env });
  const trust = { value: loaded.config.trust, source: loaded.origins.get('trust')?.origin.source ?? 'default' };
  return { ...effectiveTool(loaded, 'defaults'), trust, rules: loaded.rules.length };
}

export type UserPolicy = EffectiveTool & { trust: { value: Trust; source: string }; rules: number };

/** The same without a look at the rules, for commands that tell what is wrong with them. */
export function readSettings(where: StartPlace, ask: SettingsAsk = {}): Settings {
  const loaded = loadConfig({
    cwd: where.cwd,
    env: where.env,
    ...(ask.config === undefined ? {} : { explicitFile: ask.config }),
    ...(ask.set === undefined ? {} : { sets: ask.set }),
    ...(ask.flags === undefined ? {} : { flags: ask.flags }),
    ...(ask.flagNames === undefined ? {} : { flagNames: ask.flagNames }),
  });
  return {
    loaded,
    rules: loaded.rules,
    sources: sourcesOf(loaded),
    trust: loaded.config.trust,
    trustSource: loaded.origins.get('trust')?.origin.source ?? 'default',
    named: ask.config !== undefined,
  };
}

/** Keys joined by plain dots: the host looks them up that way, also for names that need quotes in a file. */
function sourcesOf(loaded: LoadedConfig): Record<string, string> {
  return Object.fromEntries([...loaded.origins.values()].map(({ path, origin }) => [path.join('.'), origin.source]));
}

/** One line per rule that cannot be read: `reins.yml:4 rules.allow: Bash(x: the closing ) is missing (character 7)`. */
export function ruleProblems(rules: readonly RuleLine[]): string[] {
  return rules.flatMap(({ text, effect, source }) => {
    const rule = parseRule(text);
    return isRuleError(rule) ? [`${source} rules.${effect}: ${text}: ${rule.error} (character ${rule.at + 1})`] : [];
  });
}

/** Which calls are allowed and who answers: under a `full` that the user gave, the agent acts unasked anyway. */
const COVERED_BY_FULL = /^(rules\.allow|tools)\b/;

/**
 * What the project's file permits or names to be run, and the user has not trusted; empty when nothing stands in the way.
 * A ralph.yml is no exception: that it means `full` by itself is one of the things it permits.
 */
export function untrustedParts(where: StartPlace, settings: Settings): PermissivePart[] {
  const { loaded, named } = settings;
  if (!loaded.project || named) return [];
  const parts = permittedBy(settings);
  if (parts.length === 0) return [];
  const { file, sha256 } = loaded.project;
  return isTrusted({ env: where.env, file, sha256 }) ? [] : parts;
}

/** What the project's file, or the one that was named instead, permits or names to be run; whoever agreed to it. */
export function permittedBy({ loaded, trust }: Settings): PermissivePart[] {
  const fullByUser = trust === 'full' && !['project', 'default'].includes(trustLayer(loaded));
  return permissiveParts(loaded).filter(({ what }) => !(fullByUser && COVERED_BY_FULL.test(what)));
}

/** What was agreed to, to be found again: by its words, and by its value where the words do not say all of that. */
export const agreedTo = ({ what, digest }: PermissivePart): string => (digest ? `${what} #${digest}` : what);

const trustLayer = (loaded: LoadedConfig): string => loaded.origins.get('trust')?.origin.layer ?? 'default';

/** Contract: returns if the project's file may be followed, else throws FOLDER_UNTRUSTED with what it would permit. */
export function checkFolderTrust(where: StartPlace, settings: Settings, agree?: string): void {
  const parts = untrustedParts(where, settings);
  if (parts.length === 0) return;
  const onlyTrust = parts.every(({ what }) => what === 'trust: full');
  const run = 'run `reins init --trust` here, or pass --trust-folder for this run only';
  throw new ReinsError('FOLDER_UNTRUSTED', {
    file: settings.loaded.project!.name,
    what: `:\n${partLines(parts).join('\n')}`,
    agree: agree ?? `${run}${onlyTrust ? '; or pass --trust guarded' : ''}`,
  });
}

/** Remembers that the user read the file as it was loaded. Throws STATE_DIR. */
export function trustFolder(where: StartPlace, { loaded }: Settings): void {
  if (loaded.project) trustFile({ env: where.env, file: loaded.project.file, sha256: loaded.project.sha256 });
}

export function partLines(parts: readonly PermissivePart[]): string[] {
  return parts.map(({ what, source }) => `  ${what} (${source})`);
}
