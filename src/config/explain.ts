/**
 * Answers to "why is it so?": each value with its source and what it overrode, and the policies one tool ends up with.
 * The cascade: the tool's kind, the tool, the defaults' kind, the defaults, what is built in. The first that is set wins.
 */
import { ReinsError } from '../contract/index.js';
import { schemasAt, suggestPath } from './known-keys.js';
import { leaves } from './layer.js';
import type { LoadedConfig } from './load.js';
import type { Origin } from './merge.js';
import { formatPath, getIn, type Path, parsePath } from './path.js';
import { type AttachedRung, type DetachedRung, KINDS, type Kind } from './schema/tools.js';

export interface ExplainedKey {
  key: string;
  /** As it is in force; absent where nothing sets it and there is no default. */
  value?: unknown;
  source: string;
  /** Nearest first. For `rules` these are the lists it was joined to. */
  overrode: { value: unknown; source: string }[];
}

/** All values, or those at and below `key`. Throws CONFIG_INVALID for a key the schema does not know. */
export function explain(loaded: LoadedConfig, key?: string): ExplainedKey[] {
  const path = key === undefined ? [] : parsePath(key);
  if (!path || schemasAt(path).length === 0) {
    const nearest = path && suggestPath(path);
    throw new ReinsError('CONFIG_INVALID', {
      problem: `${key}: unknown key${nearest ? `, did you mean ${nearest}?` : ''}`,
    });
  }
  const value = getIn(loaded.config, path);
  if (value === undefined) return [{ key: formatPath(path), source: 'not set', overrode: [] }];
  return [...leaves(value, path)].map((leaf) => explainLeaf(loaded, leaf));
}

function explainLeaf(loaded: LoadedConfig, leaf: { path: Path; value: unknown }): ExplainedKey {
  const key = formatPath(leaf.path);
  const provenance = originOf(loaded, leaf.path);
  return {
    key,
    value: leaf.value,
    source: provenance?.origin.source ?? 'default',
    overrode: (provenance?.overrode ?? []).map(({ value, source }) => ({ value, source })),
  };
}

/** A leaf may come from a value above it (a list) whose place is all there is. */
function originOf(loaded: LoadedConfig, path: Path) {
  for (let length = path.length; length > 0; length--) {
    const found = loaded.origins.get(formatPath(path.slice(0, length)));
    if (found) return found;
  }
  return undefined;
}

export interface EffectivePolicy<Rung> {
  ladder: Rung[];
  /** The key that decided, as written: `tools.Bash.detached`, or `built in`. */
  via: string;
  /** Where that key stands. */
  source: string;
}

export interface EffectiveTool {
  tool: string;
  attached: Record<Kind, EffectivePolicy<AttachedRung>>;
  /** While nobody is there but somebody can be fetched. */
  reachable: Record<Kind, EffectivePolicy<DetachedRung>>;
  detached: Record<Kind, EffectivePolicy<DetachedRung>>;
  on_no_answer: { value: 'deny' | 'defaults' | 'defer'; via: string; source: string };
  questions: Record<string, { exclusive?: boolean; answer?: string[] }>;
}

const BUILT_IN = { via: 'built in', source: 'default' };

/** What somebody who can be fetched is waited for, before the detached policy. */
const FETCHED_WITHIN_SECS = 15 * 60;

/** Nothing runs unattended, and an attended run or question is asked; a result the user let happen is delivered. */
const BUILT_IN_ATTACHED: Record<Kind, AttachedRung> = {
  run: { mode: 'ask' },
  question: { mode: 'ask' },
  deliver: { mode: 'auto' },
};

export function effectiveTool(loaded: LoadedConfig, tool: string): EffectiveTool {
  const names = tool === 'defaults' ? [tool] : [tool, 'defaults'];
  const first = (tail: string[]) => {
    for (const name of names) {
      const path = ['tools', name, ...tail];
      const value = getIn(loaded.config, path);
      if (value !== undefined) return { value, ...told(originOf(loaded, path)?.origin) };
    }
    return undefined;
  };
  const perKind = <Rung>(
    when: 'attached' | 'reachable' | 'detached',
    builtIn: (kind: Kind) => EffectivePolicy<Rung>,
  ) => {
    const policies = KINDS.map((kind): [Kind, EffectivePolicy<Rung>] => {
      const found = first([when, kind]);
      if (!found) return [kind, builtIn(kind)];
      return [kind, { ladder: found.value as Rung[], via: found.via, source: found.source }];
    });
    return Object.fromEntries(policies) as Record<Kind, EffectivePolicy<Rung>>;
  };
  const unanswered = first(['on_no_answer']);
  const detached = perKind<DetachedRung>('detached', () => ({ ladder: [{ mode: 'deny' }], ...BUILT_IN }));
  return {
    tool,
    attached: perKind<AttachedRung>('attached', (kind) => ({ ladder: [BUILT_IN_ATTACHED[kind]], ...BUILT_IN })),
    reachable: perKind<DetachedRung>('reachable', (kind) => {
      const { ladder, ...from } = detached[kind];
      return { ladder: [{ mode: 'ask', secs: FETCHED_WITHIN_SECS }, ...ladder], ...from };
    }),
    detached,
    on_no_answer: unanswered
      ? { ...unanswered, value: unanswered.value as 'deny' | 'defaults' | 'defer' }
      : { value: 'deny', ...BUILT_IN },
    questions: (getIn(loaded.config, ['tools', tool, 'questions']) ?? {}) as EffectiveTool['questions'],
  };
}

function told(origin: Origin | undefined): { via: string; source: string } {
  return origin ? { via: formatPath(origin.written), source: origin.source } : BUILT_IN;
}
