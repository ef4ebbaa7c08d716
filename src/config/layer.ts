/**
 * A layer is one place that sets config values (a file, a variable, a flag) as a plain tree, together with where each
 * of its paths was written. Later layers win; `merge.ts` does that and keeps what was overridden.
 */
import { formatPath, isMap, type Path } from './path.js';

export type LayerKind = 'default' | 'user' | 'project' | 'environment' | 'set' | 'flag';

export interface SourcePlace {
  /** As shown, without the position: `reins.yml`, `environment REINS_TRUST`, `flag --set cli.backend`. */
  source: string;
  /** Absolute, where the place is in a file. */
  file?: string;
  /** Of the value, counted from 1. */
  line?: number;
  column?: number;
  /** Of the key, where that is what is wrong. */
  key?: { line: number; column: number };
}

export interface Layer {
  kind: LayerKind;
  tree: Record<string, unknown>;
  /** By formatted path; a path that is missing here was written with its nearest ancestor. */
  places: Map<string, SourcePlace>;
  /** For what has no place of its own. */
  place: SourcePlace;
  /** The text behind `tree`, where a scalar was read from text and might have been meant as text. */
  raw?: { path: string[]; text: string };
  /** Further keys that may stand below a path, for "did you mean". */
  alsoKnown?: (path: Path) => string[];
}

export function formatPlace(place: SourcePlace, at: 'value' | 'key' = 'value'): string {
  const position = (at === 'key' ? place.key : undefined) ?? place;
  return position.line === undefined ? place.source : `${place.source}:${position.line}:${position.column}`;
}

/** Where a path was written, and which path that was: `tools.Bash.detached` for a mode that spread to `….run`. */
export function findPlace(layer: Layer, path: Path): { place: SourcePlace; written: Path } {
  for (let length = path.length; length > 0; length--) {
    const written = path.slice(0, length);
    const place = layer.places.get(formatPath(written));
    if (place) return { place, written };
  }
  return { place: layer.place, written: [] };
}

/** Every leaf of a tree: a value that is no map, or an empty map. */
export function* leaves(tree: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  if (!isMap(tree)) {
    yield { path, value: tree };
    return;
  }
  const entries = Object.entries(tree);
  if (entries.length === 0 && path.length > 0) yield { path, value: tree };
  for (const [key, value] of entries) yield* leaves(value, [...path, key]);
}
