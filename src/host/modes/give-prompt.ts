/**
 * An iteration's prompt, and the file that holds it: what it was given is on record before it begins. What does not fit
 * is also put where the agent may read it.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ReinsError } from '../../contract/index.js';
import {
  buildPrompt,
  type Effect,
  layOutPrompt,
  type PromptParts,
  promptDetails,
  promptFile,
} from '../../loop/index.js';
import { writePrompt } from '../launch.js';
import type { HandOver } from './hand-over.js';

/** Or what the disk had against it. */
export function givePrompt(
  { dir, handOver }: { dir: string; handOver: HandOver },
  effect: Extract<Effect, { do: 'start' }>,
): { prompt: string; promptFile: string } | ReinsError {
  const name = promptFile(effect.iteration, effect.attempt);
  try {
    const prompt = buildPrompt({ ...effect.prompt, ...detailsOf({ dir, handOver, name }, effect.prompt) });
    return { prompt, promptFile: writePrompt(dir, name, prompt) };
  } catch (error) {
    return new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
}

function detailsOf(
  { dir, handOver, name }: { dir: string; handOver: HandOver; name: string },
  parts: PromptParts,
): { detailsFile?: string } {
  if (!layOutPrompt(parts).cut) {
    handOver.remove();
    return {};
  }
  const details = promptDetails({ ...parts, failedGates: parts.failedGates.map((gate) => wholeOutput(dir, gate)) });
  const kept = writePrompt(dir, name.replace('.md', '-details.md'), details);
  return { detailsFile: handOver.write(details) ?? kept };
}

function wholeOutput(dir: string, gate: PromptParts['failedGates'][number]): typeof gate {
  if (gate.outputFile === undefined) return gate;
  try {
    return { ...gate, tail: readFileSync(join(dir, 'prompts', basename(gate.outputFile)), 'utf8') };
  } catch {
    return gate; // its end is in the journal
  }
}
