/**
 * Gemini CLI. Facts of 0.61: without yolo its headless mode has no shell or write tools at all and still exits 0; its
 * wrapper process swallows signals (hence no relaunch); a prompt that starts with a dash must be glued to its flag;
 * hooks fail open, so the gate is ACP, or its own dialogs on the screen.
 */

import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { geminiStream } from './decoders/gemini-stream.js';
import { GEMINI_FAILURES } from './failures.js';
import { folderStarts } from './folder-starts.js';
import { geminiFolder } from './gemini-folder.js';
import { distrusting, geminiGate } from './gemini-gate.js';
import { fitsArgument, fitsTui, fitsValue } from './prompt.js';
import { acp } from './protocols/acp.js';
import { geminiTranscripts } from './transcripts/places.js';
import { geminiTui } from './tuis/gemini-tui.js';
import { isBelow } from './version.js';

/** Before this it knows no `--session-id` (0.30 ends with its usage); 0.45 is the oldest that was seen to take it. */
const NAMED_SINCE = '0.45.0';
/** One process instead of a wrapper that ignores SIGTERM, and half a second faster. */
const ENV = { GEMINI_CLI_NO_RELAUNCH: 'true' };
/** Without its wrapper nobody else starts it again after a change of trust or sign-in. */
const RESTART_EXIT = 199;
const ESC = '\x1b';

function conversationArgs({ conversation, version }: LaunchAsk): string[] {
  if (!conversation || (!conversation.resume && isBelow(version, NAMED_SINCE) === true)) return [];
  return [conversation.resume ? '-r' : '--session-id', conversation.id];
}

/** What the folder brings along and nobody has agreed to: its plain headless mode cannot do without it, ACP can. */
const isUnagreed = ({ cwd, look, trustedFolder }: LaunchAsk): boolean =>
  trustedFolder === undefined && folderStarts({ folder: geminiFolder }, cwd, look).length > 0;

function stream(ask: LaunchAsk): LaunchPlan | Refusal {
  if (isUnagreed(ask)) {
    const plan = control({ ...ask, door: 'control' });
    if (!('refused' in plan)) return plan;
    const reason = `it would start what this folder brings along (${plan.reason}); agree to that first: reins trust gemini`;
    return { refused: 'no-door', reason };
  }
  const { prompt } = ask;
  const inArgument = prompt !== undefined && fitsValue(prompt);
  const promptArgs = !inArgument ? [] : fitsArgument(prompt) ? ['-p', prompt] : [`--prompt=${prompt}`];
  return {
    command: 'gemini',
    args: ['--yolo', '-o', 'stream-json', ...conversationArgs(ask), ...ask.args, ...promptArgs],
    // In a folder that was never trusted, headless gemini exits with 55; full trust was given to us for this folder.
    env: { ...ENV, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    io: 'pipe',
    stdin: inArgument || prompt === undefined ? 'closed' : { file: ask.promptFile },
    files: [],
    decoder: geminiStream(ask.clock ? { clock: ask.clock } : {}),
    notes:
      inArgument || prompt === undefined ? [] : ['the prompt goes through stdin: it does not fit the command line'],
  };
}

function control(ask: LaunchAsk): LaunchPlan | Refusal {
  const gate = geminiGate(ask);
  if ('refused' in gate) return gate;
  const { conversation } = ask;
  const { servers, ...given } = gate;
  return {
    ...given,
    command: 'gemini',
    args: ['--acp', ...gate.args, ...ask.args],
    env: ENV,
    io: 'pipe',
    stdin: 'open',
    // Measured with 0.61: a command of three kilobytes and several lines stands in the title as it is.
    protocol: acp({
      cwd: ask.cwd,
      commandInTitle: true,
      ...(servers ? { mcpServers: servers } : {}),
      ...(ask.clock ? { clock: ask.clock } : {}),
      ...(conversation?.resume ? { conversation: conversation.id } : {}),
    }),
    polite: { eof: true, waitMs: 700 },
  };
}

function tui(ask: LaunchAsk): LaunchPlan | Refusal {
  const gate = ask.trust === 'guarded' ? geminiGate(ask) : undefined;
  const distrust = !gate && isUnagreed(ask) ? distrusting(ask) : undefined;
  if (gate && 'refused' in gate) return gate;
  const { prompt } = ask;
  const inArgument = prompt !== undefined && fitsTui(prompt, []);
  // As its headless mode is told: full trust was given for this folder, and at night nobody answers its page about that.
  const unasked = !gate && !distrust && ask.oneTurn === true;
  const trusts = !gate && ask.trustedFolder !== undefined;
  return {
    files: [],
    ...distrust,
    ...gate,
    command: 'gemini',
    // A loop acts unasked, as its headless mode does; a dialog of a small terminal could not even be read.
    args: [
      ...(gate?.args ?? []),
      ...(unasked ? ['--yolo'] : []),
      ...conversationArgs(ask),
      ...ask.args,
      ...(inArgument ? ['-i', prompt] : []),
    ],
    env: trusts || unasked ? { ...ENV, GEMINI_CLI_TRUST_WORKSPACE: 'true' } : ENV,
    io: 'pty',
    stdin: 'open',
    tui: geminiTui({ transcript: geminiTranscripts({ env: ask.env, conversation: ask.conversation?.id }) }),
    ...(prompt === undefined || inArgument ? {} : { submit: prompt }),
    polite: { keys: ESC, waitMs: 500 },
    restartExit: RESTART_EXIT,
    notes: [
      ...(gate?.notes ?? []),
      ...(distrust ? ['what this folder brings along for gemini is left out until `reins trust gemini`'] : []),
      ...(trusts
        ? [`gemini trusts ${ask.trustedFolder}, as you agreed: GEMINI_CLI_TRUST_WORKSPACE is set for it`]
        : []),
    ],
  };
}

export const gemini: Adapter = {
  id: 'gemini',
  label: 'Gemini CLI',
  failures: GEMINI_FAILURES,
  command: 'gemini',
  install: 'npm install -g @google/gemini-cli (https://geminicli.com)',
  priority: 3,
  resumes: true,
  takesName: (version) => isBelow(version, NAMED_SINCE) !== true,
  asksFolderTrust: true,
  folder: geminiFolder,
  door: ({ mode, trust }) => (mode === 'interactive' ? 'tui' : trust === 'full' ? 'stream' : 'control'),
  plan(ask) {
    if (ask.door === 'tui') return tui(ask);
    return ask.door === 'control' ? control(ask) : stream(ask);
  },
};
