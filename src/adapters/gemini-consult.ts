/**
 * Gemini CLI as a consultant: headless, in a home of ours with the user's login and settings of its own. Measured with 0.61:
 * a list of core tools that names none, and an administrator's rule that denies every tool, each leave the model without a
 * single tool; both are given. Its own folder is empty and private, so it may be trusted: untrusted, headless Gemini ends.
 */
import { join } from 'node:path';
import type { Refusal } from './adapter.js';
import { refusedArgs } from './consult-args.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { geminiStream } from './decoders/gemini-stream.js';
import { geminiHome } from './gemini-servers.js';
import { asObject, type Json } from './protocols/jsonl.js';
import { isBelow } from './version.js';

const SINCE = '0.61.0';
/** Gemini's own alias. */
const CHEAP = 'flash';
const LOGIN = ['oauth_creds.json', 'google_accounts.json', 'installation_id', 'gemini-credentials.json', '.env'];
/** Environment that starts programs. */
const UNSET = [
  'GEMINI_CLI_IDE_SERVER_STDIO_COMMAND',
  'GEMINI_CLI_IDE_SERVER_STDIO_ARGS',
  'GEMINI_CLI_INTEGRATION_TEST',
];

export function geminiConsultation(ask: ConsultAsk): ConsultPlan | Refusal {
  const trouble = refusedArgs(ask.args, []) ?? tooOld(ask);
  if (trouble) return trouble;
  if (ask.reads !== undefined) return NO_READS;
  const own = geminiHome(ask.env);
  const home = join(ask.dir, 'gemini-home');
  const dir = join(home, '.gemini');
  const policy = join(ask.dir, 'gemini-policy.toml');
  const model = ask.model ?? CHEAP;
  const rest = ask.look.names(own).filter((name) => !LOGIN.includes(name));
  return {
    command: 'gemini',
    args: ['-o', 'stream-json', '-m', model, '--approval-mode', 'default', '--admin-policy', policy],
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    pinned: {
      ...Object.fromEntries(UNSET.map((name) => [name, undefined])),
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_TRUSTED_FOLDERS_PATH: undefined,
    },
    io: 'pipe',
    stdin: { file: ask.promptFile },
    mirrors: [{ dir, of: own, without: [...rest, 'settings.json'], folders: [], files: ['oauth_creds.json'] }],
    files: [
      { path: join(dir, 'settings.json'), content: `${JSON.stringify(settingsOf(ask, own))}\n` },
      { path: policy, content: '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n' },
    ],
    decoder: geminiStream(ask.clock ? { clock: ask.clock } : {}),
    notes: [],
    model,
  };
}

function settingsOf({ look }: ConsultAsk, own: string): Json {
  const user = parsed(look.text(join(own, 'settings.json')));
  return {
    security: { auth: asObject(asObject(user.security)?.auth) ?? {}, folderTrust: { enabled: true } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
    privacy: asObject(user.privacy) ?? {},
    telemetry: { enabled: false },
    tools: { core: ['none'], discoveryCommand: '', callCommand: '' },
    mcpServers: {},
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    // Of the folders above nothing is read: no file has this name.
    context: { fileName: ['reins-consultation-has-none'], discoveryMaxDirs: 0 },
  };
}

/** Comments, or worse: then only the environment knows its login. */
function parsed(text: string | undefined): Json {
  try {
    return asObject(JSON.parse(text ?? '{}')) ?? {};
  } catch {
    return {};
  }
}

const tooOld = ({ version }: ConsultAsk): Refusal | undefined =>
  isBelow(version, SINCE) === true
    ? { refused: 'no-door', reason: `Gemini CLI cannot be consulted: ${version} is older than ${SINCE}, ${KNOWN}` }
    : undefined;
const KNOWN = 'from which on its tools are known to be off';

const NO_READS: Refusal = {
  refused: 'no-door',
  reason:
    'consult.reads is refused for Gemini CLI: its reading tools cannot be held to a folder without its .env, keys and .git',
};
