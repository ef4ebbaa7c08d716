/**
 * The effective config of one invocation, and where each value came from. Layers, lowest first: the schema's defaults,
 * the user's file, the project's file (reins.yml, else ralph.yml with the user's own ~/.ralph/config.yml below it, or what
 * `-c` names), REINS_CFG__… and REINS_TRUST, `--set`, flags. All problems of all layers are told at once.
 */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Env } from '../contract/index.js';
import {
  displayPath,
  explicitProjectFile,
  findProjectFile,
  isThere,
  ralphUserFile,
  readConfigText,
  userConfigFile,
} from './files.js';
import { schemasAt } from './known-keys.js';
import type { Layer } from './layer.js';
import { type Merged, mergeLayers, type Provenance, type RuleLine } from './merge.js';
import { migrateLayer } from './migrate.js';
import { normalizePolicies } from './normalize.js';
import { notYetNotice } from './not-yet.js';
import { nest, type Path } from './path.js';
import { issueProblems, type Problem, problemAt, throwProblems, unknownKey } from './problems.js';
import { isRalphKey } from './ralph/keys.js';
import { dropIn } from './ralph/layer.js';
import { type Config, type ConfigInput, ConfigSchema } from './schema.js';
import { environmentLayers, flagLayer, setLayers } from './small-layers.js';
import { parseYamlLayer } from './yaml-text.js';

/** A config is read once per process: compiling the schema first would cost more than it saves. */
const ONCE = { jitless: true };

export interface LoadOptions {
  cwd: string;
  env: Env;
  /** `-c FILE`: replaces the project's file. */
  explicitFile?: string;
  /** `--set key=value`, in order. */
  sets?: readonly string[];
  /** What flags of their own set. */
  flags?: ConfigInput;
  /** Which flag set which key, for messages: `{'cli.idle_timeout_secs': '--idle-timeout'}`. */
  flagNames?: Readonly<Record<string, string>>;
}

export interface ReadFile {
  /** Absolute. */
  file: string;
  /** As shown in messages. */
  name: string;
  layer: 'user' | 'project';
  sha256: string;
}

export interface LoadedConfig {
  config: Config;
  projectKind: 'reins' | 'ralph' | 'none';
  /** The project's file, if there is one; also in `files`. */
  project?: ReadFile;
  files: ReadFile[];
  /** By formatted path, of every value that is not a default. */
  origins: ReadonlyMap<string, Provenance>;
  rules: RuleLine[];
  /** What the user should know: migrated keys, keys without effect. */
  notices: string[];
}

/** Contract: throws nothing but ReinsError (CONFIG_INVALID, CONFIG_UNREADABLE). */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const project = options.explicitFile
    ? explicitProjectFile(options.explicitFile, options.cwd)
    : findProjectFile(options.cwd, options.env);
  const user = userConfigFile(options.env);
  const load = new Load(options.cwd);
  if (project?.kind === 'ralph') load.layers.push(ralphTrust(displayPath(project.file, options.cwd)));
  if (isThere(user)) load.file({ file: user, kind: 'user', origin: 'found', of: 'reins' });
  const ralphs = ralphUserFile(options.env);
  if (project?.kind === 'ralph' && project.file !== ralphs && isThere(ralphs)) {
    load.file({ file: ralphs, kind: 'user', origin: 'found', of: 'ralph' });
  }
  const origin = options.explicitFile ? 'named' : 'found';
  if (project) load.file({ file: project.file, kind: 'project', origin, of: project.kind });
  load.add(environmentLayers(options.env));
  load.add(setLayers(options.sets ?? []));
  if (options.flags) load.add({ layers: [flagLayer(options.flags, options.flagNames ?? {})], problems: [] });
  throwProblems(load.problems);

  const merged = mergeLayers(load.layers);
  const read = load.files.find((file) => file.layer === 'project');
  return {
    config: finish(merged),
    projectKind: project?.kind ?? 'none',
    ...(read && { project: read }),
    files: load.files,
    origins: merged.origins,
    rules: merged.rules,
    notices: [...load.notices, ...load.idleNotice(), ...notYetNotice(merged.origins)],
  };
}

