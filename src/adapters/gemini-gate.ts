/**
 * What makes the gate on Gemini ours alone, over ACP and in its terminal: the folder is declared untrusted for it (then
 * neither settings, hooks, MCP servers nor discovery commands of anybody come into play), its mode is named, and a policy
 * of the highest tier asks about everything. GEMINI.md of the repository, which is not read in such a folder, comes back as
 * part of the user's own: in a home of links that differs in that file alone.
 */
import { join } from 'node:path';
import type { LaunchAsk, LaunchPlan, Look, Mirror, Refusal } from './adapter.js';
import { geminiSettings } from './gemini-folder.js';
import { askPolicy, tooOld } from './gemini-policy.js';
import { geminiHome, serversFor } from './gemini-servers.js';
import { projectDocs } from './project-docs.js';
import { asObject } from './protocols/jsonl.js';

/** What Gemini makes in its folder by itself, and what is the user's to keep there. */
const FOLDERS = ['tmp', 'history', 'extensions', 'commands', 'skills'];
const FILES = ['settings.json', 'oauth_creds.json', 'google_accounts.json', 'installation_id', 'mcp-oauth-tokens.json'];
/** Each takes a value and leaves the gate alone. */
const PLAIN_FLAGS = ['-m', '--model'];
/** Environment that starts programs, or says yes to the folder. */
const UNSET = [
  'GEMINI_CLI_IDE_SERVER_STDIO_COMMAND',
  'GEMINI_CLI_IDE_SERVER_STDIO_ARGS',
  'GEMINI_CLI_INTEGRATION_TEST',
];

export type GeminiGate = Pick<LaunchPlan, 'args' | 'files' | 'voidedBy' | 'notes'> & {
  pinned: Record<string, string | undefined>;
  mirrors: Mirror[];
  /** MCP servers for the session, as ACP has them. */
  servers?: unknown[];
};

export function geminiGate(ask: LaunchAsk): GeminiGate | Refusal {
  const refused = tooOld(ask) ?? opening(ask.args);
  if (refused) return refused;
  // Its terminal program runs hooks in a trusted folder, and they rewrite what was allowed: there it stays untrusted.
  if (ask.door === 'control' && ask.trustedFolder !== undefined) return agreedGate(ask, ask.trustedFolder);
  const policy = askPolicy(ask);
  const distrust = distrusting(ask);
  const docs = givenBack(ask);
  return {
    ...policy,
    files: [...policy.files, ...distrust.files, ...docs.files],
    mirrors: docs.mirrors,
    pinned: { ...distrust.pinned, ...docs.pinned },
    notes: [
      'guarded gemini runs without MCP servers, hooks, extensions’ tools and the settings of the repository' +
        (ask.door === 'control' ? '; `reins trust gemini` brings servers and settings of this folder back' : ''),
    ],
  };
}

/** The folder is not trusted, whatever the user's own list says. */
export function distrusting(ask: LaunchAsk): Pick<GeminiGate, 'files' | 'pinned'> {
  const folders = foldersFile(ask, 'DO_NOT_TRUST');
  return {
    files: [folders],
    pinned: {
      ...Object.fromEntries(UNSET.map((name) => [name, undefined])),
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: folders.path,
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
    },
  };
}

/**
 * The user agreed to what the folder brings along. Over ACP no hooks run; MCP servers are given by us under names that
 * nobody can have written down beforehand, and no others are let in: one with `trust: true` would be past every policy.
 */
function agreedGate(ask: LaunchAsk, folder: string): GeminiGate {
  const { servers, names, left } = serversFor(ask, folder);
  // Its own settings can widen what counts as the workspace: then reading is asked about as well.
  const policy = askPolicy(ask, widens(ask.look.text(join(folder, SETTINGS))) ? 'reading too' : undefined);
  const folders = foldersFile(ask, 'TRUST_FOLDER');
  return {
    ...policy,
    args: [...policy.args, ...names.map((name) => `--allowed-mcp-server-names=${name}`)],
    files: [...policy.files, folders],
    mirrors: [],
    servers,
    pinned: {
      ...Object.fromEntries(UNSET.map((name) => [name, undefined])),
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: folders.path,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    notes: [
      'gemini uses the settings of this folder, as you agreed; hooks do not run, and tool calls are asked about as ever',
      ...(left.length === 0 ? [] : [`not started, because Gemini takes no such server from us: ${left.join(', ')}`]),
    ],
  };
}

const SETTINGS = '.gemini/settings.json';

function widens(content: string | undefined): boolean {
  if (content === undefined) return false;
  const settings = geminiSettings(content);
  return !settings || asObject(settings.context)?.includeDirectories !== undefined;
}

function foldersFile({ dir, cwd, look }: LaunchAsk, word: string): { path: string; content: string } {
  const folders = Object.fromEntries([cwd, look.real(cwd) ?? cwd].map((at) => [at, word]));
  return { path: join(dir, 'gemini-folders.json'), content: JSON.stringify(folders) };
}

function opening(args: readonly string[]): Refusal | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    if (PLAIN_FLAGS.some((flag) => flag.startsWith('--') && word.startsWith(`${flag}=`))) continue;
    if (!PLAIN_FLAGS.includes(word) || args[at + 1] === undefined) {
      const reason = `gemini with ${word} could run tools that nobody was asked about, as far as Reins knows; leave it out`;
      return { refused: 'ungated', reason };
    }
    at += 1;
  }
  return undefined;
}

function givenBack(ask: LaunchAsk): Pick<GeminiGate, 'files' | 'mirrors' | 'pinned'> {
  const { cwd, look, env } = ask;
  const own = geminiHome(env);
  const names = contextNames(own, look);
  const { text } = projectDocs({ cwd, names, look });
  if (text === '') return { files: [], mirrors: [], pinned: {} };
  const home = join(ask.dir, 'gemini-home');
  const dir = join(home, '.gemini');
  const mine = names.flatMap((name) => look.text(join(own, name)) ?? []);
  return {
    files: [{ path: join(dir, names[0]!), content: `${[...mine, text].join('\n\n')}\n` }],
    mirrors: [{ dir, of: own, without: names, folders: FOLDERS, files: FILES }],
    pinned: { GEMINI_CLI_HOME: home },
  };
}

/** `context.fileName` of the user's own settings; what cannot be read there is not Gemini's default's fault. */
function contextNames(own: string, look: Look): string[] {
  try {
    const settings = asObject(JSON.parse(look.text(join(own, 'settings.json')) ?? '{}'));
    const named = [asObject(settings?.context)?.fileName].flat();
    const names = named.filter((name): name is string => typeof name === 'string' && /^[\w.-]+$/.test(name));
    if (names.length > 0) return names;
  } catch {
    // Comments, or worse: Gemini reads more than JSON.parse does.
  }
  return ['GEMINI.md'];
}
