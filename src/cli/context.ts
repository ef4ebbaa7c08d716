/**
 * What every command is given: its channels, the environment, and how to end. Built once from the global flags; commands
 * get it as a parameter and never reach for the process themselves.
 */
import { readFileSync } from 'node:fs';
import { asReinsError, CONSULTATION_MARK, ReinsError } from '../contract/index.js';
import { BROKEN_PIPE_EXIT, Channels, type Format } from './channels.js';

export interface GlobalFlags {
  format?: string;
  quiet?: boolean;
  json?: boolean;
}

export interface Context {
  env: NodeJS.ProcessEnv;
  cwd: string;
  channels: Channels;
  version: string;
  /** Runs when stdout's reader went away, before we end with 141. */
  onBrokenPipe(call: () => Promise<void>): void;
}

/** The work's result could not be put where it was wanted. */
const UNWRITABLE_EXIT = 1;

export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export function formatOf(flags: GlobalFlags, env: NodeJS.ProcessEnv): Format {
  const asked = flags.json ? 'json' : (flags.format ?? 'auto');
  if (asked === 'auto') return wantsColour(env) ? 'text-pretty' : 'text';
  if (asked === 'text' || asked === 'text-pretty' || asked === 'json') return asked;
  throw new ReinsError('USAGE', {
    problem: `--format ${asked} is not known`,
    fix: 'use auto, text, text-pretty or json',
  });
}

/** `terminal`: whether there is one where it would be shown. */
export function wantsColour(env: NodeJS.ProcessEnv, terminal = process.stdout.isTTY === true): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  if (env.NO_COLOR || env.FORCE_COLOR === '0' || env.TERM === 'dumb' || isOn(env.CI)) return false;
  return terminal;
}

const isOn = (value: string | undefined): boolean => value !== undefined && !/^(|0|false)$/i.test(value);

export function createContext(flags: GlobalFlags): Context {
  let onBroken: () => Promise<void> = async () => undefined;
  const channels = new Channels({
    format: formatOf(flags, process.env),
    quiet: flags.quiet === true,
    onBrokenPipe: (reason) => {
      // A reader that left had enough. A full disk is a failure, and nobody would look for it.
      if (reason !== undefined) channels.complain(`error: stdout cannot be written: ${reason}`);
      void onBroken().finally(() => process.exit(reason === undefined ? BROKEN_PIPE_EXIT : UNWRITABLE_EXIT));
    },
  });
  return {
    env: process.env,
    cwd: safeCwd(),
    channels,
    version: version(),
    onBrokenPipe(call) {
      onBroken = call;
    },
  };
}

/** By the mark alone, before anything is loaded; who took it off is found where a session would be started. */
export function notConsulted(env: NodeJS.ProcessEnv): void {
  if (env[CONSULTATION_MARK] !== undefined) throw new ReinsError('CONSULTED');
}

/** The directory may have been removed under us; that is an error of whoever needs it, not of `--help`. */
function safeCwd(): string {
  try {
    return process.cwd();
  } catch {
    // A shell may know where it was; one that was started without knowing leaves it empty.
    const { PWD } = process.env;
    return PWD?.startsWith('/') ? PWD : '/nonexistent';
  }
}

/** Says what went wrong and what to do, and ends with the documented code. */
export async function fail(channels: Channels, thrown: unknown): Promise<never> {
  const error = asReinsError(thrown);
  if (channels.format === 'json') {
    channels.failure({ code: error.code, message: error.message, hint: error.hint });
  } else {
    const mark = channels.pretty ? '\x1b[31merror\x1b[0m' : 'error';
    // Several mistakes of a file stand below each other.
    channels.complain(`${mark}: ${error.message.replace(/\n(?! )/g, `\n${' '.repeat('error: '.length)}`)}`);
    if (error.hint) channels.complain(`  ${error.hint}`);
    if (error.code === 'BUG' && error.cause instanceof Error) channels.complain(String(error.cause.stack));
  }
  await channels.flush();
  process.exit(error.exit);
}
