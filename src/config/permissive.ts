/**
 * What a project's file gives agents beyond the defaults, or names to be run. Such a file comes with a clone, so none of
 * it holds until the user trusted the file once (`trust-store.ts`). What the user's own file, environment or flags say is
 * the user's word and never listed. Every key of the schema is in one of the two lists here: a test walks the schema.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { LayerKind } from './layer.js';
import type { LoadedConfig } from './load.js';
import type { Provenance } from './merge.js';
import { formatPath, getIn, isMap, type Path } from './path.js';

export interface PermissivePart {
  /** `trust: full`, `rules.allow: Bash(*)`, `tools.Bash.detached.run: auto`. */
  what: string;
  source: string;
  /** Where `what` does not say all of it: a digest of the value, so that another one is not taken for it. */
  digest?: string;
}

interface Danger {
  /** `*` stands for any one segment, a trailing `**` for the rest. */
  key: string;
  when?: (value: unknown, base: string) => boolean;
  /** The value may be a secret: only the key is named. */
  quiet?: true;
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const climbs = (rung: unknown): boolean => isMap(rung) && (rung.mode === 'auto' || rung.mode === 'defaults');
const decidesAlone = (ladder: unknown): boolean => Array.isArray(ladder) && ladder.some(climbs);
/** By its name, or by a link on its way: a committed link may point anywhere. */
function leavesFolder(file: unknown, base: string): boolean {
  if (typeof file !== 'string') return false;
  if (isAbsolute(file) || file.startsWith('~') || normalize(file).startsWith('..')) return true;
  try {
    return !realpathSync(join(base, file)).startsWith(`${realpathSync(base)}/`);
  } catch {
    return false; // not there: nothing will be read
  }
}

/** Agents that are consulted without tools, or not at all. */
const WITHOUT_TOOLS = ['claude', 'codex', 'gemini', 'practice', 'amp', 'kiro'];

/** Keys that permit nothing and name nothing to be run: which agent of the user's, how long, how often, which words. */
export const HARMLESS: readonly string[] = [
  'cli.backend',
  'cli.prompt_mode',
  'cli.default_mode',
  'cli.idle_timeout_secs',
  'cli.detach_key',
  'adapters.*.enabled',
  'adapters.*.timeout',
  'adapters.*.quiet_timeout',
  'adapters.*.first_output_secs',
  'adapters.*.idle_secs',
  // To see a result is what a call was allowed for.
  'tools.*.attached.deliver',
  'rules.ask',
  'rules.deny',
  'presence.grace_secs',
  'presence.web_idle_secs',
  // The work itself: guarded, it is asked about call by call.
  'event_loop.prompt',
  'event_loop.completion_promise',
  'event_loop.max_iterations',
  'event_loop.max_runtime_seconds',
  'event_loop.max_cost_usd',
  'event_loop.max_consecutive_failures',
  'event_loop.max_outage_minutes',
  'event_loop.stall_iterations',
  'event_loop.starting_event',
  'event_loop.cooldown_seconds',
  'event_loop.share_folder',
  'event_loop.idle_timeout_secs',
  'event_loop.required_events',
  'event_loop.strict_promise',
  'core.*',
  'hats.*.*',
  // Which agent of the user's; what is run is asked about.
  'hats.*.backend.type',
  'hats.*.backend.prompt_mode',
  'events.*.*',
  'notify.push',
  'recording.max_mb',
  // A project's file has no say in it.
  'sessions.keep_days',
];

export const DANGERS: readonly Danger[] = [
  { key: 'trust', when: (value) => value === 'full' },
  { key: 'tools.*.attached.run', when: decidesAlone },
  { key: 'tools.*.attached.question', when: decidesAlone },
  { key: 'tools.*.detached.*', when: decidesAlone },
  { key: 'tools.*.reachable.*', when: decidesAlone },
  { key: 'tools.*.answers' },
  { key: 'tools.*.questions.*.answer' },
  { key: 'tools.*.questions.*.exclusive', when: (value) => value === false },
  { key: 'tools.*.on_no_answer', when: (value) => value === 'defaults' },
  { key: 'cli.command' },
  { key: 'cli.args', when: hasItems },
  { key: 'cli.prompt_flag' },
  { key: 'cli.acp_asks', when: (value) => value === true },
  { key: 'cli.clipboard', when: (value) => value !== 'off' },
  // It would make a program of the user's pass for one that asks.
  { key: 'cli.acp', when: (value) => value === true },
  { key: 'hats.*.backend.command' },
  { key: 'hats.*.backend.args', when: hasItems },
  { key: 'hats.*.backend.prompt_flag' },
  // An agent of kiro's is a file, and may come with the folder: with programs in it.
  { key: 'hats.*.backend.agent' },
  { key: 'adapters.*.args', when: hasItems },
  { key: 'adapters.*.env.**', quiet: true },
  // It is imported by the session's own host.
  { key: 'adapters.*.module' },
  // Any other runs a program that may have tools, with a prompt in which the project has its say.
  { key: 'consult.backend', when: (value) => !WITHOUT_TOOLS.includes(String(value)) },
  { key: 'consult.args', when: hasItems },
  // The user's money and patience, and how sure is sure enough: what the user set may be less than the default.
  { key: 'consult.model' },
  { key: 'consult.timeout_secs' },
  { key: 'consult.min_confidence' },
  { key: 'consult.max_per_session' },
  { key: 'consult.max_cost_usd' },
  { key: 'consult.max_cost_usd_per_day' },
  { key: 'consult.suggest', when: (value) => value === true },
  // What is shown to a consulted model, or becomes the prompt, leaves this machine.
  {
    key: 'consult.context',
    when: (value, base) => Array.isArray(value) && value.some((file) => leavesFolder(file, base)),
  },
  { key: 'consult.reads', when: (value) => value === true },
  { key: 'consult.free_text', when: (value) => value === true },
  { key: 'consult.never' },
  { key: 'event_loop.prompt_file', when: leavesFolder },
  { key: 'event_loop.gates', when: hasItems },
  { key: 'rules.allow', when: hasItems },
  // Who can reach it, and with which files: never a repository's to say.
  { key: 'hub.**' },
  // What is run, who is told, who may answer and when nobody is told: all of it.
  { key: 'notify.command' },
  { key: 'notify.command.**' },
  { key: 'notify.webhooks', when: hasItems, quiet: true },
  { key: 'notify.on' },
  { key: 'notify.quiet_hours' },
  { key: 'notify.details' },
  { key: 'notify.terminal' },
];

/** `of`: whose words are looked at; the project's file, unless told. */
export function permissiveParts(loaded: LoadedConfig, of: readonly LayerKind[] = ['project']): PermissivePart[] {
  const parts: PermissivePart[] = [];
  const base = dirname(loaded.project?.file ?? '/');
  for (const provenance of loaded.origins.values()) {
    const { origin, path } = provenance;
    const danger = DANGERS.find((each) => fitsKey(each.key, path));
    // Rules are joined over all layers and come with their own places, below.
    if (!danger || !of.includes(origin.layer) || danger.key === 'rules.allow') continue;
    const value = getIn(loaded.config, path);
    // What a higher layer replaced as a whole is not in force.
    if (value === undefined || (danger.when && !danger.when(value, base))) continue;
    const { what, isAll } = name(provenance, { value, quiet: danger.quiet ?? false });
    parts.push({ what, source: origin.source, ...(isAll ? {} : { digest: digestOf(value) }) });
  }
  const allowed = loaded.rules.filter((rule) => of.includes(rule.layer) && rule.effect === 'allow');
  parts.push(...allowed.map((rule) => ({ what: `rules.allow: ${rule.text}`, source: rule.source })));
  // Not written, but what a ralph.yml means: agents run with their auto-approve flags.
  const meant = of.includes('project') && loaded.projectKind === 'ralph';
  if (meant && loaded.origins.get('trust')?.origin.layer === 'default') {
    parts.push({ what: 'trust: full', source: loaded.origins.get('trust')!.origin.source });
  }
  return unique(parts);
}

/** `*` in the pattern is any one segment. */
export function fitsKey(pattern: string, path: Path): boolean {
  const parts = pattern.split('.');
  const rest = parts.at(-1) === '**';
  if (rest ? path.length < parts.length : path.length !== parts.length) return false;
  return parts.every((part, index) => part === '*' || part === '**' || part === path[index]);
}

/** A mode spread over all kinds is named once, by the key that was written. */
function name(provenance: Provenance, shown: { value: unknown; quiet: boolean }): { what: string; isAll: boolean } {
  const { origin, path } = provenance;
  const key = formatPath(origin.written.length > 0 ? origin.written : path);
  if (shown.quiet) return { what: key, isAll: false };
  const ladder =
    path[0] === 'tools' && Array.isArray(shown.value) && shown.value.every(isMap) ? shown.value : undefined;
  const text = ladder ? (ladder as { mode: string }[]).map((rung) => rung.mode).join(', ') : plain(shown.value);
  const isTimed = ladder?.some((rung) => 'secs' in rung) === true;
  return { what: `${key}: ${whole(text)}`, isAll: !isTimed && text.length <= MOST_SHOWN };
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** What is agreed to is shown: a value is cut only where nobody would read on, and then it says so. */
const MOST_SHOWN = 2000;

function whole(text: string): string {
  const more = text.length - MOST_SHOWN;
  return more > 0 ? `${text.slice(0, MOST_SHOWN)}… (and ${more} characters more: read the file)` : text;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unique(parts: PermissivePart[]): PermissivePart[] {
  return [...new Map(parts.map((part) => [`${part.what}\n${part.source}`, part])).values()];
}
