/**
 * Why an agent's turn failed, where its own records say so: its login, its settings, or an outage of the model or the
 * network. Whatever is not known here is a failure like any other. Only the agent's records of errors, its exit code and
 * (where it left no record and said nothing) the end of its standard error are looked at; never what its model wrote.
 * Checked against claude 2.1.197 and 2.1.325, codex 0.166, gemini 0.61; amp and kiro by their sources and documents.
 */
import type { AgentFailure } from '../contract/index.js';

export type Failure = 'login' | 'setup' | 'outage';

/** What is known of one agent, as data. */
export interface FailureSigns {
  /** What to do about its login. */
  login: string;
  /** Names of errors in its records; null: none of ours, whatever the words beside it say. */
  codes?: Record<string, Failure | null>;
  exits?: Record<number, Failure>;
  /** In the texts of its own errors. */
  words?: [RegExp, Failure][];
  /** Where its error texts have the status of an HTTP answer. */
  status?: RegExp;
  /** The same on its standard error; the last one counts, and more than a status in its record. */
  stderrStatus?: RegExp;
}

export interface FailureEvidence {
  /** Of its last record, if that was of a failure. */
  record?: AgentFailure | undefined;
  /** It left a record of how its turn ended. */
  ended: boolean;
  exit: number | null;
  stderr: string;
  /** It said or did something: then its standard error may be about that. */
  spoke: boolean;
}

const NETWORK =
  /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)\b|\b(?:connection (?:refused|reset|timed out|error)|could not resolve host|name or service not known|temporary failure in name resolution|network is unreachable|no route to host|fetch failed|socket hang up)\b/i;

/** On the standard error of a program that said nothing else. */
const STDERR: [RegExp, Failure][] = [
  [NETWORK, 'outage'],
  [/\boverloaded_error\b|\b(?:service unavailable|bad gateway|gateway time-?out|internal server error)\b/i, 'outage'],
  [
    /\b(?:not logged in|please log ?in|invalid api key|authentication (?:failed|required))\b|\b401 unauthorized\b/i,
    'login',
  ],
];

/** How much of the end of a standard error counts: an error is said last. */
const LAST_LINES = 3;

export function failureOf(signs: FailureSigns | undefined, evidence: FailureEvidence): Failure | undefined {
  const { record, ended, exit, stderr, spoke } = evidence;
  const byExit = exit === null ? undefined : signs?.exits?.[exit];
  if (record) return ofRecord(signs, record, stderr) ?? byExit;
  if (ended || exit === 0) return undefined;
  if (byExit || spoke) return byExit;
  const last = stderr.trim().split('\n').slice(-LAST_LINES).join('\n');
  return wordsIn(last, [...(signs?.words ?? []), ...STDERR]);
}

function ofRecord(signs: FailureSigns | undefined, record: AgentFailure, stderr: string): Failure | undefined {
  const { code, message = '' } = record;
  const named = code === undefined ? undefined : signs?.codes?.[code];
  if (named !== undefined) return named ?? undefined;
  const beside = signs?.stderrStatus && [...stderr.matchAll(signs.stderrStatus)].at(-1)?.[1];
  const said = signs?.status?.exec(message)?.[1];
  const status = beside ? Number(beside) : (record.status ?? (said === undefined ? undefined : Number(said)));
  const words = wordsIn(message, signs?.words ?? []);
  return words ?? (status === undefined ? undefined : ofStatus(status)) ?? wordsIn(message, [[NETWORK, 'outage']]);
}

const wordsIn = (text: string, words: [RegExp, Failure][]): Failure | undefined =>
  words.find(([pattern]) => pattern.test(text))?.[1];

function ofStatus(status: number): Failure | undefined {
  if (status === 401 || status === 403) return 'login';
  if (status === 402 || status === 404 || status === 407) return 'setup';
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status <= 599) ? 'outage' : undefined;
}

export const CLAUDE_FAILURES: FailureSigns = {
  login: 'run `claude` and say /login, or set ANTHROPIC_API_KEY',
  codes: {
    authentication_failed: 'login',
    oauth_org_not_allowed: 'login',
    model_not_found: 'setup',
    billing_error: 'setup',
    server_error: 'outage',
    overloaded: 'outage',
    rate_limit: 'outage',
    invalid_request: null,
    max_output_tokens: null,
  },
  words: [[/cannot be used with root|^error: unknown option|\binvalid (?:settings|MCP config)/im, 'setup']],
};

export const CODEX_FAILURES: FailureSigns = {
  login: 'run `codex login`, or set CODEX_API_KEY',
  codes: {
    unauthorized: 'login',
    serverOverloaded: 'outage',
    internalServerError: 'outage',
    httpConnectionFailed: 'outage',
    responseTooManyFailedAttempts: 'outage',
    responseStreamDisconnected: 'outage',
    responseStreamConnectionFailed: 'outage',
    contextWindowExceeded: null,
    sandboxError: null,
    cyberPolicy: null,
  },
  exits: { 2: 'setup' },
  status: /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/,
  words: [
    [/^Missing environment variable|\bnot logged in\b|\bsign in again\b|\brefresh token\b/i, 'login'],
    [/^We.re currently experiencing high demand|^stream disconnected before completion|^Connection failed\b/, 'outage'],
    [/^unexpected status 400\b.*\bmodel\b.{0,120}\b(?:not supported|does not exist|not found)\b/, 'setup'],
    [/^Error loading config|^Error: .*config\.toml|^Not inside a trusted directory/m, 'setup'],
  ],
};

export const GEMINI_FAILURES: FailureSigns = {
  login: 'set GEMINI_API_KEY, or run `gemini` and choose how to log in',
  // Of an answer's status only the last eight bits are left.
  exits: {
    41: 'login',
    42: 'setup',
    44: 'setup',
    52: 'setup',
    55: 'setup',
    145: 'login',
    147: 'login',
    244: 'outage',
    247: 'outage',
  },
  status: /^\[API Error: \{"error":\{[^{}]*"code":(\d{3})\b/,
  // Over ACP everything without a status of its own is called a 500; its standard error knows better.
  stderrStatus: /^\s+(?:cause: \{ )?(?:status|code): (\d{3})\b/gm,
  words: [[/^(?:\[API Error: )?terminated\b/, 'outage']],
};

export const AMP_FAILURES: FailureSigns = { login: 'run `amp login`, or set AMP_API_KEY' };

export const KIRO_FAILURES: FailureSigns = {
  login: 'run `kiro-cli login`',
  words: [[/\bdispatch failure\b/i, 'outage']],
};

/** The codes that sysexits.h gives a program for this: unavailable, try again; no permission, configuration. */
export const CUSTOM_FAILURES: FailureSigns = {
  login: 'see what the command says about it',
  exits: { 69: 'outage', 75: 'outage', 77: 'login', 78: 'setup' },
};
