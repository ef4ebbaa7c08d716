/**
 * What of a call can be judged: its commands, its paths, what it searches, its addresses, and where it works. Whatever the
 * input is, nothing in it is dropped: a field that is not understood makes the call unclear, and no rule allows that.
 */
import { readAddresses } from './addresses.js';
import { type Fields, isRecord, pathText, plainKey, readFields } from './fields.js';
import { placesOnly, readSearch, type Search } from './searches.js';
import { readShellCall } from './shell-call.js';
import { canonicalTool } from './tool-names.js';

/** An absent list means that the tool has no such thing, an empty one that none was found. */
export interface Call {
  /** In the agent's own word. */
  name: string;
  tool: string;
  /** A text for the shell, or the words of one command that no shell reads. */
  command?: string | string[];
  /** Further commands in the same input: nobody knows which one runs. */
  more?: (string | string[])[];
  paths?: string[];
  /** What it looks through, besides the paths themselves. */
  searches?: Search[];
  /** Texts that may be paths: enough to forbid, never enough to allow. */
  mentions?: string[];
  urls?: string[];
  /** Where it says it works. */
  workdir?: string;
  /** Why the input is not wholly understood. */
  unclear?: string;
  /** The names of its fields, for tools whose own fields decide what they do. */
  fields?: string[];
}

/** The part of a path-like text that a rule should see, where nobody knows whether it is a path. */
const looksLikePath = (text: string) => /[/\\]|^[.~]/.test(text) && !/\s/.test(text);

const BASES = new Set(['cwd', 'workdir', 'workingdirectory', 'workingdir', 'basedir', 'directory', 'dirpath', 'root']);

/** A tool may or may not count its paths from such a folder: both ways are judged. */
function fromBases(paths: string[], input: unknown): string[] {
  if (!isRecord(input)) return paths;
  const bases = Object.entries(input).flatMap(([key, value]) =>
    BASES.has(plainKey(key)) && typeof value === 'string' && value !== '' ? [pathText(value)] : [],
  );
  const relative = paths.filter((path) => !/^[/~]/.test(path) && !bases.includes(path));
  return [...paths, ...bases.flatMap((base) => relative.map((path) => `${base}/${path}`))];
}

function withFields(base: Call, input: unknown, { paths, others, unclear }: Fields): Call {
  const mentions = others.filter(looksLikePath);
  const all = paths.length === 0 ? [] : fromBases([...paths, ...mentions], input);
  return {
    ...base,
    // Not all were seen: none counts, so no path rule allows it, and a path deny rule is in doubt.
    paths: unclear === undefined ? all : [],
    ...(mentions.length > 0 && paths.length === 0 ? { mentions } : {}),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

/** Tools that name no file of this machine. */
const NO_FILES = new Set(['WebFetch', 'WebSearch', 'TodoWrite', 'AskUserQuestion']);

/** What a rule can look at in this call. Never throws, whatever the input is. */
/** They start an agent that asks for itself: what it is told may name anything. */
const SPAWNS = new Set(['Agent', 'Task']);

export function readCall(name: string, input: unknown): Call {
  const tool = canonicalTool(name);
  const base: Call = { name, tool };
  switch (tool) {
    case 'Bash':
      return { ...base, ...readShellCall(input) };
    case 'Edit':
      return withFields(base, input, readFields(input, { patches: true }));
    case 'Read':
    case 'Glob':
    case 'Grep':
    case 'LS': {
      const rest = tool === 'Read' ? input : placesOnly(input);
      const { mentions = [], ...read } = withFields(base, rest, readFields(rest, { patches: false }));
      // Under a key nobody knows, but it looks like a place: then that is where it looks.
      const paths = read.paths!.length > 0 || tool === 'Read' ? read.paths! : mentions;
      return { ...read, ...readSearch({ ...read, paths }, input) };
    }
    default: {
      if (SPAWNS.has(tool)) return { ...base, fields: Object.keys(Object(input)) };
      if (NO_FILES.has(tool)) return tool === 'WebFetch' ? { ...base, ...readAddresses(input) } : base;
      const { paths, others, unclear } = readFields(input, { patches: true });
      const mentions = [...paths, ...others];
      return {
        ...base,
        ...(mentions.length > 0 ? { mentions } : {}),
        ...(unclear === undefined ? {} : { unclear }),
      };
    }
  }
}
