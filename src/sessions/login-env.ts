/**
 * The environment of an agent that was not started from the user's shell (a hub, an MCP server): that of the user's login
 * shell, captured once (decision 033). What the asking process itself carries, its keys among it, is never handed on; only
 * the few names below are. Values are never logged.
 */
import { randomUUID } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename } from 'node:path';
import { type Env, type Log, SESSION_MARK, silentLog } from '../contract/index.js';
import { shellPrints } from './login-shell.js';
import type { Where } from './where.js';

/** Who the user is and where things are: a login shell is given these, and they hold no secrets. */
const GIVEN =
  /^(HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|WAYLAND_DISPLAY|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/;

/** Where sessions and settings are: the asking process and what it starts have to agree. */
const PLACES = ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];

/** Of the capturing shell itself, or of a session somebody else is in. */
const NOT_HANDED_ON =
  /^(_|SHLVL|PWD|OLDPWD|TERM|COLUMNS|LINES|PS\d|REINS_SESSION|REINS_CONSULTATION\w*|REINS_NOTIFICATION\w*|REINS_HOOK\w*|REINS_LOGIN_\w+)$/;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Each try. Shells that start a version manager or two take seconds on a busy machine. */
const LIMIT_MS = 10_000;

export interface LoginOptions {
  log?: Log;
  /** Instead of the one in the user database. */
  shell?: string;
  limitMs?: number;
}

/** Contract: never rejects, always within bounds; without a shell that works, a small environment that names no secret. */
export async function loginEnv(own: Env, options: LoginOptions = {}): Promise<Env> {
  const { log = silentLog, limitMs = LIMIT_MS } = options;
  const given = givenOf(own);
  const shell = options.shell ?? shellOf(own);
  for (const args of waysOf(shell)) {
    const began = Date.now();
    const mark = `reins-${randomUUID()}`;
    const printed = await shellPrints({ shell, args, mark, env: { ...given, TERM: 'dumb', SHELL: shell }, limitMs });
    const facts = { shell, args: args.join(' '), ms: Date.now() - began };
    if ('reason' in printed) {
      log.log('warn', 'the login shell did not say its environment', { ...facts, reason: printed.reason });
      continue;
    }
    const env = { ...handedOn(printed.records), ...placesOf(own) };
    log.log('info', 'environment of the login shell', { ...facts, names: Object.keys(env).sort().join(' ') });
    return env;
  }
  log.log('warn', 'agents get a small environment', { names: Object.keys(given).sort().join(' ') });
  return { ...given, SHELL: shell };
}

/** Where the user stands, for who was not started from their shell: the same place with the login shell's environment. */
export async function loginWhere(where: Where, options: LoginOptions = {}): Promise<Where> {
  const inside = where.inside ?? where.env[SESSION_MARK];
  return { ...where, env: await once(where.env, options), ...(inside ? { inside } : {}) };
}

let captured: Promise<Env> | undefined;

function once(own: Env, options: LoginOptions): Promise<Env> {
  captured ??= loginEnv(own, options);
  return captured;
}

function givenOf(own: Env): Env {
  const kept = Object.entries(own).filter(([name, value]) => GIVEN.test(name) && value !== undefined);
  return { HOME: homedir(), PATH: own.PATH ?? USUAL_PATH, ...Object.fromEntries(kept) };
}

function placesOf(own: Env): Env {
  return Object.fromEntries(PLACES.flatMap((name) => (own[name] ? [[name, own[name]]] : [])));
}

function shellOf(own: Env): string {
  try {
    const { shell } = userInfo();
    if (shell) return shell;
  } catch {
    // A user the system does not know, as in some containers.
  }
  return own.SHELL ?? '/bin/sh';
}

/** Most people set PATH in the file of interactive shells; one that fails there may still be a login shell. */
function waysOf(shell: string): string[][] {
  const name = basename(shell);
  if (/^(nologin|false|true|)$/.test(name)) return [];
  if (/^(t?csh)$/.test(name)) return [['-i', '-c'], ['-c']];
  return [
    ['-l', '-i', '-c'],
    ['-l', '-c'],
  ];
}

function handedOn(records: string[]): Env {
  const env: Env = {};
  for (const record of records) {
    const cut = record.indexOf('=');
    const name = record.slice(0, cut);
    if (cut > 0 && NAME.test(name) && !NOT_HANDED_ON.test(name)) env[name] = record.slice(cut + 1);
  }
  return env;
}
