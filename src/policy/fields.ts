/**
 * Walks a call's input and collects what may be a path. Greedy on purpose: an input that names two paths has both judged,
 * and every text below a key that sounds like a path is one. What is too deep or too much to look at makes the call
 * unclear.
 */
import { isPatch, readPatch } from './patch.js';
import { LONGEST_PATH } from './paths.js';

/** Deep enough for `operations: [{images: [{path}]}]`; what is deeper was not looked at. */
const DEEPEST = 6;
/** More values or paths than this in one call are nothing a person or a rule could have meant. */
const MOST_VALUES = 5000;
const MOST_PATHS = 256;
/** Characters of all paths together: what rules are matched against. */
const MOST_TEXT = 65_536;

export interface Fields {
  paths: string[];
  /** Short texts under other keys: nobody knows what the tool takes them for. */
  others: string[];
  unclear?: string;
}

/** `file_path`, `filePath` and `FilePath` are the same key. */
export const plainKey = (key: string): string => key.toLowerCase().replace(/[-_\s]/g, '');

const NOUNS =
  'path|paths|file|files|filename|filenames|filepath|filepaths|dir|dirs|directory|folder|folders|uri|uris|root';
const PATH_KEY = new RegExp(
  `^(${NOUNS}|[a-z]*(path|paths|file|files|filename|dir|directory|folder|uri)|source|src|destination|dest|dst|target|from|to|include|location)$`,
);
/** What a file is to contain, a person is to read, or a search is to leave out; a path in there is only text. */
const CONTENT_KEY =
  /^([a-z]*(content|contents|text|string|str)|(old|new)source|(unified)?diff|patch|replacement|instructions?|description|explanation|reason|title|prompt|justification|summary|code|sourcecode|(exclude|ignore)[a-z]*)$/;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function pathText(value: string): string {
  if (!/^file:/i.test(value)) return value;
  try {
    return decodeURIComponent(new URL(value).pathname);
  } catch {
    return value; // no address after all: the text itself is then judged as a path, and no rule will fit it
  }
}

const isAddress = (text: string) => /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(text);
/** No program could open a longer one, so it is none. */
const isOneLine = (text: string) => text !== '' && text.length <= LONGEST_PATH && !/[\n\r]/.test(text);

/** Contract: total, and linear in the input. `patches`: texts may be patches, whose headers are paths. */
export function readFields(input: unknown, { patches }: { patches: boolean }): Fields {
  const found: Fields = { paths: [], others: [] };
  let values = 0;
  let characters = 0;
  const doubt = (why: string) => {
    found.unclear ??= why;
  };
  const add = (list: string[], text: string) => {
    characters += text.length;
    if (list.length >= MOST_PATHS || characters > MOST_TEXT) doubt('it names too many paths');
    else list.push(text);
  };
  const text = (value: string, under: 'path' | 'content' | 'other') => {
    if (patches && isPatch(value)) {
      const { paths, problem } = readPatch(value);
      for (const path of paths) add(found.paths, path);
      if (problem !== undefined) doubt(problem);
    } else if (under === 'path') add(found.paths, pathText(value));
    else if (under === 'other' && isOneLine(value) && !isAddress(value)) add(found.others, value);
  };
  const walk = (value: unknown, under: 'path' | 'content' | 'other', depth: number): void => {
    values += 1;
    if (typeof value === 'string') text(value, under);
    if (typeof value !== 'object' || value === null) return;
    if (depth > DEEPEST || values > MOST_VALUES) {
      doubt('its input is nested too deep to be looked at');
      return;
    }
    if (Array.isArray(value)) {
      for (const item of value) walk(item, under, depth + 1);
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      // `changes: {"src/a.ts": {…}}`: no field has a name with these characters, so it is a path.
      if (/[/.~\\]/.test(key)) add(found.paths, pathText(key));
      walk(item, keyKind(plainKey(key), under), depth + 1);
    }
  };
  walk(input, 'other', 0);
  return found;
}

function keyKind(key: string, above: 'path' | 'content' | 'other'): 'path' | 'content' | 'other' {
  if (CONTENT_KEY.test(key)) return 'content';
  // An object under a key that sounds like a path, `{path: {value: "…"}}`: all of it may be one.
  return PATH_KEY.test(key) || above === 'path' ? 'path' : above;
}
