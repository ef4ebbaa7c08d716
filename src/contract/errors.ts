/**
 * Every error a user can meet: one class, one table. A code is stable for ever and named for the situation. `{name}` in
 * a text is filled from the error's data, quoted and bounded. `docs/errors.md` is generated from this table.
 */
import { HUB_CODES } from './hub-errors.js';

export interface CodeInfo {
  /** What happened, to what. */
  say: string;
  /** What to do about it. */
  hint: string;
  /** The exit code of section 2 of the contract. */
  exit: number;
  http: number;
}

export const CODES = {
  USAGE: { say: '{problem}', hint: '{fix}', exit: 2, http: 400 },
  PROMPT_CONFLICT: {
    say: 'two prompts were given: {first} and {second}',
    hint: 'keep one of them',
    exit: 2,
    http: 400,
  },
  PROMPT_MISSING: {
    say: 'there is nothing to do: no prompt was given',
    hint: 'pass words, -p TEXT, -P FILE, or write a PROMPT.md here',
    exit: 2,
    http: 400,
  },
  PROMPT_UNREADABLE: {
    say: 'the prompt file {file} cannot be read: {reason}',
    hint: 'check the path',
    exit: 2,
    http: 400,
  },
  LOG_UNOPENABLE: {
    say: 'the log file {file} cannot be opened: {reason}',
    hint: 'choose another with --log-file, or --log-file=- for stderr',
    exit: 2,
    http: 500,
  },
  CONSULTED: {
    say: 'an agent that is consulted may not use Reins: it answers with its words alone',
    hint: 'run it from a terminal of your own',
    exit: 2,
    http: 403,
  },
  CONFIG_INVALID: { say: '{problem}', hint: 'see `reins config check`', exit: 10, http: 400 },
  CONFIG_UNREADABLE: {
    say: 'the config file {file} cannot be read: {reason}',
    hint: 'check the path',
    exit: 10,
    http: 400,
  },
  CUSTOM_NEEDS_COMMAND: {
    say: 'the custom backend requires a command',
    hint: 'set cli.command in reins.yml, or --set cli.command=NAME',
    exit: 10,
    http: 400,
  },
  BACKEND_UNKNOWN: {
    say: '{backend} is not a backend Reins knows',
    hint: 'known: {known}{nearest}',
    exit: 10,
    http: 400,
  },
  BACKEND_FLAG_UNKNOWN: {
    say: '{backend} is not a backend Reins knows',
    hint: 'known: {known}{nearest}',
    exit: 2,
    http: 400,
  },
  FOLDER_UNTRUSTED: {
    say: '{file} permits more than the defaults or names what to run, and this folder is not trusted yet{what}',
    hint: 'read the file, then {agree}',
    exit: 10,
    http: 403,
  },
  FOLDER_BUSY: {
    say: 'a loop works in this folder already: {others}',
    hint: 'give this one a folder of its own with --worktree (in git), or pass --share-folder if both are meant to change the same files',
    exit: 2,
    http: 409,
  },
  CONFIG_EDITED: {
    say: '{file} was changed since session {session} began, and as it is now it would permit more or hold less back{what}',
    hint: 'read it; if that is what you want, {agree}; to go on as before, put the file back',
    exit: 10,
    http: 403,
  },
  WORKTREE_REFUSED: { say: 'no worktree here: {reason}', hint: '{fix}', exit: 2, http: 409 },
  WORKTREE_BUSY: {
    say: 'session {session} works in the worktree {name}',
    hint: 'wait for it, or end it: reins stop {session}',
    exit: 2,
    http: 409,
  },
  WORKTREE_GONE: {
    say: 'the worktree {name}, which session {session} worked in, is gone: {dir}',
    hint: '{fix}',
    exit: 21,
    http: 410,
  },
  WORKTREE_LOSS: {
    say: 'the worktree {name} holds what is nowhere else: {what}',
    hint: 'merge it with `reins worktree merge {name}`, or lose that with `reins worktree rm --force {name}`',
    exit: 1,
    http: 409,
  },
  NO_SUCH_WORKTREE: { say: 'there is no worktree {name}', hint: 'see `reins worktree ls`', exit: 30, http: 404 },
  MERGE_REFUSED: {
    say: '{branch} was not merged, and nothing was changed: {reason}',
    hint: '{fix}',
    exit: 1,
    http: 409,
  },
  GIT_FAILED: { say: 'git could not {what}: {reason}', hint: 'see what `git status` says there', exit: 1, http: 500 },
  AGENT_NOT_FOUND: {
    say: '{agent} was requested but {command} is not on PATH',
    hint: 'install it: {install}',
    exit: 20,
    http: 424,
  },
  COMMAND_NOT_FOUND: {
    say: '{command} cannot be run: {reason}',
    hint: 'check its name, or give its path',
    exit: 20,
    http: 424,
  },
  AGENT_NONE_FOUND: { say: 'no coding agent was found; looked for {checked}', hint: '{install}', exit: 20, http: 424 },
  AGENT_UNGATED: {
    say: '{agent} cannot be started under trust guarded, because its tool calls could not be gated: {reason}',
    hint: 'pass --trust full to let it act unasked, or choose an agent that can be gated ({gated})',
    exit: 20,
    http: 409,
  },
  DENY_UNENFORCEABLE: {
    say: '{agent} cannot be gated{why}, so the deny rule {rule} ({source}) could not be kept',
    hint: 'choose an agent that can be gated, or remove the rule for this project',
    exit: 20,
    http: 409,
  },
  AGENT_UNSTARTABLE: { say: '{agent} could not be started: {reason}', hint: '{fix}', exit: 20, http: 500 },
  ADAPTER_INVALID: {
    say: 'the adapter {file} cannot be used: {reason}',
    hint: 'see docs/api.md, or try it with checkAdapter of reins/testing',
    exit: 20,
    http: 424,
  },
  AGENT_LOGIN: {
    say: '{agent} is not logged in, or not allowed to: {reason}',
    hint: '{login}; then continue',
    exit: 20,
    http: 424,
  },
  AGENT_SETTINGS: {
    say: '{agent} cannot work as it is set up: {reason}',
    hint: 'check its model, its settings and its arguments (`reins run --dry-run` shows them); then continue',
    exit: 10,
    http: 424,
  },
  CWD_INACCESSIBLE: {
    say: 'the working directory {dir} is inaccessible: {reason}',
    hint: 'go to a directory that exists and can be entered, or pass -C DIR',
    exit: 21,
    http: 409,
  },
  NO_SUCH_SESSION: { say: 'there is no session {session}', hint: 'see `reins ls --all`', exit: 30, http: 404 },
  NO_SESSION_RUNS: {
    say: 'no session is running',
    hint: 'see ended ones with `reins ls --all`, or start one with `reins run`',
    exit: 30,
    http: 404,
  },
  SESSION_AMBIGUOUS: {
    say: '{session} fits several sessions: {matches}',
    hint: 'give more of the id',
    exit: 30,
    http: 409,
  },
  SESSION_ENDED: { say: 'session {session} has ended', hint: 'see `reins logs {session}`', exit: 30, http: 410 },
  NO_SUCH_DECISION: {
    say: 'there is no decision {decision}',
    hint: 'see `reins decisions --all`',
    exit: 30,
    http: 404,
  },
  NO_SUCH_INQUIRY: { say: 'there is no inquiry {inquiry}', hint: 'see `reins inbox`', exit: 30, http: 404 },
  OUTSIDE_SESSION: {
    say: 'this is not inside a session: REINS_SESSION is not set',
    hint: 'run it from a command that an agent under Reins started',
    exit: 30,
    http: 400,
  },
  EMIT_FOREIGN: {
    say: 'this process does not belong to session {session}: it does not know the session’s word for `emit`',
    hint: 'run it from a command that the session’s agent started, with its environment (REINS_EMIT_VIA)',
    exit: 30,
    http: 403,
  },
  EMIT_BARRED: {
    say: 'session {session} runs, but cannot be reached from here: its socket says {socket}, its folder {dir} says {folder}',
    hint: 'this looks like a sandbox: write the event into your message, <event topic="{topic}">…</event>, or let the sandbox write to that folder',
    exit: 1,
    http: 502,
  },
  ANSWERED_ALREADY: {
    say: 'inquiry {inquiry} is no longer open: {how}',
    hint: 'see `reins inbox`',
    exit: 31,
    http: 409,
  },
  INQUIRY_CHANGED: {
    say: 'inquiry {inquiry} is not what was shown: nothing was answered',
    hint: 'look at it again, and answer that',
    exit: 31,
    http: 409,
  },
  MESSAGE_NOT_WAITING: {
    say: 'message {key} does not wait any more: {how}',
    hint: 'see what waits, and send another one',
    exit: 31,
    http: 409,
  },
  NOT_DRIVER: {
    say: 'another viewer is driving this session ({driver})',
    hint: 'take over with `reins attach --take`',
    exit: 31,
    http: 409,
  },
  RIGHT_MISSING: {
    say: '{what} takes the right {need}, and this connection has {may}{why}',
    hint: 'ask whoever lets you in for more, or use a terminal of your own',
    exit: 1,
    http: 403,
  },
  ANSWER_INVALID: { say: 'that answer does not fit inquiry {inquiry}: {reason}', hint: '{fix}', exit: 2, http: 422 },
  SEND_REFUSED: { say: 'the message was not submitted: {reason}', hint: '{fix}', exit: 1, http: 409 },
  NO_TERMINAL: {
    say: 'session {session} has no terminal: {reason}',
    hint: 'see `reins logs {session}`',
    exit: 1,
    http: 409,
  },
  NO_RECORDING: {
    say: 'session {session} has no recording',
    hint: 'it has no terminal, `recording.max_mb` is 0, or it was over before anything was written; see `reins logs {session}`',
    exit: 1,
    http: 409,
  },
  STATE_DIR: {
    say: 'the state directory {dir} cannot be used: {reason}',
    hint: 'set XDG_STATE_HOME to a directory you can write',
    exit: 1,
    http: 500,
  },
  UNREADABLE: {
    say: '{file} cannot be read: {reason}',
    hint: 'make it readable again, or move it away',
    exit: 1,
    http: 500,
  },
  HOST_SILENT: {
    say: 'the host of session {session} does not answer: it is stopped or stuck',
    hint: 'end it with `reins kill {session}`',
    exit: 70,
    http: 504,
  },
  NOT_YOURS: {
    say: 'session {session} belongs to another user ({owner}): you cannot end it',
    hint: 'ask them, or use their account',
    exit: 1,
    http: 403,
  },
  HOST_LOST: {
    say: 'the host of session {session} went away: {reason}',
    hint: 'see `reins logs {session}`{next}',
    exit: 70,
    http: 502,
  },
  PROTOCOL: {
    say: 'the other side speaks protocol {theirs}, this is {ours}',
    hint: 'stop the session with the Reins version that started it',
    exit: 70,
    http: 426,
  },
  ...HUB_CODES,
  BUG: {
    say: 'Reins failed: {reason}',
    hint: 'this is our bug; please report it with the log file',
    exit: 70,
    http: 500,
  },
} as const satisfies Record<string, CodeInfo>;

export type ErrorCode = keyof typeof CODES;
export type ErrorData = Record<string, string | number | undefined>;

const LONGEST_VALUE = 2000;

/** A word of a command line that is printed to be typed: quoted where a shell would read it as something else. */
export function shellWord(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./~-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function fill(template: string, data: ErrorData): string {
  return template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const text = String(data[key] ?? '');
    return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
  });
}

export class ReinsError extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;

  constructor(code: ErrorCode, data: ErrorData = {}, options?: ErrorOptions) {
    super(fill(CODES[code].say, data), options);
    this.name = 'ReinsError';
    this.code = code;
    this.data = data;
  }

  get hint(): string {
    return fill(CODES[this.code].hint, this.data);
  }

  get exit(): number {
    return CODES[this.code].exit;
  }
}

/** Whatever was thrown, as an error with a code: unknown exceptions are our bug and keep their cause. */
export function asReinsError(thrown: unknown): ReinsError {
  if (thrown instanceof ReinsError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new ReinsError('BUG', { reason }, { cause: thrown });
}
