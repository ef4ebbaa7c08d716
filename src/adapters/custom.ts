/**
 * Any other program, as the user configured it: `cli.command`, `cli.args`, `cli.prompt_mode`, `cli.prompt_flag`. It
 * can be gated only if it speaks ACP (`cli.acp: true`) and asks (acp-agents.ts). Nothing is known about how it reads its arguments, so a prompt
 * is never put where it could be taken for a flag.
 */

import { askingStart } from './acp-agents.js';
import type { Adapter, CustomSettings, Door, LaunchAsk, LaunchPlan, Refusal } from './adapter.js';
import { text } from './decoders/text.js';
import { CUSTOM_FAILURES } from './failures.js';
import { fitsValue } from './prompt.js';
import { acp } from './protocols/acp.js';
import { plainTui } from './tuis/plain-tui.js';

function doorOf(ask: { mode: LaunchAsk['mode']; trust: LaunchAsk['trust']; custom: CustomSettings }): Door | Refusal {
  if (!ask.custom.command) return { refused: 'no-command', reason: 'the custom backend requires a command' };
  if (ask.trust === 'full') return ask.mode === 'interactive' ? 'tui' : 'stream';
  if (!ask.custom.acp) {
    return {
      refused: 'ungated',
      reason: `Reins has no way to gate ${ask.custom.command}; if it speaks ACP, set cli.acp`,
    };
  }
  if (ask.mode === 'autonomous') {
    const asking = askingStart(ask.custom, ask.custom.args);
    return 'refused' in asking ? asking : 'control';
  }
  return { refused: 'no-door', reason: `${ask.custom.command} can be gated over ACP, which has no terminal program` };
}

/** The prompt as arguments, or undefined where it cannot be one. */
function promptArgs(prompt: string, flag: string | undefined): string[] | undefined {
  if (!fitsValue(prompt)) return undefined;
  if (!prompt.startsWith('-')) return flag ? [flag, prompt] : [prompt];
  if (flag?.startsWith('--')) return [`${flag}=${prompt}`];
  // A space in front keeps any parser from seeing a flag, and means nothing to a model.
  return flag ? [flag, ` ${prompt}`] : [` ${prompt}`];
}

function plan(ask: LaunchAsk): LaunchPlan | Refusal {
  const door = doorOf(ask);
  if (typeof door !== 'string') return door;
  const { custom, prompt } = ask;
  const shared = { command: custom.command ?? '', env: {}, files: [] };
  const given = [...custom.args, ...ask.args];
  if (ask.door === 'control') {
    const { conversation } = ask;
    const asking = askingStart(custom, given);
    if ('refused' in asking) return asking;
    const gate = asking.gate(ask);
    if ('refused' in gate) return gate;
    return {
      ...shared,
      ...gate,
      args: [...given, ...asking.args],
      io: 'pipe',
      stdin: 'open',
      protocol: acp({ cwd: ask.cwd, ...(conversation?.resume ? { conversation: conversation.id } : {}) }),
      polite: { eof: true, waitMs: 1000 },
    };
  }
  if (ask.trust === 'guarded') return { refused: 'no-door', reason: `${custom.command} can be gated over ACP only` };
  const inArgs =
    prompt === undefined || custom.prompt_mode === 'stdin' ? undefined : promptArgs(prompt, custom.prompt_flag);
  const tooLarge = prompt !== undefined && custom.prompt_mode === 'arg' && !inArgs;
  const notes = tooLarge ? ['the prompt is too large for a command line'] : [];
  if (ask.door === 'tui') {
    return {
      ...shared,
      args: [...given, ...(inArgs ?? [])],
      io: 'pty',
      stdin: 'open',
      tui: plainTui(),
      ...(prompt === undefined || inArgs ? {} : { submit: prompt }),
      notes,
    };
  }
  return {
    ...shared,
    args: [...given, ...(inArgs ?? [])],
    io: 'pipe',
    stdin: prompt === undefined || inArgs ? 'closed' : { file: ask.promptFile },
    decoder: text(),
    notes: tooLarge ? [`${notes[0]}: it goes through stdin`] : [],
  };
}

export const custom: Adapter = {
  id: 'custom',
  label: 'custom backend',
  failures: CUSTOM_FAILURES,
  command: '',
  install: 'set cli.command to the program to run',
  plain: true,
  door: doorOf,
  plan,
};
