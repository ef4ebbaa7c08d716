/**
 * Codex. Facts of 0.166: `exec` is never interactive and hangs while its stdin stays open; `--full-auto` is gone; plain
 * `codex` moves the work into a daemon that survives everything; only the app-server asks about every command. The
 * prompt goes through stdin (up to 1,048,576 characters, codex refuses more).
 */

import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { codexArgs } from './codex-args.js';
import { COMPANION_SINCE, codexCompanion, companionArgs, whyAlone } from './codex-companion.js';
import { codexFolder, quoted } from './codex-folder.js';
import { codexGate, withoutFolder } from './codex-gate.js';
import { codexExec } from './decoders/codex-exec.js';
import { CODEX_FAILURES } from './failures.js';
import { fitsTui } from './prompt.js';
import { codexAppServer } from './protocols/codex-app-server.js';
import { codexTranscripts } from './transcripts/places.js';
import { codexTui } from './tuis/codex-tui.js';
import { isBelow, parseVersion } from './version.js';

/** From here on `--full-auto` does nothing but warn (later: an error); `-s workspace-write` is what it meant. */
const FULL_AUTO_UNTIL = '0.126.0';
/** Measured with the `--no-daemon` flag; older ones may not know it, but any of them takes a `-c` override. */
const NO_DAEMON_SINCE = '0.166.0';
const LONGEST_PROMPT = 1_048_576;
/** A prompt that is exactly one of these would run the command instead. */
const SUBCOMMANDS = [
  ...['exec', 'review', 'login', 'logout', 'mcp', 'plugin', 'app-server', 'app', 'completion', 'update', 'doctor'],
  ...['sandbox', 'debug', 'apply', 'resume', 'fork', 'cloud', 'features', 'help', 'archive', 'remote-control'],
];
/** SIGINT took 40 ms and all tool children along; SIGTERM leaves some. */
const POLITE_MS = 700;
const CTRL_C = '\x03';

/**
 * The time of seeds 000 and 001. A program that calls itself codex but names no version gets the documented flags; when
 * the version was never asked for, today's are the better guess, because old ones take `-s` as well.
 */
function isOfSeeds(version: string | undefined): boolean {
  if (version === undefined) return false;
  return parseVersion(version) === undefined || isBelow(version, FULL_AUTO_UNTIL) === true;
}

function sizeNotes({ prompt }: LaunchAsk): string[] {
  if (prompt === undefined || prompt.length <= LONGEST_PROMPT) return [];
  return [`the prompt has ${prompt.length} characters, codex takes ${LONGEST_PROMPT}`];
}

/** For this launch alone; of its own accord codex would write the same into the user's config. A dotted key is cut at the path's dots. */
function folderArgs(ask: LaunchAsk): string[] {
  const without = ask.trustedFolder === undefined ? withoutFolder(ask) : undefined;
  if (without) return without.args;
  // A folder that brings nothing along: at night nobody answers codex's page about it, and headless it has none.
  const trusted = ask.trustedFolder ?? (ask.oneTurn ? (ask.look.real(ask.cwd) ?? ask.cwd) : undefined);
  return trusted === undefined ? [] : ['-c', `projects={${quoted(trusted)}={trust_level="trusted"}}`];
}

function folderNotes(ask: LaunchAsk): string[] {
  if (ask.trustedFolder === undefined) {
    const trusted = ask.oneTurn
      ? [`codex trusts ${ask.cwd} for this launch, by a flag: full trust was given for it`]
      : [];
    return withoutFolder(ask)?.notes ?? trusted;
  }
  return [`codex trusts ${ask.trustedFolder}, as you agreed: for this launch, by a flag`];
}

function stream(ask: LaunchAsk): LaunchPlan {
  const old = isOfSeeds(ask.version);
  const { conversation } = ask;
  return {
    command: 'codex',
    args: [
      'exec',
      ...(old ? ['--full-auto'] : ['-s', 'workspace-write']),
      '--skip-git-repo-check',
      ...(old ? [] : folderArgs(ask)),
      ...(conversation?.resume ? ['resume', conversation.id] : []),
      '--json',
      ...ask.args,
      ...(ask.prompt === undefined ? [] : ['-']),
    ],
    env: {},
    io: 'pipe',
    stdin: ask.prompt === undefined ? 'closed' : { file: ask.promptFile },
    files: [],
    decoder: codexExec(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: POLITE_MS },
    notes: [
      ...(old ? [] : ['codex no longer knows --full-auto; -s workspace-write is what it meant']),
      ...(old ? [] : folderNotes(ask)),
      ...sizeNotes(ask),
    ],
  };
}

