/**
 * Claude Code. Facts of 2.1.197: `-p` reads stdin when it has no prompt, a tool approval over the control protocol
 * needs no terminal, SIGINT ends a `-p` turn with a record and takes its commands along (SIGTERM leaves them alive),
 * and an inherited environment of another Claude makes it behave as that one's child.
 */

import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { NESTING } from './claude-env.js';
import { claudeFolder } from './claude-folder.js';
import { type GateParts, gateOf, placeOf, withoutFolder } from './claude-gate.js';
import { factSettings, type SettingsFile } from './claude-settings.js';
import { claudeStream } from './decoders/claude-stream.js';
import { CLAUDE_FAILURES } from './failures.js';
import { fitsTui } from './prompt.js';
import { claudeControl } from './protocols/claude-control.js';
import { claudeTranscripts } from './transcripts/places.js';
import { claudeTui } from './tuis/claude-tui.js';

/**
 * The agent view forks daemons that outlive us; an update under a running session changes the program beneath it; and the
 * alternate screen, the default of 2.1.325 on a fresh install, has no lines to scroll back to. Older ones know no such variable.
 */
const SUPERVISED = ['CLAUDE_CODE_DISABLE_AGENT_VIEW', 'DISABLE_AUTOUPDATER', 'CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN'];

/** A prompt that is exactly one of these would run the command instead. */
const SUBCOMMANDS = [
  ...['agents', 'auth', 'auto-mode', 'config', 'doctor', 'install', 'mcp', 'migrate-installer'],
  ...['plugin', 'plugins', 'remote-control', 'setup-token', 'update', 'upgrade'],
];

/** SIGINT ended a turn within 0.2 s; a slow disk or a busy machine gets some more. */
const POLITE_MS = 700;
const ESC = '\x1b';

function claudeEnv(env: LaunchAsk['env']): LaunchPlan['env'] {
  const removed = NESTING.filter((name) => env[name] !== undefined).map((name) => [name, undefined]);
  const added = SUPERVISED.filter((name) => env[name] === undefined).map((name) => [name, '1']);
  return Object.fromEntries([...removed, ...added]);
}

function conversationArgs({ conversation }: LaunchAsk): string[] {
  if (!conversation) return [];
  return [conversation.resume ? '--resume' : '--session-id', conversation.id];
}

function stream(ask: LaunchAsk): LaunchPlan {
  const { prompt } = ask;
  const inArgument = prompt !== undefined && fitsTui(prompt, SUBCOMMANDS);
  const without = withoutFolder(ask);
  return {
    command: 'claude',
    args: [
      '--dangerously-skip-permissions',
      '--verbose',
      '--output-format',
      'stream-json',
      ...conversationArgs(ask),
      ...(without?.args ?? ask.args),
      '-p',
      ...(inArgument ? [prompt] : []),
    ],
    env: claudeEnv(ask.env),
    ...withoutArgs(without),
    io: 'pty',
    stdin: inArgument || prompt === undefined ? 'closed' : { file: ask.promptFile },
    decoder: claudeStream(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: POLITE_MS },
    notes: [
      ...(without?.notes ?? []),
      ...(inArgument || prompt === undefined
        ? []
        : ['the prompt goes through stdin: it does not fit the command line']),
    ],
  };
}

function control(ask: LaunchAsk): LaunchPlan | Refusal {
  const gate = gateOf(ask);
  if ('refused' in gate) return gate;
  return {
    command: 'claude',
    args: [
      '-p',
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      '--permission-prompt-tool',
      'stdio',
      ...(ask.partial ? ['--include-partial-messages'] : []),
      ...conversationArgs(ask),
      ...gate.args,
    ],
    env: claudeEnv(ask.env),
    ...withoutArgs(gate),
    io: 'pipe',
    stdin: 'open',
    protocol: claudeControl(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: POLITE_MS },
  };
}

function tui(ask: LaunchAsk): LaunchPlan | Refusal {
  const { prompt } = ask;
  const gate = ask.trust === 'guarded' ? gateOf(ask) : withoutFolder(ask);
  if (gate && 'refused' in gate) return gate;
  const inArgument = prompt !== undefined && fitsTui(prompt, SUBCOMMANDS);
  const heard = ask.trust === 'full' ? heardBy(ask) : undefined;
  const parts = withoutArgs(gate);
  return {
    command: 'claude',
    args: [
      // Without a word about it 2.1.325 starts in a mode that asks only about what a server finds risky.
      ...(ask.trust === 'full' ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
      ...conversationArgs(ask),
      ...(gate?.args ?? ask.args),
      ...(heard ? ['--settings', heard.path] : []),
      ...(inArgument ? [prompt] : []),
    ],
    env: claudeEnv(ask.env),
    ...parts,
    files: [...parts.files, ...(heard ? [heard] : [])],
    io: 'pty',
    stdin: 'open',
    tui: tuiOf(ask),
    ...folderEntry(ask),
    ...(prompt === undefined || inArgument ? {} : { submit: prompt }),
    polite: { keys: ESC, waitMs: 500 },
  };
}

/** Settings of the user's own on the command line stay the only ones: then its transcript has to do. */
function heardBy(ask: LaunchAsk): SettingsFile | undefined {
  const own = ask.args.some((arg) => arg === '--settings' || arg.startsWith('--settings='));
  return ask.hook && ask.oneTurn && !own ? factSettings(ask, ask.hook) : undefined;
}

function withoutArgs(gate: GateParts | undefined): Omit<GateParts, 'args'> {
  if (!gate) return { files: [], notes: [] };
  const { args: _own, ...rest } = gate;
  return rest;
}

/** No flag and no variable says it; this entry is the one Claude Code itself names, and writes when a person says yes. */
function folderEntry({ env, trustedFolder }: LaunchAsk): Pick<LaunchPlan, 'accepts'> {
  if (trustedFolder === undefined || !(env.CLAUDE_CONFIG_DIR ?? env.HOME)) return {};
  const file = placeOf(env).state;
  const path = ['projects', trustedFolder, 'hasTrustDialogAccepted'];
  return { accepts: { file, path, value: true, lock: `${file}.lock` } };
}

function tuiOf({ env, conversation }: LaunchAsk) {
  const configDir = placeOf(env).dir;
  return claudeTui({ configDir, transcript: claudeTranscripts({ configDir, conversation: conversation?.id }) });
}

export const claude: Adapter = {
  id: 'claude',
  label: 'Claude Code',
  failures: CLAUDE_FAILURES,
  command: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code (https://code.claude.com)',
  priority: 1,
  resumes: true,
  takesName: () => true,
  asksFolderTrust: true,
  folder: claudeFolder,
  door: ({ mode, trust }) => (mode === 'interactive' ? 'tui' : trust === 'full' ? 'stream' : 'control'),
  plan(ask) {
    if (ask.door === 'tui') return tui(ask);
    return ask.door === 'control' ? control(ask) : stream(ask);
  },
};
