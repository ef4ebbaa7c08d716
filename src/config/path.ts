/**
 * Paths into the config, as people write them: `cli.backend`, `rules.allow.0`, `events."build.done".description`. A
 * segment with a dot or a quote in it is quoted, so that every path has exactly one spelling.
 */
export type Path = readonly (string | number)[];

const PLAIN = /^[^."\s=]+$/;

export function formatPath(path: Path): string {
  return path.map((part) => (PLAIN.test(String(part)) ? String(part) : JSON.stringify(String(part)))).join('.');
}

/** The segments of a written path, or undefined if it is none (`a..b`, an open quote, nothing at all). */
export function parsePath(text: string): string[] | undefined {
  const parts: string[] = [];
  const segment = /(?:"((?:[^"\\]|\\.)*)"|([^."]+))(\.|$)/y;
  while (segment.lastIndex < text.length) {
    const at = segment.lastIndex;
    const match = segment.exec(text);
    if (!match) return undefined;
    const part = match[1] === undefined ? match[2] : unquote(text.slice(at, at + match[1].length + 2));
    if (part === undefined) return undefined;
    parts.push(part);
    if (match[3] === '') return parts;
  }
  return undefined;
}

function unquote(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined; // an escape that JSON does not know: no path, and the caller says so
  }
}

/** A map as config files have them: no class, no array. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `{a: {b: value}}` for the path a.b. */
export function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

export function getIn(tree: unknown, path: Path): unknown {
  let at = tree;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}
