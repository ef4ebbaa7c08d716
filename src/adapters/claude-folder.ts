/**
 * What a settings file of Claude Code can start, and how much of it may come back behind our gate: hooks that cannot
 * answer or rewrite a call, helpers for the login, the status line, environment by harmless names. The lines for a person
 * and what is given back come from the same reading, so that nothing starts that was not shown.
 */
import type { FolderFile } from './adapter.js';
import { harmlessIn } from './claude-env.js';
import { asList, asObject, asText, type Json } from './protocols/jsonl.js';

/** Kinds of hooks that come too late, or have no say, to open the gate. Others could answer a call or change it. */
const HARMLESS_HOOKS = new Set([
  ...[
    'SessionStart',
    'SessionEnd',
    'Setup',
    'UserPromptSubmit',
    'Stop',
    'StopFailure',
    'SubagentStart',
    'SubagentStop',
  ],
  ...['PostToolUse', 'PostToolUseFailure', 'Notification', 'PreCompact', 'PostCompact', 'TaskCreated', 'TaskCompleted'],
  ...['TeammateIdle', 'InstructionsLoaded', 'CwdChanged', 'FileChanged'],
]);

/** Programs that give a login or a line on the screen. */
const HELPERS = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh', 'otelHeadersHelper'];

export interface Parts {
  hooks: Record<string, Json[]>;
  /** apiKeyHelper and its kind, statusLine. */
  helpers: Json;
  env: Record<string, string>;
  /** Rules that only narrow. */
  deny: string[];
  /** What is in the file and stays out, in words. */
  left: string[];
}

/** Undefined where it is not an object of JSON: Claude itself does not use such a file either. */
export function partsOf(content: string): Parts | undefined {
  const file = parsed(content);
  if (!file) return undefined;
  const all = Object.entries(asObject(file.hooks) ?? {});
  const kept = all.filter(([kind]) => HARMLESS_HOOKS.has(kind));
  const { kept: env, left: names } = harmlessIn(asObject(file.env) ?? {});
  const permissions = asObject(file.permissions) ?? {};
  const helpers = HELPERS.flatMap((name) => (asText(file[name]) === undefined ? [] : [[name, file[name]] as const]));
  const statusLine = asText(asObject(file.statusLine)?.command) === undefined ? undefined : file.statusLine;
  return {
    hooks: Object.fromEntries(kept.map(([kind, groups]) => [kind, groupsOf(groups)])),
    helpers: { ...Object.fromEntries(helpers), ...(statusLine === undefined ? {} : { statusLine }) },
    env,
    deny: asList(permissions.deny).flatMap((rule) => asText(rule) ?? []),
    left: [
      ...all.filter(([kind]) => !HARMLESS_HOOKS.has(kind)).map(([kind]) => `hooks ${kind}`),
      ...names.map((name) => `env ${name}`),
      ...['allow', 'defaultMode', 'additionalDirectories']
        .filter((key) => key in permissions)
        .map((key) => `permissions.${key}`),
      ...['sandbox', 'enabledPlugins'].filter((key) => key in file),
    ],
  };
}

const groupsOf = (groups: unknown): Json[] =>
  asList(groups)
    .map(asObject)
    .filter((group) => group !== undefined);

/** Servers by name, as `.mcp.json` and Claude's own file have them. */
export function serversOf(content: string): Json {
  return asObject(parsed(content)?.mcpServers) ?? {};
}

export function parsed(content: string): Json | undefined {
  try {
    return asObject(JSON.parse(content.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

function startsOf(content: string): string[] {
  const parts = partsOf(content);
  if (!parts) return [];
  const { statusLine, ...helpers } = parts.helpers;
  return [
    ...Object.entries(parts.hooks).flatMap(([kind, groups]) =>
      groups.flatMap(({ hooks, matcher }) =>
        asList(hooks).map(
          (hook) => `hook ${kind}${matcher ? ` (${String(matcher)})` : ''}: ${commandOf(asObject(hook) ?? {})}`,
        ),
      ),
    ),
    ...Object.entries(helpers).map(([name, command]) => `${name}: ${String(command)}`),
    ...(statusLine === undefined ? [] : [`statusLine: ${commandOf(asObject(statusLine) ?? {})}`]),
    ...Object.entries(parts.env).map(([name, value]) => `env ${name}=${value}`),
  ];
}

/** The command first, then whatever else there is: a change of anything is another line. */
function commandOf({ command, args, type, ...rest }: Json): string {
  const words = [command, ...asList(args)].filter((word) => word !== undefined).map(String);
  const others = { ...(type === undefined || type === 'command' || type === 'stdio' ? {} : { type }), ...rest };
  return [...words, ...(Object.keys(others).length === 0 ? [] : [JSON.stringify(others)])].join(' ');
}

/** What a repository can bring along for Claude Code. */
export const claudeFolder: FolderFile[] = [
  { file: '.claude/settings.json', starts: startsOf },
  { file: '.claude/settings.local.json', starts: startsOf },
  {
    file: '.mcp.json',
    starts: (content) =>
      Object.entries(serversOf(content)).map(
        ([name, server]) => `server ${name}: ${commandOf(asObject(server) ?? {})}`,
      ),
  },
];
