/**
 * One value put into the text of a JSON file with every other byte left as it is: another program's file, whose order,
 * spacing and number spellings are not ours to change. Pure; what cannot be done without touching more is not done.
 */
import { isDeepStrictEqual } from 'node:util';

/** Members of an object by key: where the value stands. A key that stands twice counts as JSON.parse counts it. */
interface Members {
  values: Map<string, { from: number; to: number }>;
  /** Behind the last value, or behind the brace of an empty object. */
  end: number;
  /** White space between the brace and the first key. */
  lead: string;
}

/** The whole new text, the same text if the value is there, or undefined where it cannot be put. */
export function withJsonEntry(text: string, path: readonly string[], value: unknown): string | undefined {
  const before = parsed(text);
  if (before === undefined) return undefined;
  const after = withValue(before, path, value);
  if (after === undefined) return undefined;
  if (isDeepStrictEqual(before, after)) return text;
  const written = put(text, path, value);
  return isDeepStrictEqual(parsed(written), after) ? written : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: whoever asked says so
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withValue(object: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown) {
  if (key === undefined) return undefined;
  const old = Object.hasOwn(object, key) ? object[key] : {};
  if (rest.length > 0 && !isObject(old)) return undefined;
  const inner: unknown = rest.length === 0 ? value : withValue(old as Record<string, unknown>, rest, value);
  return inner === undefined ? undefined : { ...object, [key]: inner };
}

function put(text: string, path: readonly string[], value: unknown): string {
  let at = text.indexOf('{');
  const root = members(text, at);
  const [, newline = '', unit = ''] = /^(\r?\n)([ \t]+)$/.exec(root.lead) ?? [];
  for (const [depth, key] of path.entries()) {
    const here = members(text, at);
    const found = here.values.get(key);
    if (!found) {
      const rest = path.slice(depth + 1).reduceRight((inner, name) => ({ [name]: inner }), value);
      const lines = JSON.stringify(rest, null, unit).replaceAll('\n', newline + unit.repeat(depth + 1));
      const lead = here.values.size > 0 ? here.lead : newline + unit.repeat(depth + 1);
      const member = `${lead}${JSON.stringify(key)}:${unit === '' ? '' : ' '}${lines}`;
      const tail = here.values.size > 0 ? '' : newline + unit.repeat(depth);
      return text.slice(0, here.end) + (here.values.size > 0 ? ',' : '') + member + tail + text.slice(here.end);
    }
    if (depth === path.length - 1) return text.slice(0, found.from) + JSON.stringify(value) + text.slice(found.to);
    at = found.from;
  }
  return text;
}

/** Of the object that begins at `open`. Contract: the text is JSON. */
function members(text: string, open: number): Members {
  const values: Members['values'] = new Map();
  let at = space(text, open + 1);
  const lead = text.slice(open + 1, at);
  let end = open + 1;
  while (text[at] === '"') {
    const behindKey = skip(text, at);
    const key = JSON.parse(text.slice(at, behindKey)) as string;
    const from = space(text, space(text, behindKey) + 1);
    end = skip(text, from);
    values.set(key, { from, to: end });
    at = space(text, end);
    if (text[at] === ',') at = space(text, at + 1);
  }
  return { values, end, lead };
}

function space(text: string, at: number): number {
  let to = at;
  while (to < text.length && ' \t\r\n'.includes(text[to]!)) to += 1;
  return to;
}

/** Behind the value that begins here. */
function skip(text: string, at: number): number {
  let to = at;
  let depth = 0;
  do {
    const char = text[to];
    if (char === '"') {
      for (to += 1; text[to] !== '"'; to += 1) if (text[to] === '\\') to += 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (depth === 0) {
      // A number or a word: up to what cannot belong to it.
      while (to + 1 < text.length && !',}] \t\r\n'.includes(text[to + 1]!)) to += 1;
    }
    to += 1;
  } while (depth > 0);
  return to;
}