function control(ask: LaunchAsk): LaunchPlan | Refusal {
  const { conversation } = ask;
  const given = codexArgs(ask.args);
  if ('refused' in given) return given;
  const gate = codexGate(ask);
  if ('refused' in gate) return gate;
  return {
    ...gate,
    command: 'codex',
    args: ['app-server', ...given.args, ...gate.args],
    io: 'pipe',
    stdin: 'open',
    protocol: codexAppServer({
      cwd: ask.cwd,
      sandbox: isBelow(ask.version, COMPANION_SINCE) === true ? 'workspace-write' : 'widened',
      ...(given.model === undefined ? {} : { model: given.model }),
      ...(ask.clock ? { clock: ask.clock } : {}),
      ...(conversation?.resume ? { conversation: conversation.id } : {}),
    }),
    polite: { eof: true, waitMs: 700 },
    notes: [...gate.notes, ...sizeNotes(ask)],
  };
}

/** Codex names its conversations itself. */
const resumed = ({ conversation }: LaunchAsk): string | undefined =>
  conversation?.resume ? conversation.id : undefined;

function daemonArgs(version: string | undefined): string[] {
  const unmeasured = isBelow(version, NO_DAEMON_SINCE) === true;
  return unmeasured ? ['-c', 'features.daemon_auto_start=false'] : ['--no-daemon'];
}

const TERMINAL = 'interactive codex is its terminal program: `codex exec` cannot be interactive';
// Two ^C in one write count as one; the second is the stop ladder's next rung.
const POLITE_KEYS = { keys: CTRL_C, waitMs: 300 };

/** Its server beside it asks about everything; there is no other way to gate it (see codex-companion.ts). */
function gatedTui(ask: LaunchAsk): LaunchPlan | Refusal {
  const given = codexArgs(ask.args);
  if ('refused' in given) return given;
  const alone = whyAlone(ask);
  if (alone) return alone;
  const gate = codexGate(ask);
  if ('refused' in gate) return gate;
  const companion = codexCompanion(ask, { ...given, args: [...given.args, ...gate.args] });
  return {
    ...gate,
    command: 'codex',
    args: companionArgs(companion, ask),
    companion,
    io: 'pty',
    stdin: 'open',
    tui: codexTui({
      transcript: codexTranscripts({ env: ask.env, conversation: resumed(ask), source: 'vscode' }),
    }),
    polite: POLITE_KEYS,
    notes: [TERMINAL, ...gate.notes],
  };
}

function tui(ask: LaunchAsk): LaunchPlan {
  const { prompt, conversation } = ask;
  const literal = isOfSeeds(ask.version);
  const inArgument = prompt !== undefined && fitsTui(prompt, literal ? [] : SUBCOMMANDS);
  return {
    command: 'codex',
    args: [
      ...(literal ? ['exec'] : conversation?.resume ? ['resume', conversation.id] : []),
      ...(literal ? [] : [...daemonArgs(ask.version), ...folderArgs(ask)]),
      ...ask.args,
      ...(inArgument ? [prompt] : []),
    ],
    env: {},
    io: 'pty',
    stdin: 'open',
    files: [],
    tui: codexTui({ transcript: codexTranscripts({ env: ask.env, conversation: resumed(ask) }) }),
    ...(prompt === undefined || inArgument ? {} : { submit: prompt }),
    polite: POLITE_KEYS,
    notes: literal ? [] : [TERMINAL, ...folderNotes(ask)],
  };
}

export const codex: Adapter = {
  id: 'codex',
  label: 'Codex',
  failures: CODEX_FAILURES,
  command: 'codex',
  install: 'npm install -g @openai/codex (https://developers.openai.com/codex/cli)',
  priority: 4,
  resumes: true,
  asksFolderTrust: true,
  folder: codexFolder,
  door: ({ mode, trust }) => (mode === 'interactive' ? 'tui' : trust === 'full' ? 'stream' : 'control'),
  plan(ask) {
    if (ask.door === 'tui') return ask.trust === 'guarded' ? gatedTui(ask) : tui(ask);
    return ask.door === 'control' ? control(ask) : stream(ask);
  },
};
