/**
 * What tools that look through folders could open: the folder, and the names they look at if they say so. A search that
 * could reach what a rule forbids is never allowed unasked (match.ts).
 */
import { isRecord, plainKey } from './fields.js';
import { LONGEST_PATH } from './paths.js';
import type { Call } from './tools.js';

export interface Search {
  folder: string;
  /** A pattern of the files it looks at; absent: all of them. */
  names?: string;
}

/** An ACP agent's `search` is any tool that it calls so: without a path nobody knows where it looks. */
const PLACELESS = new Set(['search']);
const FILTERS = new Set(['glob', 'include', 'includepattern', 'filepattern']);
const climbs = (pattern: string) => /(^|\/)\.\.(\/|$)/.test(pattern);

/** The part of a glob before its first wildcard: the folder it can reach at most. */
function globRoot(pattern: string): string {
  const head = pattern.split(/[*?[{(!]/, 1)[0]!;
  if (head === pattern) return pattern;
  const slash = head.lastIndexOf('/');
  // A pattern may still climb behind its wildcard.
  if (climbs(pattern)) return '/';
  return slash < 0 ? '.' : head.slice(0, slash) || '/';
}

/** Only a filter that every tool reads the same way narrows anything. */
function plainNames(pattern: string): string | undefined {
  if (
    pattern.length > LONGEST_PATH ||
    climbs(pattern) ||
    !/^[\w.*?/@+-]+$/.test(pattern.replace(/\{[\w.*?,@+-]+\}/g, 'x'))
  )
    return undefined;
  return pattern.replace(/^(\.?\/)+/, '');
}

function filterOf(input: unknown): string | undefined {
  const found = isRecord(input) ? Object.entries(input).filter(([key]) => FILTERS.has(plainKey(key))) : [];
  const [only, more] = found;
  return only && !more && typeof only[1] === 'string' ? plainNames(only[1]) : undefined;
}

/** What is looked for is no place; what names are looked at is read by itself. */
const WANTED = new Set(['pattern', 'query', 'regex', 'regexp', 'searchterm', 'searchstring', 'outputmode', 'type']);

export function placesOnly(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const isPlace = ([key]: [string, unknown]) => !WANTED.has(plainKey(key)) && !FILTERS.has(plainKey(key));
  return Object.fromEntries(Object.entries(input).filter(isPlace));
}

/** Contract: `paths` are the places it begins at, empty if that cannot be told. */
export function readSearch(
  { tool, name, paths = [], unclear }: Call,
  input: unknown,
): Pick<Call, 'paths' | 'searches'> {
  if (unclear !== undefined) return { paths };
  if (tool === 'Read') return readMany(name, paths, input);
  const places = [...paths];
  const pattern = tool === 'Glob' && isRecord(input) && typeof input.pattern === 'string' ? input.pattern : undefined;
  if (pattern !== undefined) {
    const root = globRoot(pattern);
    // A relative pattern starts at the path that was given; one that climbs or is absolute is a place of its own.
    if (places.length === 0 || /^[/~]/.test(root)) places.push(root);
    else if (climbs(root)) places.push(...places.map((path) => `${path}/${root}`));
  }
  if (places.length === 0 && !PLACELESS.has(name)) places.push('.');
  const names = pattern === undefined ? filterOf(input) : /^[/~]/.test(pattern) ? undefined : plainNames(pattern);
  // A pattern names its folders itself: it counts from the place that was given, or from here.
  const folders = pattern === undefined || names === undefined ? places : paths.length > 0 ? paths : ['.'];
  return { paths: places, searches: folders.map((folder) => (names === undefined ? { folder } : { folder, names })) };
}

/** `read_many_files`, a list of paths, a pattern or plainly a folder: each is a search of its own. */
function readMany(name: string, paths: string[], input: unknown): Pick<Call, 'paths' | 'searches'> {
  const lists = isRecord(input) ? Object.values(input).filter(Array.isArray).flat() : [];
  const isMany = (path: string) => lists.includes(path) || /[*?{]|(^|\/)\.{0,2}$/.test(path);
  const listed = /many/i.test(name) ? paths : paths.filter(isMany);
  if (listed.length === 0) return { paths };
  const searches = listed.map((path): Search => {
    const names = /^[/~]/.test(path) || globRoot(path) === path ? undefined : plainNames(path);
    return names === undefined ? { folder: globRoot(path) } : { folder: '.', names };
  });
  return { paths: paths.map((path) => (listed.includes(path) ? globRoot(path) : path)), searches };
}
