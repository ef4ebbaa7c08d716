/**
 * What makes the gate on codex ours alone, for its server and for the terminal program that joins it: a home of our own
 * without `rules`, the folder untrusted for its own settings, hooks off, MCP servers made to ask. What that would cost the
 * user comes back: the repository's AGENTS.md as part of our home's own, everything else of theirs by links.
 * Surprising: an "allow" among codex's rules also leaves the sandbox, and no flag of the server switches rules off.
 */
import { dirname, join, resolve } from 'node:path';
import type { LaunchAsk, LaunchPlan, Look, Mirror, Refusal } from './adapter.js';
import { codexFolder, folderServers, quoted } from './codex-folder.js';
import { folderStarts } from './folder-starts.js';
import { ancestors, foldersTo, projectDocs } from './project-docs.js';
import { isTable, readToml, type TomlTable } from './toml.js';

const DOCS = ['AGENTS.override.md', 'AGENTS.md'] as const;
/** Made by codex on its first run; whatever it keeps in them is the user's. */
const FOLDERS = ['sessions', 'archived_sessions', 'log', 'tmp', 'skills', 'prompts', 'memories'];
const FILES = ['auth.json', 'config.toml', 'history.jsonl', '.credentials.json', 'installation_id', 'version.json'];
/** Plugins and apps bring servers whose approval modes are not in the file that we read. */
const OFF = ['hooks', 'plugins', 'apps'];

export type CodexGate = Pick<LaunchPlan, 'env' | 'pinned' | 'files' | 'notes'> & {
  args: string[];
  mirrors: Mirror[];
};

export const codexHome = ({ env }: Pick<LaunchAsk, 'env'>): string => env.CODEX_HOME || join(env.HOME ?? '', '.codex');

export function codexGate(ask: LaunchAsk): CodexGate | Refusal {
  const home = codexHome(ask);
  const read = readToml(ask.look.text(join(home, 'config.toml')) ?? '');
  // Codex itself will say whether its servers ask (see protocols/codex-config.ts); here it only cannot be helped.
  const config = 'table' in read ? read.table : new Map();
  const args = [
    ...untrusted(ask),
    ...OFF.flatMap((name) => ['-c', `features.${name}=false`]),
    ...askingServers(config, ask),
    ...(ask.allows?.('web_search') === true ? [] : ['-c', 'web_search="disabled"']),
  ];
  const shared = {
    args,
    notes: [
      ...('table' in read
        ? []
        : [`config.toml was not understood (${read.unreadable}): its MCP servers stay as they are`]),
      ...folderNotes(ask),
      ...(ask.allows?.('web_search') === true ? [] : [NO_SEARCH]),
    ],
  };
  if (!isBoundToHome(config)) return { ...shared, ...ownHome(ask, home) };
  if (ask.look.names(join(home, 'rules')).some((name) => name.endsWith('.rules'))) return BOUND;
  const lost = projectDocs({ cwd: ask.cwd, names: DOCS, look: ask.look }).files;
  const notes = lost.length === 0 ? [] : [`codex does not see ${lost.join(', ')}: its login is bound to its own home`];
  return { ...shared, env: {}, files: [], mirrors: [], notes: [...shared.notes, ...notes] };
}

/** The model's own side runs it, and codex asks nobody. */
const NO_SEARCH =
  'guarded codex runs without its web search, about which it cannot ask; rules.allow: ["WebSearch"] gives it';

/** The keyring's entry is found by the path of codex's home: in one of our own it would be signed out. */
const isBoundToHome = (config: TomlTable): boolean =>
  ['keyring', 'auto'].includes(String(config.get('cli_auth_credentials_store') ?? 'file'));

const BOUND: Refusal = {
  refused: 'ungated',
  reason:
    'its rules folder holds rules that allow commands unasked, and its login in the keyring cannot be used without them; ' +
    'move the rules away, or set cli_auth_credentials_store = "file" and sign in again',
};

