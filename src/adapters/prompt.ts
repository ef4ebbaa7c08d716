/**
 * How a prompt can travel: as an argument, through stdin, or submitted once the agent's input box is there. Decides
 * only; the adapter knows which of these its agent has. A prompt must never be read as a flag or a subcommand.
 */
import type { LaunchAsk } from './adapter.js';

/** Linux takes at most 131,071 bytes per argument (E2BIG beyond); some room is left for a flag in the same argument. */
export const LARGEST_ARGUMENT = 120_000;

/** Whether the text survives as one positional argument of any program. */
export function fitsArgument(text: string): boolean {
  return !text.startsWith('-') && fitsValue(text);
}

/** The same for the value of `--flag=value`, where a leading dash is no danger. */
export function fitsValue(text: string): boolean {
  return !text.includes('\0') && Buffer.byteLength(text) <= LARGEST_ARGUMENT;
}

/**
 * Whether the text may be the positional prompt of a terminal program: some read `!…` as a shell command, and a lone
 * word may be one of the program's own subcommands (`claude update`).
 */
export function fitsTui(text: string, subcommands: readonly string[]): boolean {
  return fitsArgument(text) && !text.trimStart().startsWith('!') && !subcommands.includes(text.trim());
}

/** For agents that read neither stdin nor a file by flag: one sentence that leads to the private copy of the prompt. */
export function pointerTo(ask: Pick<LaunchAsk, 'promptFile'>): string {
  return `Read the file ${ask.promptFile} completely: it is your prompt, too long for a command line. Do what it says.`;
}
