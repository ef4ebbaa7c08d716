/**
 * What the agent is asked to do: from the flags, the words, a file or the config, in that order; two explicit ones are
 * a mistake. Piped stdin is content, never answers: context behind the prompt, or the prompt itself.
 */
import { fstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Config } from '../config/index.js';
import { ReinsError, unreadableBecause } from '../contract/index.js';
import type { GivenPrompt, RunSettings } from '../sessions/run.js';
import type { Context } from './context.js';

interface PromptSources {
  flag?: string;
  words: string[];
  file?: string;
  config: Config;
  cwd: string;
  /** Where `event_loop.prompt_file` counts from. */
  base: string;
  notice(text: string): void;
}

/** What was typed; a file's name counts from `cwd`. */
export function promptSources(
  context: Context,
  words: string[],
  flags: { prompt?: string; promptFile?: string },
): Omit<PromptSources, keyof ReturnType<typeof promptPlaces>> {
  return {
    words,
    notice: (text) => context.channels.chrome(`! ${text}`),
    ...(flags.prompt === undefined ? {} : { flag: flags.prompt }),
    ...(flags.promptFile === undefined ? {} : { file: flags.promptFile }),
  };
}

/** Where prompts that nobody typed are looked for. */
export const promptPlaces = ({ loaded, cwd, base }: RunSettings) => ({ config: loaded.config, cwd, base });

/** A program that starts us may leave a pipe open by accident; a prompt it gave must not wait for that for ever. */
const SILENCE_MS = 3000;

export async function findPrompt(sources: PromptSources): Promise<GivenPrompt | undefined> {
  const own = explicit(sources);
  const given = own ?? configured(sources);
  const piped = await pipedText({ silenceMs: given === undefined ? undefined : SILENCE_MS, notice: sources.notice });
  return joined({ given, piped, fromFiles: own === undefined });
}

/** A session that goes on has a prompt: another one is what is said now, or what its files say now if it came from them. */
export async function findNewPrompt(sources: PromptSources, fromFiles: boolean): Promise<GivenPrompt | undefined> {
  const own = explicit(sources);
  const piped = await pipedText({ silenceMs: SILENCE_MS, notice: sources.notice });
  const given = own ?? (fromFiles && piped === undefined ? configured(sources) : undefined);
  return joined({ given, piped, fromFiles: own === undefined });
}

function joined(found: { given: string | undefined; piped: string | undefined; fromFiles: boolean }) {
  const { given, piped } = found;
  if (piped !== undefined) {
    const text = given === undefined || given.trim() === '' ? piped : `${given}\n\n${piped}`;
    return { text, fromFiles: false };
  }
  return given === undefined ? undefined : { text: given, fromFiles: found.fromFiles };
}

function explicit(sources: PromptSources): string | undefined {
  const named: [string, () => string][] = [];
  if (sources.flag !== undefined) named.push(['-p', () => sources.flag!]);
  if (sources.words.length > 0)
    named.push([`"${sources.words.join(' ').slice(0, 60)}"`, () => sources.words.join(' ')]);
  if (sources.file !== undefined)
    named.push([`-P ${sources.file}`, () => read(resolve(sources.cwd, sources.file!), sources.file!)]);
  if (named.length > 1) throw new ReinsError('PROMPT_CONFLICT', { first: named[0]![0], second: named[1]![0] });
  return named[0]?.[1]();
}

function configured({ config, base, cwd }: PromptSources): string | undefined {
  const { prompt, prompt_file: file } = config.event_loop;
  if (prompt !== undefined) return prompt;
  if (file !== undefined) return read(resolve(base, file), file);
  const usual = resolve(cwd, 'PROMPT.md');
  if (!isThere(usual)) return undefined;
  // Nobody named it: a clone must not send another file of this machine to a model by a link.
  const real = realpathSync(usual);
  if (!real.startsWith(`${realpathSync(cwd)}${sep}`)) {
    const reason = `it is a link to ${real}, outside this folder: if you mean that file, say so with -P PROMPT.md`;
    throw new ReinsError('PROMPT_UNREADABLE', { file: 'PROMPT.md', reason });
  }
  return read(usual, 'PROMPT.md');
}

/** A link that leads nowhere is there no more than no file. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new ReinsError(
      'PROMPT_UNREADABLE',
      { file: 'PROMPT.md', reason: unreadableBecause(error) },
      { cause: error },
    );
  }
}

function read(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ReinsError('PROMPT_UNREADABLE', { file: name, reason: unreadableBecause(error) }, { cause: error });
  }
}

/** stdin's content if something is piped or redirected into it; a terminal, /dev/null or a closed stdin has none. */
async function pipedText(how: {
  silenceMs: number | undefined;
  notice(text: string): void;
}): Promise<string | undefined> {
  try {
    const stat = fstatSync(0);
    if (!stat.isFIFO() && !stat.isFile() && !stat.isSocket()) return undefined;
  } catch {
    return undefined; // closed: no content
  }
  const text = await new Promise<string>((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks).toString('utf8'));
    const giveUp = () => {
      how.notice(`Nothing came through stdin for ${SILENCE_MS / 1000} s; going on without it.`);
      process.stdin.pause();
      done();
    };
    const silence = how.silenceMs === undefined ? undefined : setTimeout(giveUp, how.silenceMs);
    process.stdin.on('data', (chunk: Buffer) => {
      clearTimeout(silence);
      chunks.push(chunk);
    });
    for (const event of ['end', 'error']) {
      process.stdin.once(event, () => {
        clearTimeout(silence);
        done();
      });
    }
  });
  return text.trim() === '' ? undefined : text;
}
