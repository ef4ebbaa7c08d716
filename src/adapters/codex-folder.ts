/**
 * What a repository's `.codex` would start or change, in lines for a person, and its MCP servers as codex may have them
 * from us once the user agreed: told by a flag, each made to ask. The folder itself stays untrusted for codex, so that of
 * this file nothing counts but what we pass on. A server is passed on by fields that are known, and from what was read,
 * never as text.
 */
import type { FolderFile } from './adapter.js';
import { digest, flat } from './folder-starts.js';
import { isTable, readToml, type TomlTable, type TomlValue } from './toml.js';

/** They choose the model and its manner; whatever else there is becomes a line. */
const PLAIN = ['model', 'model_reasoning_effort', 'model_reasoning_summary', 'model_verbosity', 'personality'];

const isText = (value: TomlValue | undefined): value is string => typeof value === 'string';
const isTexts = (value: TomlValue | undefined): value is { raw: string; items: string[] } =>
  typeof value === 'object' && !isTable(value) && value.items?.every(isText) === true;
const isTextTable = (value: TomlValue): boolean => isTable(value) && [...value.values()].every(isText);
const isPlainRaw = (value: TomlValue): boolean =>
  typeof value !== 'string' && !isTable(value) && /^(true|false|\d+(\.\d+)?)$/.test(value.raw);

const FIELDS: Record<string, (value: TomlValue) => boolean> = {
  ...{ command: isText, args: isTexts, env: isTextTable, env_vars: isTexts, cwd: isText },
  ...{ url: isText, http_headers: isTextTable, env_http_headers: isTextTable, bearer_token_env_var: isText },
  ...{ startup_timeout_sec: isPlainRaw, tool_timeout_sec: isPlainRaw, enabled: isPlainRaw, required: isPlainRaw },
  ...{ enabled_tools: isTexts, disabled_tools: isTexts },
};

/** TOML's strings are JSON's, but for this one. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

/** On one line, from what was read. */
export function tomlText(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (isTable(value)) return `{${[...value].map(([name, one]) => `${quoted(name)}=${tomlText(one)}`).join(',')}}`;
  return value.items === undefined ? value.raw : `[${value.items.map(tomlText).join(',')}]`;
}

const serversIn = (table: TomlTable): [string, TomlTable][] => {
  const servers = table.get('mcp_servers');
  return isTable(servers) ? [...servers].flatMap(([name, one]) => (isTable(one) ? [[name, one]] : [])) : [];
};

/** `"name"={…}` of each, asking about every tool; none of a file that cannot be read. */
export function folderServers(content: string, isTaken: (name: string) => boolean): string[] {
  const read = readToml(content);
  if ('unreadable' in read) return [];
  return serversIn(read.table)
    .filter(([name]) => !isTaken(name))
    .map(([name, server]) => {
      const known = [...server].filter(([field, value]) => Object.hasOwn(FIELDS, field) && FIELDS[field]!(value));
      const fields = known.map(([field, value]) => `${field}=${tomlText(value)}`);
      return `${quoted(name)}={${[...fields, 'default_tools_approval_mode="prompt"'].join(',')}}`;
    });
}

function startsOf(content: string): string[] {
  const read = readToml(content);
  if ('unreadable' in read) return [`it was not understood (${read.unreadable}; ${digest(content)})`];
  const servers = serversIn(read.table);
  const others = [...read.table].filter(([name, value]) => {
    if (name === 'mcp_servers') return !isTable(value) || value.size !== servers.length;
    return !PLAIN.includes(name);
  });
  return [
    ...servers.map(([name, server]) => `server ${name}: ${commandOf(server)}`),
    ...others.flatMap(([name, value]) =>
      name === 'hooks' && isTable(value)
        ? [...value].map(([kind, one]) => `hook ${kind}: ${tomlText(one)}`)
        : [`${name} = ${tomlText(value)}`],
    ),
  ];
}

/** The command first, then whatever else there is: a change of anything is another line. */
function commandOf(server: TomlTable): string {
  const [command, args] = [server.get('command'), server.get('args')];
  const words = [...(isText(command) ? [command] : []), ...(isTexts(args) ? args.items : [])];
  const isShown = (name: string) => (name === 'command' ? isText(command) : name === 'args' && isTexts(args));
  const rest: TomlTable = new Map([...server].filter(([name]) => !isShown(name)));
  return [...words, ...(rest.size === 0 ? [] : [tomlText(rest)])].join(' ');
}

/** What a repository can bring along for codex. */
export const codexFolder: FolderFile[] = [
  { file: '.codex/config.toml', starts: startsOf },
  { file: '.codex/hooks.json', starts: (content) => [`hooks: ${flat(content)}`] },
  { file: '.codex/rules', each: '.rules', starts: (content) => [`rules: ${flat(content)}`] },
];
