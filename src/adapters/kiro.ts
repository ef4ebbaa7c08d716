/**
 * Kiro CLI (formerly Amazon Q). Seeds 000 and 001 name its flags; it speaks ACP from 1.25 on. It has not been run here:
 * its prompt is an argument only, because nothing is known about its stdin.
 */

import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { text } from './decoders/text.js';
import { KIRO_FAILURES } from './failures.js';
import { fitsArgument, fitsValue, pointerTo } from './prompt.js';
import { acp } from './protocols/acp.js';
import { plainTui } from './tuis/plain-tui.js';
import { isBelow } from './version.js';

const ACP_SINCE = '1.25.0';

function promptArgs(ask: LaunchAsk): { args: string[]; notes: string[] } {
  if (ask.prompt === undefined) return { args: [], notes: [] };
  if (fitsArgument(ask.prompt)) return { args: [ask.prompt], notes: [] };
  if (fitsValue(ask.prompt)) return { args: ['--', ask.prompt], notes: [] };
  return {
    args: [pointerTo(ask)],
    notes: ['the prompt is too long for a command line: the agent is told to read its file'],
  };
}

function ungated(version: string | undefined): Refusal | undefined {
  if (isBelow(version, ACP_SINCE) !== true) return undefined;
  return { refused: 'ungated', reason: `Kiro CLI ${version} has no ACP; it can be gated from ${ACP_SINCE} on` };
}

const NO_GATED_TUI: Refusal = {
  refused: 'ungated',
  reason: 'Kiro CLI can be gated in autonomous mode (ACP) only; its terminal program shows us nothing to gate by',
};

function plan(ask: LaunchAsk): LaunchPlan | Refusal {
  const shared = { command: 'kiro-cli', env: {}, files: [] };
  if (ask.door === 'control') {
    const refusal = ungated(ask.version);
    if (refusal) return refusal;
    const { conversation } = ask;
    return {
      ...shared,
      args: ['acp', ...ask.args],
      io: 'pipe',
      stdin: 'open',
      protocol: acp({ cwd: ask.cwd, ...(conversation?.resume ? { conversation: conversation.id } : {}) }),
      polite: { eof: true, waitMs: 1000 },
      notes: [],
    };
  }
  if (ask.trust === 'guarded') return NO_GATED_TUI;
  if (ask.door === 'tui') {
    const { prompt } = ask;
    const inArgument = prompt !== undefined && fitsArgument(prompt);
    return {
      ...shared,
      args: ['chat', '--trust-all-tools', ...ask.args, ...(inArgument ? [prompt] : [])],
      io: 'pty',
      stdin: 'open',
      tui: plainTui(),
      ...(prompt === undefined || inArgument ? {} : { submit: prompt }),
      notes: [],
    };
  }
  const { args, notes } = promptArgs(ask);
  return {
    ...shared,
    args: ['chat', '--no-interactive', '--trust-all-tools', ...ask.args, ...args],
    io: 'pipe',
    stdin: 'closed',
    decoder: text(),
    notes,
  };
}

export const kiro: Adapter = {
  id: 'kiro',
  label: 'Kiro CLI',
  failures: KIRO_FAILURES,
  command: 'kiro-cli',
  install: 'https://kiro.dev/docs/cli',
  priority: 2,
  plain: true,
  door({ mode, trust, version }) {
    if (trust === 'full') return mode === 'interactive' ? 'tui' : 'stream';
    return mode === 'interactive' ? NO_GATED_TUI : (ungated(version) ?? 'control');
  },
  plan,
};
