/**
 * MCP servers for Gemini over ACP, the user's own and the folder's, in ACP's words. Gemini itself would put in variables
 * (`$NAME`) and knows fields that ACP has no place for; a server that needs one of those is left out and named.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { LaunchAsk } from './adapter.js';
import { geminiServers } from './gemini-folder.js';
import { asList, asObject, asText, type Json } from './protocols/jsonl.js';

/** `trust` would be a yes to every call: it is not passed on. `timeout` and words for people are not needed. */
const DROPPED = ['trust', 'timeout', 'description'];

export const geminiHome = (env: LaunchAsk['env']): string => join(env.GEMINI_CLI_HOME || (env.HOME ?? ''), '.gemini');

export interface GivenServers {
  servers: unknown[];
  /** Those that Gemini may start; never empty, because no name means any. */
  names: string[];
  left: string[];
}

export function serversFor({ env, look }: LaunchAsk, folder: string): GivenServers {
  const of = (file: string) => geminiServers(look.text(file) ?? '{}');
  const all = { ...of(join(folder, '.gemini/settings.json')), ...of(join(geminiHome(env), 'settings.json')) };
  const made = Object.entries(all).map(([name, server]) => ({ name, server: acpServer(filled(server, env)) }));
  const given = made.flatMap(({ name, server }) => (server ? [{ name: unguessable(name), ...server }] : []));
  return {
    servers: given,
    names: given.length === 0 ? [unguessable('none')] : given.map(({ name }) => name),
    left: made.filter(({ server }) => !server).map(({ name }) => name),
  };
}

/** A repository's server of the same name would be let in as well. Gemini cuts tool names at the underscore. */
const unguessable = (name: string): string =>
  `${name.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, 20)}-${randomUUID().slice(0, 13)}`;

function acpServer(server: Json): Json | undefined {
  const { command, args, env, url, httpUrl, headers, type, ...rest } = server;
  if (Object.keys(rest).some((field) => !DROPPED.includes(field))) return undefined;
  const program = asText(command);
  if (program !== undefined && url === undefined && httpUrl === undefined)
    return { command: program, args: asList(args).map(String), env: pairs(env) };
  const http = asText(httpUrl) ?? (type === 'http' ? asText(url) : undefined);
  const address = http ?? asText(url);
  if (address === undefined || program !== undefined) return undefined;
  return { type: http === undefined ? 'sse' : 'http', url: address, headers: pairs(headers) };
}

const pairs = (values: unknown): { name: string; value: string }[] =>
  Object.entries(asObject(values) ?? {}).map(([name, value]) => ({ name, value: String(value) }));

/** As Gemini reads its settings: a variable that is not set stays as it is written. */
function filled(value: unknown, env: LaunchAsk['env']): Json {
  const fill = (text: string) =>
    text.replace(/\$(?:(\w+)|\{(\w+)\})/g, (whole, bare, braced) => env[bare ?? braced] ?? whole);
  const each = (one: unknown): unknown => {
    if (typeof one === 'string') return fill(one);
    if (Array.isArray(one)) return one.map(each);
    const table = asObject(one);
    return table ? Object.fromEntries(Object.entries(table).map(([name, inner]) => [name, each(inner)])) : one;
  };
  return asObject(each(value)) ?? {};
}
