/**
 * One name for the same tool of different agents, and where each tool keeps its command, paths and address, so that one
 * rule covers all agents. Fields are collected greedily: an input that names two paths has both checked.
 */

const ALIASES: Record<string, readonly string[]> = {
  Bash: [
    'bash',
    'shell',
    'local_shell',
    'shell_command',
    'run_shell_command',
    'exec_command',
    'execcommand',
    'commandexecution',
    'command_execution',
    'execute',
    'execute_bash',
    'unified_exec',
  ],
  Edit: [
    'edit',
    'write',
    'multiedit',
    'notebookedit',
    'apply_patch',
    'applypatch',
    'replace',
    'write_file',
    'edit_file',
    'create_file',
    'delete_file',
    'filechange',
    'file_change',
    'fs_write',
    'str_replace',
    'delete',
    'move',
  ],
  Read: ['read', 'read_file', 'read_many_files', 'view', 'fs_read', 'notebookread'],
  WebFetch: ['webfetch', 'web_fetch', 'fetch', 'read_web_page'],
  WebSearch: ['websearch', 'web_search', 'google_web_search'],
  Glob: ['glob', 'find_files'],
  Grep: ['grep', 'search', 'search_file_content', 'grep_search', 'ripgrep'],
  LS: ['ls', 'list', 'list_directory', 'list_dir'],
  TodoWrite: ['todowrite', 'todoread', 'todo_write', 'todo_read', 'write_todos', 'update_plan'],
  AskUserQuestion: ['askuserquestion', 'ask_user', 'request_user_input', 'requestuserinput'],
};

/** Every name an agent may use, in lower case, with the name that rules use. */
const TOOL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIASES).flatMap(([canonical, names]) => names.map((name) => [name, canonical] as const)),
);

/** The name rules use for a tool; a tool no agent shares with another keeps its own. */
export function canonicalTool(name: string): string {
  return TOOL_NAMES.get(name.toLowerCase()) ?? name;
}

/** What of a call can be matched. An absent list means that the tool has no such thing, an empty one that none was found. */
export interface Call {
  /** In the agent's own word. */
  name: string;
  tool: string;
  /** A text for the shell, or the words of one command that no shell reads. */
  command?: string | string[];
  paths?: string[];
  urls?: string[];
}

const PATH_KEYS = new Set(
  'file_path filepath path absolute_path notebook_path dir_path target_file filename file uri move_path'.split(' '),
);
const PATH_LIST_KEYS = new Set('paths file_paths files include'.split(' '));
/** Deep enough for `changes: [{path}]` and `operations: [{images: [{path}]}]`; deeper is content, not a field. */
const FIELD_DEPTH = 4;
/** More paths than this in one call are no list a person or a rule could have meant. */
const MOST_PATHS = 1000;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathText(value: string): string {
  return value.startsWith('file://') ? decodeFileUrl(value) : value;
}

function decodeFileUrl(value: string): string {
  try {
    return decodeURIComponent(new URL(value).pathname);
  } catch {
    // No address after all: the text itself is then judged as a path, and no rule will fit it.
    return value;
  }
}

function collectPaths(value: unknown, found: string[], depth = 0): void {
  if (depth > FIELD_DEPTH || found.length > MOST_PATHS) return;
  if (Array.isArray(value)) {
    for (const item of value) collectPaths(item, found, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const name = key.toLowerCase();
    if (PATH_KEYS.has(name) && typeof item === 'string') found.push(pathText(item));
    else if (PATH_LIST_KEYS.has(name) && Array.isArray(item)) {
      for (const one of item) {
        if (typeof one === 'string') found.push(globRoot(pathText(one)));
        else collectPaths(one, found, depth + 1);
      }
    } else if ((name === 'changes' || name === 'filechanges') && isRecord(item)) found.push(...Object.keys(item));
    else collectPaths(item, found, depth + 1);
  }
}

/** `*** Update File: src/a.ts` and its siblings, wherever in the input the patch is. */
function patchPaths(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') {
    const headers = value.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)[ \t\r]*$/gm);
    return Array.from(headers, (match) => match[1]!);
  }
  if (typeof value !== 'object' || value === null || depth > 2) return [];
  return Object.values(value).flatMap((item) => patchPaths(item, depth + 1));
}

function commandOf(input: unknown): string | string[] | undefined {
  if (typeof input === 'string') return input;
  if (!isRecord(input)) return undefined;
  for (const key of ['command', 'cmd', 'script']) {
    const value = input[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')) return value;
  }
  return undefined;
}

function urlsOf(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const direct = [input.url, input.uri].filter((value) => typeof value === 'string');
  const lists = [input.urls].flat().filter((value) => typeof value === 'string');
  // gemini's web_fetch has no field for the address: it takes every address in the text of its prompt.
  const prompt = typeof input.prompt === 'string' ? (input.prompt.match(/\bhttps?:\/\/[^\s<>"'`)\]]+/gi) ?? []) : [];
  return [...direct, ...lists, ...(direct.length + lists.length === 0 ? prompt : [])];
}

/** The part of a glob before its first wildcard: the folder it can reach at most. */
function globRoot(pattern: string): string {
  const head = pattern.split(/[*?[{]/, 1)[0]!;
  if (head === pattern) return pattern;
  const slash = head.lastIndexOf('/');
  // A pattern may still climb behind its wildcard.
  if (/(^|\/)\.\.(\/|$)/.test(pattern)) return '/';
  return slash < 0 ? '.' : head.slice(0, slash) || '/';
}

function searchPaths(tool: string, input: unknown): string[] {
  const found: string[] = [];
  collectPaths(input, found);
  if (tool === 'Glob' && isRecord(input) && typeof input.pattern === 'string') {
    const root = globRoot(input.pattern);
    // A relative pattern starts at the path that was given; one that climbs or is absolute is a place of its own.
    if (found.length === 0 || root.startsWith('/') || root.startsWith('~')) found.push(root);
    else if (/(^|\/)\.\.(\/|$)/.test(root)) found.push(...found.map((path) => `${path}/${root}`));
  }
  return found.length > 0 ? found : ['.'];
}

/** What a rule can look at in this call. Never throws, whatever the input is. */
export function readCall(name: string, input: unknown): Call {
  const tool = canonicalTool(name);
  const base: Call = { name, tool };
  switch (tool) {
    case 'Bash': {
      const command = commandOf(input);
      return command === undefined ? base : { ...base, command };
    }
    case 'Edit':
    case 'Read': {
      const paths: string[] = [];
      collectPaths(input, paths);
      if (tool === 'Edit') paths.push(...patchPaths(input));
      // Too many to have seen them all counts as none found: no path rule allows it, and a path deny rule is in doubt.
      return { ...base, paths: paths.length > MOST_PATHS ? [] : paths };
    }
    case 'Glob':
    case 'Grep':
    case 'LS':
      return { ...base, paths: searchPaths(tool, input) };
    case 'WebFetch':
      return { ...base, urls: urlsOf(input) };
    default:
      return base;
  }
}