function ownHome(ask: LaunchAsk, home: string): Pick<CodexGate, 'env' | 'pinned' | 'files' | 'mirrors'> {
  const { cwd, look } = ask;
  const dir = join(ask.dir, 'codex-home');
  const own = DOCS.map((name) => look.text(join(home, name))).find((text) => text !== undefined && text.trim() !== '');
  const texts = [own, projectDocs({ cwd, names: DOCS, look }).text].filter((text) => text !== undefined && text !== '');
  return {
    env: {},
    pinned: { CODEX_HOME: dir },
    files: texts.length === 0 ? [] : [{ path: join(dir, DOCS[1]), content: `${texts.join('\n\n')}\n` }],
    mirrors: [{ dir, of: home, without: ['rules', ...DOCS], folders: FOLDERS, files: FILES }],
  };
}

/**
 * The folder and all above it, by every name they have: codex asks for each folder with a `.codex` on the way, then for the
 * repository's root, also that of the main worktree. A dotted key would be cut at the path's dots.
 */
function untrusted({ cwd, look }: LaunchAsk): string[] {
  const real = look.real(cwd) ?? cwd;
  const folders = new Set([cwd, real].flatMap(ancestors));
  for (const folder of [...folders]) for (const one of mainWorktree(folder, look)) folders.add(one);
  const entries = [...folders].map((folder) => `${quoted(folder)}={trust_level="untrusted"}`);
  return ['-c', `projects={${entries.join(',')}}`];
}

/** `.git` of a linked worktree is a file: `gitdir: /main/.git/worktrees/name`. */
function mainWorktree(folder: string, look: Look): string[] {
  let text: string | undefined;
  try {
    text = look.text(join(folder, '.git'));
  } catch {
    return []; // A folder: the main worktree itself.
  }
  const named = /^gitdir: (.+)$/m.exec(text ?? '')?.[1];
  if (named === undefined) return [];
  const git = resolve(folder, named.trim());
  const main = [git, look.real(git)].flatMap((path) => (path === undefined ? [] : [dirname(dirname(dirname(path)))]));
  return main.flatMap(ancestors);
}

/**
 * Also tools that call themselves read-only are asked about then. Deep, so that what the user says stays beside it. A
 * server of the folder comes along where the user agreed to it, and under no name that is the user's.
 */
function askingServers(config: TomlTable, { trustedFolder, look }: LaunchAsk): string[] {
  const servers = config.get('mcp_servers');
  const own = isTable(servers) ? servers : new Map<string, never>();
  const entries = [...own].map(([name, server]) => {
    const tools = isTable(server) ? server.get('tools') : undefined;
    const named = isTable(tools) ? [...tools.keys()] : [];
    const each = named.map((tool) => `${quoted(tool)}={approval_mode="prompt"}`);
    const asking = each.length === 0 ? '' : `,tools={${each.join(',')}}`;
    return `${quoted(name)}={default_tools_approval_mode="prompt"${asking}}`;
  });
  const file = trustedFolder === undefined ? undefined : look.text(join(trustedFolder, '.codex/config.toml'));
  entries.push(...folderServers(file ?? '', (name) => own.has(name)));
  return entries.length === 0 ? [] : ['-c', `mcp_servers={${entries.join(',')}}`];
}

/** With full trust and nobody's yes: what the folder, or one above it in its repository, brings along stays out. */
export function withoutFolder(ask: LaunchAsk): Pick<CodexGate, 'args' | 'notes'> | undefined {
  const brought = foldersTo(ask.cwd, ask.look).some(
    (folder) => folderStarts({ folder: codexFolder }, folder, ask.look).length > 0,
  );
  if (ask.trustedFolder !== undefined || !brought) return undefined;
  return { args: untrusted(ask), notes: [LEFT] };
}

const LEFT = 'what this repository brings along in .codex is left out until `reins trust codex`';

function folderNotes({ trustedFolder, cwd, look }: LaunchAsk): string[] {
  if (folderStarts({ folder: codexFolder }, cwd, look).length === 0) return [];
  if (trustedFolder === undefined) return [LEFT];
  return [
    'of what this folder brings along in .codex only its MCP servers are used, and asked about: the gate is ours',
  ];
}
