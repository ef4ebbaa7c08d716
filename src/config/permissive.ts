/**
 * What a project's file gives agents beyond the defaults, or makes Reins itself do. Such a file comes with a clone, so
 * none of it holds until the user trusted the file once (`trust-store.ts`). What the user's own file, environment or
 * flags say is the user's word and never listed.
 */
import { isAbsolute, normalize } from 'node:path';
import type { LoadedConfig } from './load.js';
import type { Provenance } from './merge.js';
import { formatPath, getIn, isMap, type Path } from './path.js';

export interface PermissivePart {
  /** `trust: full`, `rules.allow: Bash(*)`, `tools.Bash.detached.run: auto`. */
  what: string;
  source: string;
  /** Not written, but what a ralph.yml means: agents run with their auto-approve flags. */
  implied?: true;
}

interface Danger {
  /** `*` stands for any one segment, a trailing `**` for the rest. */
  key: string;
  when?: (value: unknown) => boolean;
  /** The value may be a secret: only the key is named. */
  quiet?: true;
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
const climbs = (rung: unknown): boolean => isMap(rung) && (rung.mode === 'auto' || rung.mode === 'defaults');
const decidesAlone = (ladder: unknown): boolean => Array.isArray(ladder) && ladder.some(climbs);
const leavesFolder = (file: unknown): boolean =>
  typeof file === 'string' && (isAbsolute(file) || file.startsWith('~') || normalize(file).startsWith('..'));

const DANGERS: Danger[] = [
  { key: 'trust', when: (value) => value === 'full' },
  { key: 'tools.*.attached.run', when: decidesAlone },
  { key: 'tools.*.attached.question', when: decidesAlone },
  { key: 'tools.*.detached.*', when: decidesAlone },
  { key: 'tools.*.questions.*.answer' },
  { key: 'tools.*.questions.*.exclusive', when: (value) => value === false },
  { key: 'tools.*.on_no_answer', when: (value) => value === 'defaults' },
  { key: 'cli.command' },
  { key: 'cli.args', when: hasItems },
  { key: 'cli.prompt_flag' },
  { key: 'cli.clipboard', when: (value) => value !== 'off' },
  { key: 'adapters.*.args', when: hasItems },
  { key: 'adapters.*.env.**', quiet: true },
  { key: 'consult.args', when: hasItems },
  // What is shown to a consulted model, or becomes the prompt, leaves this machine.
  { key: 'consult.context', when: (value) => Array.isArray(value) && value.some(leavesFolder) },
  { key: 'event_loop.prompt_file', when: leavesFolder },
  { key: 'event_loop.gates', when: hasItems },
  { key: 'notify.command' },
  { key: 'notify.webhooks', when: hasItems, quiet: true },
];

export function permissiveParts(loaded: LoadedConfig): PermissivePart[] {
  const parts: PermissivePart[] = [];
  for (const provenance of loaded.origins.values()) {
    const { origin, path } = provenance;
    const danger = DANGERS.find((each) => fits(each.key, path));
    if (!danger || origin.layer !== 'project') continue;
    const value = getIn(loaded.config, path);
    if (danger.when && !danger.when(value)) continue;
    parts.push({ what: name(provenance, { value, quiet: danger.quiet ?? false }), source: origin.source });
  }
  const allowed = loaded.rules.filter((rule) => rule.layer === 'project' && rule.effect === 'allow');
  parts.push(...allowed.map((rule) => ({ what: `rules.allow: ${rule.text}`, source: rule.source })));
  if (loaded.projectKind === 'ralph' && loaded.origins.get('trust')?.origin.layer === 'default') {
    parts.push({ what: 'trust: full', source: loaded.origins.get('trust')!.origin.source, implied: true });
  }
  return unique(parts);
}

function fits(pattern: string, path: Path): boolean {
  const parts = pattern.split('.');
  const rest = parts.at(-1) === '**';
  if (rest ? path.length < parts.length : path.length !== parts.length) return false;
  return parts.every((part, index) => part === '*' || part === '**' || part === path[index]);
}

/** A mode spread over all kinds is named once, by the key that was written. */
function name(provenance: Provenance, shown: { value: unknown; quiet: boolean }): string {
  const { origin, path } = provenance;
  const key = formatPath(origin.written.length > 0 ? origin.written : path);
  if (shown.quiet) return key;
  const isLadder = path[0] === 'tools' && Array.isArray(shown.value) && shown.value.every(isMap);
  const text = isLadder ? (shown.value as { mode: string }[]).map((rung) => rung.mode).join(', ') : plain(shown.value);
  return `${key}: ${text.length > 120 ? `${text.slice(0, 119)}…` : text}`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unique(parts: PermissivePart[]): PermissivePart[] {
  return [...new Map(parts.map((part) => [`${part.what}\n${part.source}`, part])).values()];
}
