/**
 * Layers to one tree, lowest first, keeping for every value who set it and what that overrode. Maps are merged key by
 * key; scalars and lists replace. The one exception are the lists of `rules`: they are joined, because a rule that
 * disappears when a higher file adds its own would open what someone meant to close.
 */
import { findPlace, formatPlace, type Layer, type LayerKind, leaves, type SourcePlace } from './layer.js';
import { formatPath, isMap, type Path } from './path.js';

export interface Origin {
  value: unknown;
  layer: LayerKind;
  /** `reins.yml:3:22`, `environment REINS_TRUST`, `flag --set cli.backend`, `default`. */
  source: string;
  place: SourcePlace;
  /** The key as written: `tools.Bash.detached` where one mode was spread over all kinds. */
  written: Path;
}

export interface Provenance {
  path: Path;
  origin: Origin;
  /** What it overrode (for rules: what it was joined to), nearest first. */
  overrode: Origin[];
}

export type RuleEffect = 'allow' | 'ask' | 'deny';

export interface RuleLine {
  text: string;
  effect: RuleEffect;
  /** `reins.yml:4`, or the variable or flag. */
  source: string;
  layer: LayerKind;
}

export interface Merged {
  tree: Record<string, unknown>;
  /** By formatted path of each leaf that some layer set. */
  origins: Map<string, Provenance>;
  rules: RuleLine[];
}

const isRuleList = (path: Path): boolean => path.length === 2 && path[0] === 'rules';

export function mergeLayers(layers: readonly Layer[]): Merged {
  const merged: Merged = { tree: {}, origins: new Map(), rules: [] };
  for (const layer of layers) {
    for (const { path, value } of leaves(layer.tree)) {
      put(merged.tree, path, value);
      remember(merged.origins, { layer, path, value });
      if (isRuleList(path)) merged.rules.push(...rulesOf(layer, path, value as string[]));
    }
  }
  return merged;
}

function put(tree: Record<string, unknown>, path: Path, value: unknown): void {
  let at = tree;
  for (const part of path.slice(0, -1)) {
    if (!isMap(at[part])) at[part] = {};
    at = at[part] as Record<string, unknown>;
  }
  const key = path.at(-1)!;
  const old = at[key];
  if (isRuleList(path) && Array.isArray(old) && Array.isArray(value)) at[key] = [...old, ...value];
  else if (!(isMap(value) && isMap(old))) at[key] = structuredClone(value);
}

function remember(origins: Map<string, Provenance>, set: { layer: Layer; path: Path; value: unknown }): void {
  const { place, written } = findPlace(set.layer, set.path);
  const origin: Origin = { value: set.value, layer: set.layer.kind, source: formatPlace(place), place, written };
  const key = formatPath(set.path);
  const before = origins.get(key);
  origins.set(key, { path: set.path, origin, overrode: before ? [before.origin, ...before.overrode] : [] });
}

function rulesOf(layer: Layer, path: Path, texts: readonly string[]): RuleLine[] {
  return texts.map((text, index) => {
    const { place } = findPlace(layer, [...path, index]);
    const source = place.line === undefined ? place.source : `${place.source}:${place.line}`;
    return { text, effect: path[1] as RuleEffect, source, layer: layer.kind };
  });
}
