/**
 * The log behind the contract's `Log` port: one line per fact, as NDJSON (pino's shape, so `pino-pretty` reads it) or as
 * text, to a file or to standard error. Facts and ids only; what looks like a secret is blanked all the same.
 *   {"level":"info","time":"2026-01-13T09:00:00.000Z","room":"host","session":"k7f2m9qd","msg":"started","pid":17}
 */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Log, LogLevel } from '../contract/index.js';
import { LogFile } from './log-file.js';
import { type Redact, redactor } from './redact.js';

const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'trace'];

/** Characters; a longer line loses its facts, never its message. */
const LONGEST_LINE = 8192;

export interface LogOptions {
  /** A path, or `-` for standard error. */
  file: string;
  /** The finest level that is written. */
  level: LogLevel;
  format: 'text' | 'json';
  session?: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  writeStderr: (text: string) => void;
  /** Values that must never be seen, such as `secretsFrom(env)`. */
  secrets?: readonly string[];
  /** Bytes at which the file is rotated; for tests. */
  largest?: number;
}

/** A log that has a file: `close` may be called twice, and what is logged afterwards is dropped. */
export interface OpenLog extends Log {
  close(): void;
}

/** Throws LOG_UNOPENABLE; afterwards nothing a caller logs can throw. */
export function createLog(options: LogOptions): OpenLog {
  const redact = redactor(options.secrets ?? []);
  const onTrouble = (reason: string): void =>
    options.writeStderr(`reins: the log file ${options.file} cannot be written any more: ${reason}\n`);
  const file =
    options.file === '-'
      ? undefined
      : new LogFile({ file: options.file, onTrouble, ...(options.largest && { largest: options.largest }) });
  const format = options.format === 'json' ? jsonLine : textLine;
  const finest = LEVELS.indexOf(options.level);

  const forRoom = (room: string | undefined): Log => ({
    log(level, msg, facts = {}) {
      if (LEVELS.indexOf(level) > finest) return;
      const line = format(lineOf({ level, msg, facts, room, session: options.session, now: options.now(), redact }));
      if (file) file.write(line);
      else options.writeStderr(line);
    },
    room: forRoom,
  });
  return { ...forRoom(undefined), close: () => file?.close() };
}

interface LogLine {
  level: LogLevel;
  time: string;
  room?: string;
  session?: string;
  msg: string;
  facts: Record<string, unknown>;
}

const OWN_KEYS = new Set(['level', 'time', 'room', 'msg']);

function lineOf(of: {
  level: LogLevel;
  msg: string;
  facts: Record<string, unknown>;
  room: string | undefined;
  session: string | undefined;
  now: number;
  redact: Redact;
}): LogLine {
  const copy = of.redact(of.facts);
  const facts = typeof copy === 'object' && copy !== null ? (copy as Record<string, unknown>) : { facts: copy };
  // A fact must not pass for the line's own words; the session may be told by a fact where the log has none.
  const free = Object.entries(facts).filter(([key]) => !OWN_KEYS.has(key) && !(key === 'session' && of.session));
  return {
    level: of.level,
    time: new Date(of.now).toISOString(),
    ...(of.room !== undefined && { room: of.room }),
    ...(of.session !== undefined && { session: of.session }),
    msg: String(of.redact(String(of.msg))),
    facts: Object.fromEntries(free),
  };
}

function jsonLine({ facts, ...own }: LogLine): string {
  const line = JSON.stringify({ ...own, ...facts });
  return `${line.length > LONGEST_LINE ? JSON.stringify({ ...own, truncated: true }) : line}\n`;
}

function textLine(line: LogLine): string {
  const facts = Object.entries(line.facts).map(([key, value]) => `${oneLine(key)}=${oneLine(shown(value))}`);
  const own = [line.time, line.level.toUpperCase().padEnd(5), line.room ?? '-', line.session ?? '-', oneLine(line.msg)];
  const whole = [...own, ...facts].join(' ');
  return `${whole.length > LONGEST_LINE ? `${whole.slice(0, LONGEST_LINE)}…` : whole}\n`;
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? 'undefined');
}

/** A newline would forge a line of its own, an escape would reach the terminal of whoever reads the log. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** `-v` counted: warnings always, then ever more. */
export function levelFor(verbosity: number): LogLevel {
  if (verbosity <= 0) return 'warn';
  if (verbosity <= 2) return 'info';
  return verbosity === 3 ? 'debug' : 'trace';
}

/** `$XDG_STATE_HOME/reins/logs/NAME.log`. */
export function defaultLogFile(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const absolute = (path: string | undefined): string | undefined => (path && isAbsolute(path) ? path : undefined);
  const state = absolute(env.XDG_STATE_HOME) ?? join(absolute(env.HOME) ?? homedir(), '.local/state');
  const safe = name.replace(/[^\w.-]/g, '-').replace(/^\.+/, '-');
  return join(state, 'reins', 'logs', `${safe || 'reins'}.log`);
}
