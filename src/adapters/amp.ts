/**
 * Amp. Its gate is a permission rule that delegates every tool call to our hook: exit 0 allows, 2 rejects with stderr
 * as reason, and a program that is missing or fails rejects too. The tool's name comes in the environment only, so a
 * small script passes it on. `-x` reads its prompt from stdin when it has none. No turn of it could be measured here.
 */

import { join } from 'node:path';
import type { Adapter, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { shellQuoted } from './claude-settings.js';
import { text } from './decoders/text.js';
import { AMP_FAILURES } from './failures.js';
import { AMP_EVENT, ampDelegate } from './hooks/amp-delegate.js';
import { fitsArgument } from './prompt.js';
import { plainTui } from './tuis/plain-tui.js';

const REJECT = 2;

const NO_HOOK: Refusal = {
  refused: 'ungated',
  reason: 'our hook program is missing, without it Amp cannot be gated',
};

function gateFiles({ dir }: LaunchAsk, hook: NonNullable<LaunchAsk['hook']>) {
  const script = join(dir, 'amp-delegate.sh');
  const settings = join(dir, 'amp-settings.json');
  const permissions = [{ tool: '*', action: 'delegate', to: script }];
  const lines = [
    '#!/bin/sh',
    // Exit 1 would mean "ask" to amp: whatever goes wrong has to be a rejection.
    `${hook.argv.map(shellQuoted).join(' ')} "${AMP_EVENT}$AGENT_TOOL_NAME" || exit ${REJECT}`,
  ];
  return {
    settings,
    files: [
      { path: script, content: `${lines.join('\n')}\n`, mode: 0o700 },
      { path: settings, content: `${JSON.stringify({ 'amp.permissions': permissions }, null, 2)}\n` },
    ],
  };
}

function plan(ask: LaunchAsk): LaunchPlan | Refusal {
  const { prompt } = ask;
  const guarded = ask.trust === 'guarded';
  if (guarded && !ask.hook) return NO_HOOK;
  const gate = guarded && ask.hook ? gateFiles(ask, ask.hook) : undefined;
  const shared = {
    command: 'amp',
    env: {},
    files: gate?.files ?? [],
    ...(gate ? { hook: ampDelegate } : {}),
    notes: gate ? ['amp reads our settings file in place of its own: MCP servers set up there are not seen'] : [],
  };
  const gateArgs = gate ? ['--settings-file', gate.settings] : [];
  if (ask.door === 'tui') {
    return {
      ...shared,
      args: [...gateArgs, ...ask.args],
      io: 'pty',
      stdin: 'open',
      tui: { ...plainTui(), ...(gate ? { hook: ampDelegate } : {}) },
      ...(prompt === undefined ? {} : { submit: prompt }),
    };
  }
  const inArgument = prompt !== undefined && fitsArgument(prompt);
  return {
    ...shared,
    args: [...(guarded ? gateArgs : ['--dangerously-allow-all']), ...ask.args, '-x', ...(inArgument ? [prompt] : [])],
    io: 'pipe',
    stdin: inArgument || prompt === undefined ? 'closed' : { file: ask.promptFile },
    decoder: text(),
  };
}

export const amp: Adapter = {
  id: 'amp',
  label: 'Amp',
  failures: AMP_FAILURES,
  command: 'amp',
  install: 'npm install -g @sourcegraph/amp (https://ampcode.com)',
  priority: 5,
  plain: true,
  door: ({ mode, trust }) => (mode === 'interactive' ? 'tui' : trust === 'full' ? 'stream' : 'control'),
  plan,
};
