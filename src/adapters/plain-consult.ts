/** The practice agent as a consultant, and a program of the user's own that only answers. */
import { join } from 'node:path';
import type { Refusal } from './adapter.js';
import { refusedArgs } from './consult-args.js';
import type { ConsultAsk, ConsultPlan } from './consultation.js';
import { claudeStream } from './decoders/claude-stream.js';
import { text } from './decoders/text.js';
import { PRACTICE_PROGRAM } from './practice.js';

/** What it answers is its scenario: `PRACTICE_CONSULT`, or it takes the first option of each question. */
export function practiceConsultation(ask: ConsultAsk): ConsultPlan | Refusal {
  const trouble = refusedArgs(ask.args, []);
  if (trouble) return trouble;
  const model = ask.model ?? 'practice-script';
  return {
    command: process.execPath,
    args: [PRACTICE_PROGRAM, '--door', 'stream', '--scenario', ask.env.PRACTICE_CONSULT || 'consult'],
    env: { PRACTICE_HOME: join(ask.dir, 'practice'), PRACTICE_SCENARIO: undefined },
    io: 'pipe',
    stdin: { file: ask.promptFile },
    files: [],
    decoder: claudeStream(ask.clock ? { clock: ask.clock } : {}),
    polite: { signal: 'SIGINT', waitMs: 700 },
    notes: [],
    model,
  };
}

/** Nothing is known of it, so nothing can be taken from it: it counts only where the user named it for this. */
export function customConsultation(ask: ConsultAsk): ConsultPlan | Refusal {
  const { command, args } = ask.custom;
  if (!command) return { refused: 'no-command', reason: 'consult.backend: custom needs cli.command' };
  if (!ask.named) {
    const reason = `${command} is not consulted unasked: Reins cannot take tools from it; if it has none, say consult.backend: custom`;
    return { refused: 'no-door', reason };
  }
  if (ask.reads !== undefined)
    return { refused: 'no-door', reason: `consult.reads is refused for ${command}: nothing could hold it to a folder` };
  return {
    command,
    args: [...args, ...ask.args],
    env: {},
    io: 'pipe',
    stdin: { file: ask.promptFile },
    files: [],
    decoder: text(),
    notes: [],
    ...(ask.model === undefined ? {} : { model: ask.model }),
  };
}
