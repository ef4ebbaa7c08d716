/**
 * Which keys the schema knows below a path, and which of them a mistyped one most likely meant. Reads the JSON schema,
 * which is made only when something is wrong or asked for: loading a good config never pays for it.
 */
import { configJsonSchema, type JsonSchema } from './json-schema.js';
import { formatPath, type Path } from './path.js';

/** The schema nodes a path leads to; several where a value may have several shapes. */
export function schemasAt(path: Path): JsonSchema[] {
  let nodes: JsonSchema[] = alternatives(configJsonSchema());
  for (const part of path) nodes = nodes.flatMap((node) => step(node, part)).flatMap(alternatives);
  return nodes;
}

function alternatives(node: JsonSchema): JsonSchema[] {
  return [node, ...(node.anyOf ?? []).flatMap(alternatives)];
}

function step(node: JsonSchema, part: string | number): JsonSchema[] {
  if (node.items && /^\d+$/.test(String(part))) return [node.items];
  if (node.properties && Object.hasOwn(node.properties, part)) return [node.properties[part]!];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
}

function keysAt(path: Path): string[] {
  return [...new Set(schemasAt(path).flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** A known sibling that is spelled alike, or else the full path of the same key elsewhere. */
export function suggestKey(path: Path, key: string, also: readonly string[] = []): string | undefined {
  return (
    nearest(key, [...keysAt(path), ...also]) ??
    allKeys()
      .find((known) => known.at(-1) === key)
      ?.join('.')
  );
}

/** For a whole path that is not known: the nearest known one. */
export function suggestPath(path: Path): string | undefined {
  const known = path.findIndex((_, index) => schemasAt(path.slice(0, index + 1)).length === 0);
  if (known < 0) return undefined;
  const parent = path.slice(0, known);
  const sibling = nearest(String(path[known]), keysAt(parent));
  if (sibling) return formatPath([...parent, sibling, ...path.slice(known + 1)]);
  return allKeys()
    .find((each) => each.at(-1) === path.at(-1))
    ?.join('.');
}

/** Keys that have one fixed place: nothing below names the user chooses. */
function allKeys(): string[][] {
  const walk = (node: JsonSchema, path: string[]): string[][] =>
    Object.entries(node.properties ?? {}).flatMap(([key, inner]) => [[...path, key], ...walk(inner, [...path, key])]);
  return walk(configJsonSchema(), []);
}

/** The word nearest to `word`, if it may be meant: a third of its letters may differ (at least two), or only its unit is missing. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const clean = word.slice(0, 80).toLowerCase().replaceAll('-', '_');
  const limit = Math.max(Math.min(2, clean.length - 1), Math.floor(clean.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(clean, candidate.toLowerCase());
    if (distance <= limit && (!best || distance < best.distance)) best = { word: candidate, distance };
  }
  return best?.word ?? known.find((candidate) => candidate.startsWith(`${clean}_`));
}

/** Letters to insert, remove, replace or swap with their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
