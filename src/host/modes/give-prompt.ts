/** An iteration's prompt, and the file that holds it: what it was given is on record before it begins. */
import { ReinsError } from '../../contract/index.js';
import { buildPrompt, type Effect, promptDetails, promptFile } from '../../loop/index.js';
import { writePrompt } from '../launch.js';

/** Or what the disk had against it. */
export function givePrompt(
  dir: string,
  effect: Extract<Effect, { do: 'start' }>,
): { prompt: string; promptFile: string } | ReinsError {
  const name = promptFile(effect.iteration, effect.attempt);
  const details = promptDetails(effect.prompt);
  try {
    const parts = details
      ? { ...effect.prompt, detailsFile: writePrompt(dir, name.replace('.md', '-details.md'), details) }
      : effect.prompt;
    const prompt = buildPrompt(parts);
    return { prompt, promptFile: writePrompt(dir, name, prompt) };
  } catch (error) {
    return new ReinsError('STATE_DIR', { dir, reason: (error as Error).message }, { cause: error });
  }
}