/** Seeds 000 and 001 start agents with their auto-approve flags; a ralph.yml was written for that. */
function ralphTrust(name: string): Layer {
  return { kind: 'default', tree: { trust: 'full' }, places: new Map(), place: { source: `default with ${name}` } };
}

function finish(merged: Merged): Config {
  const parsed = ConfigSchema.safeParse(merged.tree, ONCE);
  if (parsed.success) return parsed.data;
  // Every layer was valid by itself, so what is wrong came out of their combination.
  const whole: Layer = {
    kind: 'default',
    tree: merged.tree,
    places: new Map(),
    place: { source: 'all layers together' },
  };
  throwProblems(issueProblems(whole, parsed.error.issues));
  throw new Error('an invalid config without a problem');
}

/** What one load collects. */
class Load {
  readonly layers: Layer[] = [];
  readonly problems: Problem[] = [];
  readonly notices: string[] = [];
  readonly files: ReadFile[] = [];
  /** By file: what ralph knows and has no effect here. */
  readonly #idle: string[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  file(source: { file: string; kind: 'user' | 'project'; origin: 'found' | 'named'; of: 'reins' | 'ralph' }): void {
    const { file, kind, origin, of } = source;
    const text = readConfigText(file, origin);
    const name = displayPath(file, this.#cwd);
    const { layer, empty, problems } = parseYamlLayer({ text, kind, name, file });
    this.files.push({ file, name, layer: kind, sha256: sha256(text) });
    this.problems.push(...problems);
    if (problems.length > 0) return;
    const known = (path: Path) => schemasAt(path).length > 0 || isOld(path) || (of === 'ralph' && isRalphKey(path));
    const migrated = migrateLayer(layer);
    const dropped = of === 'ralph' ? dropIn(layer) : { idle: [], moved: [] };
    for (const path of empty.filter((each) => !known(each))) {
      const key = String(path.at(-1));
      const at = path.slice(0, -1);
      this.problems.push(problemAt(layer, { path: at, key, message: unknownKey(layer, at, key) }));
    }
    if (dropped.moved.length > 0) {
      const write = kind === 'project' ? '; `reins config migrate --write` writes it as reins.yml' : '';
      this.notices.push(`${name}: ${dropped.moved.join(', ')}${write}`);
    }
    if (dropped.idle.length > 0) this.#idle.push(`${name}: ${dropped.idle.join(', ')}`);
    this.problems.push(...migrated.problems);
    this.notices.push(...migrated.notices);
    this.add({ layers: [layer], problems: [] });
  }

  /** One for all files: what they hold and does nothing. */
  idleNotice(): string[] {
    return this.#idle.length === 0 ? [] : [`without effect here: ${this.#idle.join('; ')}`];
  }

  add(found: { layers: Layer[]; problems: Problem[] }): void {
    this.problems.push(...found.problems);
    for (const layer of found.layers) {
      const issues = check(layer);
      this.problems.push(...issueProblems(layer, issues));
      if (issues.length === 0) normalizePolicies(layer);
      this.layers.push(layer);
    }
  }
}

const isOld = (path: Path): boolean => /^pty_(mode|interactive)$/.test(String(path.at(-1)));

/** What the schema says about one layer. `--set event_loop.prompt=42` means the text, if only text fits. */
function check(layer: Layer): z.core.$ZodIssue[] {
  const parsed = ConfigSchema.safeParse(layer.tree, ONCE);
  if (parsed.success) return [];
  if (layer.raw) {
    const asText = nest(layer.raw.path, layer.raw.text) as Record<string, unknown>;
    if (ConfigSchema.safeParse(asText, ONCE).success) {
      layer.tree = asText;
      return [];
    }
  }
  return parsed.error.issues;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
