/**
 * The practice agent: a program of ours that behaves like a coding agent without a key or a network. It speaks Claude's
 * stream-json, Claude's control protocol, and has a terminal program that calls hooks as Claude's does.
 */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { factSettings, hookSettings } from './claude-settings.js';
import { claudeStream } from './decoders/claude-stream.js';
import { CLAUDE_FAILURES } from './failures.js';
import { fitsValue } from './prompt.js';
import { claudeControl } from './protocols/claude-control.js';
import { claudeTranscripts } from './transcripts/places.js';
import { claudeTui } from './tuis/claude-tui.js';

/** It is always run as built: from `src/` (tests) the way leads through `dist/`. */
const BUILT = import.meta.url.endsWith('.ts') ? '../../dist/testing/practice/main.js' : '../testing/practice/main.js';
export const PRACTICE_PROGRAM = fileURLToPath(new URL(BUILT, import.meta.url));

function plan(ask: LaunchAsk): LaunchPlan | Refusal {
  const { prompt, door, conversation } = ask;
  const scenario = ask.env.PRACTICE_SCENARIO;
  // Status and transcript: the user's place if there is one, else the session's own directory.
  const home = ask.env.PRACTICE_HOME ?? join(ask.dir, 'practice');
  if (door === 'tui' && ask.trust === 'guarded' && !ask.hook) {
    return { refused: 'ungated', reason: 'our hook program is missing, without it the practice agent cannot be gated' };
  }
  const settings = ask.trust === 'full' ? factSettings : hookSettings;
  const gate = door === 'tui' && ask.hook ? settings(ask, ask.hook) : undefined;
  const inArgument = prompt !== undefined && door !== 'control' && fitsValue(prompt);
  const args = [
    PRACTICE_PROGRAM,
    '--door',
    door,
    ...(ask.trust === 'full' ? ['--skip-permissions'] : []),
    ...(scenario === undefined ? [] : ['--scenario', scenario]),
    ...(conversation ? [conversation.resume ? '--resume' : '--session-id', conversation.id] : []),
    ...(gate ? ['--settings', gate.path] : []),
    ...(ask.partial && door === 'control' ? ['--include-partial-messages'] : []),
    ...ask.args,
    ...(inArgument ? ['--', prompt] : []),
  ];
  const shared = { command: process.execPath, args, env: { PRACTICE_HOME: home }, notes: [] };
  if (door === 'control') {
    return {
      ...shared,
      io: 'pipe',
      stdin: 'open',
      files: [],
      protocol: claudeControl(ask.clock ? { clock: ask.clock } : {}),
      polite: { signal: 'SIGINT', waitMs: 700 },
    };
  }
  if (door === 'tui') {
    return {
      ...shared,
      io: 'pty',
      stdin: 'open',
      files: gate ? [gate] : [],
      tui: claudeTui({
        configDir: home,
        transcript: claudeTranscripts({ configDir: home, conversation: conversation?.id }),
      }),
      ...(prompt === undefined || inArgument ? {} : { submit: prompt }),
      polite: { keys: '\x1b', waitMs: 300 },
    };
  }
  return {
    ...shared,
    io: 'pty',
    stdin: inArgument || prompt === undefined ? 'closed' : { file: ask.promptFile },
    files: [],
    decoder: claudeStream(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: 700 },
  };
}

export const practice: Adapter = {
  id: 'practice',
  label: 'the practice agent',
  failures: CLAUDE_FAILURES,
  command: process.execPath,
  install: 'it comes with Reins',
  resumes: true,
  takesName: () => true,
  door: ({ mode, trust }) => (mode === 'interactive' ? 'tui' : trust === 'full' ? 'stream' : 'control'),
  plan,
};
