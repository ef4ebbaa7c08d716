/**
 * What is wrong with a config, in words a person can act on: place, key, what was expected, the nearest known key. All
 * problems of a load are told at once. Values are shown only where they are words or numbers of ours (modes, limits):
 * what stands under `env` or in an address may be a secret.
 */
import type { z } from 'zod';
import { ReinsError } from '../contract/index.js';
import { suggestKey } from './known-keys.js';
import { findPlace, formatPlace, type Layer } from './layer.js';
import { formatPath, getIn, type Path } from './path.js';

/** One line: `reins.yml:3:22 cli.idle_timeout_secs: must be at least 0`. */
export type Problem = string;

const MOST_PROBLEMS = 20;
/** Below the 2000 characters to which an error's text is cut, so that the count of the rest is always seen. */
const LONGEST_TEXT = 1900;
const LONGEST_LINE = 300;
const LONGEST_VALUE = 60;

export function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Contract: returns only if there is no problem. */
export function throwProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const lines: string[] = [];
  let length = 0;
  for (const problem of new Set(problems)) {
    const line = clip(problem, LONGEST_LINE);
    length += line.length + 1;
    if (lines.length === MOST_PROBLEMS || length > LONGEST_TEXT) break;
    lines.push(line);
  }
  const rest = new Set(problems).size - lines.length;
  if (rest > 0) lines.push(`… and ${rest} more`);
  throw new ReinsError('CONFIG_INVALID', { problem: lines.join('\n') });
}

interface WrongValue {
  path: Path;
  /** Below `path`, where the key itself is what is wrong. */
  key?: string;
  message: string;
}

export function problemAt(layer: Layer, at: WrongValue): Problem {
  const path = at.key === undefined ? at.path : [...at.path, at.key];
  const { place } = findPlace(layer, path);
  const where = formatPlace(place, at.key === undefined ? 'value' : 'key');
  const key = formatPath(path);
  // `flag --set cli.backend` says which key already.
  return path.length === 0 || where.endsWith(` ${key}`) ? `${where}: ${at.message}` : `${where} ${key}: ${at.message}`;
}

/** The problems zod found in one layer, in the order in which they are written. */
export function issueProblems(layer: Layer, issues: readonly z.core.$ZodIssue[]): Problem[] {
  const line = ({ path, key }: WrongValue): number => {
    return findPlace(layer, key === undefined ? path : [...path, key]).place.line ?? 0;
  };
  const wrong = issues.flatMap((issue) => explainIssue(layer, issue, []));
  return wrong.sort((a, b) => line(a) - line(b)).map((each) => problemAt(layer, each));
}

function explainIssue(layer: Layer, issue: z.core.$ZodIssue, prefix: Path): WrongValue[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path, key, message: unknownKey(layer, path, key) }));
  }
  if (issue.code === 'invalid_union') {
    // The branch whose shape was right knows what is wrong inside; only if there is none, the union speaks for all.
    const inner = issue.errors.find((branch) => branch.length > 0 && branch.every((each) => each.path.length > 0));
    if (inner) return inner.flatMap((each) => explainIssue(layer, each, path));
  }
  return [{ path, message: describe(issue, getIn(layer.tree, path)) }];
}

export function unknownKey(layer: Layer, path: Path, key: string): string {
  const suggestion = suggestKey(path, key, layer.alsoKnown?.(path));
  return suggestion ? `unknown key, did you mean ${suggestion}?` : 'unknown key';
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeWord(issue.expected)}, got ${valueType(value)}`;
    case 'invalid_value':
      return `expected ${issue.values.map(String).join(', ')}${got(value)}`;
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') {
        return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${got(value)}`;
      }
      return issue.origin === 'array' ? 'must not be empty' : issue.message;
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'array' ? ' items' : got(value)}`;
    case 'invalid_key':
      return 'a name must not be empty';
    default:
      return issue.code === 'invalid_union' ? `${issue.message}${got(value)}` : issue.message;
  }
}

/** Words of ours are shown; long or odd text is shown by its type alone. */
function got(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `, got ${value}`;
  if (typeof value === 'string' && /^[\w .:/-]*$/.test(value))
    return `, got ${clip(JSON.stringify(value), LONGEST_VALUE)}`;
  return `, got ${valueType(value)}`;
}

function typeWord(expected: string): string {
  const words: Record<string, string> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map',
    record: 'a map',
  };
  return words[expected] ?? expected;
}

function valueType(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : 'no finite number';
  const words: Record<string, string> = { string: 'text', boolean: 'true or false', object: 'a map' };
  return words[typeof value] ?? typeof value;
}
