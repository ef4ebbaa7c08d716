/**
 * What makes the gate on Gemini ours alone, over ACP and in its terminal: the folder is declared untrusted for it (then
 * neither settings, hooks, MCP servers nor discovery commands of anybody come into play), its mode is named, and a policy
 * of the highest tier asks about everything. GEMINI.md of the repository, which is not read in such a folder, comes back as
 * part of the user's own: in a home of links that differs in that file alone.
 */
import { join } from 'node:path';
import type { LaunchAsk, LaunchPlan, Look, Mirror, Refusal } from './adapter.js';
import { askPolicy, tooOld } from './gemini-policy.js';
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
};

export function geminiGate(ask: LaunchAsk): GeminiGate | Refusal {
  const refused = tooOld(ask) ?? opening(ask.args);
  if (refused) return refused;
  const policy = askPolicy(ask);
  const folders = join(ask.dir, 'gemini-folders.json');
  const distrust = Object.fromEntries([ask.cwd, ask.look.real(ask.cwd) ?? ask.cwd].map((at) => [at, 'DO_NOT_TRUST']));
  const docs = givenBack(ask);
  return {
    ...policy,
    files: [...policy.files, { path: folders, content: JSON.stringify(distrust) }, ...docs.files],
    mirrors: docs.mirrors,
    pinned: {
      ...Object.fromEntries(UNSET.map((name) => [name, undefined])),
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: folders,
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
      ...docs.pinned,
    },
    notes: ['guarded gemini runs without MCP servers, hooks, extensions’ tools and the settings of the repository'],
  };
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
  const own = join(env.GEMINI_CLI_HOME || (env.HOME ?? ''), '.gemini');
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
