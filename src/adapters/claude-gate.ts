/**
 * How Claude Code is started so that the gate is ours alone: no settings of the repository or the user are loaded, so none
 * of their hooks, rules, sandboxes and variables can answer, rewrite or silence what we decide. What people rely on comes
 * back through flags and files of ours. Facts: decision 023, measured with 2.1.197 and 2.1.325.
 */
import { join } from 'node:path';
import type { LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { argsTrouble, withoutAppended } from './claude-args.js';
import { NESTING, unknownIn } from './claude-env.js';
import { claudeFolder, type Parts, parsed, partsOf, serversOf } from './claude-folder.js';
import { managedTrouble } from './claude-managed.js';
import { memoryOf } from './claude-memory.js';
import { pluginOf } from './claude-plugin.js';
import { askSettings, type GivenBack, hookSettings } from './claude-settings.js';
import { folderStarts } from './folder-starts.js';
import { asObject, type Json } from './protocols/jsonl.js';

export type GateParts = Pick<LaunchPlan, 'files' | 'mirrors' | 'pinned' | 'notes'> & { args: string[] };

/** The user's settings that only change looks, language and models. */
const CARRIED = [
  ...['model', 'availableModels', 'modelOverrides', 'effortLevel', 'alwaysThinkingEnabled', 'fastMode', 'advisorModel'],
  ...['theme', 'language', 'outputStyle', 'editorMode', 'viewMode', 'verbose', 'prefersReducedMotion'],
  ...['includeCoAuthoredBy', 'attribution', 'includeGitInstructions', 'cleanupPeriodDays', 'plansDirectory'],
  ...['spinnerTipsEnabled', 'spinnerVerbs', 'spinnerTipsOverride', 'showTurnDuration', 'terminalProgressBarEnabled'],
  ...[
    'showThinkingSummaries',
    'syntaxHighlightingDisabled',
    'autoCompactEnabled',
    'autoMemoryEnabled',
    'preferredNotifChannel',
  ],
  ...['respectGitignore', 'feedbackSurveyRate', 'forceLoginMethod', 'forceLoginOrgUUID', 'autoUpdatesChannel'],
];

interface ClaudePlace {
  /** Settings, skills, instructions. */
  dir: string;
  /** Claude's own file of state: servers among others. */
  state: string;
}

export function placeOf(env: LaunchAsk['env']): ClaudePlace {
  const home = env.HOME ?? '';
  return {
    dir: env.CLAUDE_CONFIG_DIR ?? join(home, '.claude'),
    state: join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'),
  };
}

export function gateOf(ask: LaunchAsk): GateParts | Refusal {
  const place = placeOf(ask.env);
  if (!ask.hook)
    return { refused: 'ungated', reason: 'our hook program is missing, without it Claude Code cannot be gated' };
  const trouble = argsTrouble(ask.args);
  if (trouble !== undefined) return { refused: 'args', reason: trouble };
  const managed = managedTrouble(ask, place.dir);
  if (managed !== undefined) return { refused: 'ungated', reason: managed };
  const { given, notes } = givenBack(ask, place);
  const settings = ask.door === 'tui' ? hookSettings(ask, ask.hook, given) : askSettings(ask, given);
  const own = ownArgs(ask, place);
  const removed = unknownIn(ask.env);
  // Marks of an outer Claude go in any case, and are nobody's choice.
  const news = removed.filter((name) => !NESTING.includes(name));
  return {
    args: [...own.args, '--setting-sources', '', '--settings', settings.path],
    files: [settings, ...own.files],
    mirrors: own.mirrors,
    pinned: { ...Object.fromEntries(removed.map((name) => [name, undefined])), ...ADDED_ENV },
    notes: [
      ...notes,
      ...leftAt(ask),
      ...(news.length > 0
        ? [`not passed on to Claude Code, because the gate could rest on it: ${news.join(', ')}`]
        : []),
    ],
  };
}

/** Lets Claude read the instructions of the folder it works in, though its settings stay out. */
const ADDED_ENV = { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' };

/** With full trust and nobody's yes: the user's settings count as ever, the folder's do not. */
export function withoutFolder(ask: LaunchAsk): GateParts | undefined {
  if (ask.trustedFolder !== undefined || folderStarts({ folder: claudeFolder }, ask.cwd, ask.look).length === 0)
    return undefined;
  const { args, files, mirrors } = ownArgs(ask, placeOf(ask.env), 'project');
  return { args: [...args, '--setting-sources', 'user'], files, mirrors, pinned: ADDED_ENV, notes: leftAt(ask) };
}

/** Flags that bring instructions, skills and servers, behind the user's own arguments. */
function ownArgs(ask: LaunchAsk, place: ClaudePlace, only?: 'project') {
  const { args, texts, files: named } = only ? { args: ask.args, texts: [], files: [] } : withoutAppended(ask.args);
  const memory = only ? undefined : memoryOf(ask, place.dir);
  const appended = [memory, ...named.map((file) => ask.look.text(file)), ...texts].filter((text) => text !== undefined);
  const prompt = { path: join(ask.dir, 'claude-instructions.md'), content: appended.join('\n\n') };
  const servers = {
    path: join(ask.dir, 'claude-servers.json'),
    content: JSON.stringify({ mcpServers: serversFor(ask, place) }),
  };
  const plugins = [
    ...(only ? [] : [pluginOf(ask, { name: 'user', from: place.dir })]),
    pluginOf(ask, { name: 'project', from: join(ask.cwd, '.claude') }),
  ].filter((plugin) => plugin !== undefined);
  return {
    args: [
      ...args,
      ...['--add-dir', ask.cwd],
      ...plugins.flatMap(({ dir }) => ['--plugin-dir', dir]),
      ...(appended.length > 0 ? ['--append-system-prompt-file', prompt.path] : []),
      ...['--mcp-config', servers.path, '--strict-mcp-config'],
    ],
    files: [servers, ...(appended.length > 0 ? [prompt] : []), ...plugins.flatMap(({ files }) => files)],
    mirrors: plugins.flatMap(({ mirrors }) => mirrors),
  };
}

/** The user's own servers everywhere, those the user added for this folder, and the folder's own if it may have them. */
function serversFor({ look, cwd, trustedFolder }: LaunchAsk, place: ClaudePlace): Json {
  const state = stateOf(look, place);
  const projects = asObject(parsed(state)?.projects) ?? {};
  const here = asObject(projects[trustedFolder ?? cwd] ?? projects[cwd]) ?? {};
  const off = Array.isArray(here.disabledMcpServers) ? here.disabledMcpServers : [];
  const folder = trustedFolder === undefined ? {} : serversOf(look.text(join(trustedFolder, '.mcp.json')) ?? '{}');
  const all = { ...folder, ...serversOf(state), ...asObject(here.mcpServers) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !off.includes(name)));
}

/** It can grow large with years of use; without it there are no servers, which opens nothing. */
function stateOf(look: LaunchAsk['look'], place: ClaudePlace): string {
  try {
    return look.text(place.state) ?? '{}';
  } catch {
    return '{}';
  }
}

function givenBack(ask: LaunchAsk, place: ClaudePlace): { given: GivenBack; notes: string[] } {
  const { look, trustedFolder, cwd } = ask;
  const file = join(place.dir, 'settings.json');
  const text = look.text(file) ?? '{}';
  const settings = parsed(text);
  const user = partsOf(text);
  const folders = ['settings.json', 'settings.local.json'].flatMap((name) => {
    const parts = partsOf(look.text(join(trustedFolder ?? cwd, '.claude', name)) ?? '{}');
    return parts ? [trustedFolder === undefined ? onlyDeny(parts) : parts] : [];
  });
  const all = [...(user ? [user] : []), ...folders];
  return {
    given: {
      settings: Object.assign(
        Object.fromEntries(CARRIED.flatMap((key) => (settings && key in settings ? [[key, settings[key]]] : []))),
        ...all.map((parts) => parts.helpers),
      ),
      hooks: merged(all.map((parts) => parts.hooks)),
      env: Object.assign({}, ...all.map((parts) => parts.env)),
      deny: [...new Set(all.flatMap((parts) => parts.deny))],
    },
    notes: [
      ...(settings ? [] : [`${file} is not the JSON it should be: nothing of it is used`]),
      ...(user && user.left.length > 0
        ? [`of ${file} these stay out, because they could answer in Reins’ place: ${user.left.join(', ')}`]
        : []),
    ],
  };
}

/** A rule that only narrows counts from wherever it comes. */
const onlyDeny = ({ deny }: Parts): Parts => ({ hooks: {}, helpers: {}, env: {}, deny, left: [] });

function merged(all: Record<string, Json[]>[]): Record<string, Json[]> {
  const kinds = new Set(all.flatMap((hooks) => Object.keys(hooks)));
  return Object.fromEntries([...kinds].map((kind) => [kind, all.flatMap((hooks) => hooks[kind] ?? [])]));
}

const MOST_NAMED = 5;

function leftAt({ trustedFolder, cwd, look }: LaunchAsk): string[] {
  if (trustedFolder !== undefined) return [];
  const starts = folderStarts({ folder: claudeFolder }, cwd, look);
  if (starts.length === 0) return [];
  const named = starts.slice(0, MOST_NAMED).map((line) => (line.length > 100 ? `${line.slice(0, 100)}…` : line));
  const more = starts.length > MOST_NAMED ? [`and ${starts.length - MOST_NAMED} more`] : [];
  return [
    `left out until \`reins trust claude\`, because this folder brought it along: ${[...named, ...more].join('; ')}`,
  ];
}
