/**
 * What a repository brings along for Gemini, in lines for a person: its settings, the variables it would set, sub-agents.
 * Of `.env` only the names are told, because the lines are kept; a change of a value is another line all the same.
 */
import type { FolderFile } from './adapter.js';
import { digest } from './folder-starts.js';
import { asList, asObject, type Json } from './protocols/jsonl.js';

/** Looks and nothing else; every other key becomes a line. */
const PLAIN = ['$schema', 'ui', 'model'];

/** Undefined where it is not plain JSON; Gemini also takes comments. */
export function geminiSettings(content: string): Json | undefined {
  try {
    return asObject(JSON.parse(content.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

/** Servers by name. */
export const geminiServers = (content: string): Json => asObject(geminiSettings(content)?.mcpServers) ?? {};

function startsOf(content: string): string[] {
  const settings = geminiSettings(content);
  if (!settings) return [`it was not understood (${digest(content)})`];
  const { mcpServers, hooks, ...others } = settings;
  const servers = asObject(mcpServers);
  return [
    ...Object.entries(servers ?? {}).map(([name, server]) => `server ${name}: ${commandOf(server)}`),
    ...Object.entries(asObject(hooks) ?? {}).map(([kind, hook]) => `hook ${kind}: ${JSON.stringify(hook)}`),
    ...Object.entries(others)
      .filter(([name]) => !PLAIN.includes(name))
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ];
}

function commandOf(server: unknown): string {
  const { command, args, ...rest } = asObject(server) ?? {};
  const words = [command, ...asList(args)].filter((word) => word !== undefined).map(String);
  return [...words, ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)])].join(' ');
}

function variables(content: string): string[] {
  const names = [...content.matchAll(/^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*[=:]/gm)].map(([, name]) => name);
  return names.length === 0 ? [] : [`environment ${[...new Set(names)].join(', ')} (${digest(content)})`];
}

/** What a repository can bring along for Gemini CLI. */
export const geminiFolder: FolderFile[] = [
  { file: '.gemini/settings.json', starts: startsOf },
  { file: '.gemini/.env', starts: variables },
  { file: '.env', starts: variables },
  { file: '.gemini/agents', each: '.md', starts: (content) => [`a sub-agent (${digest(content)})`] },
];
