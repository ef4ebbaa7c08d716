/** Failures told apart by what the real agents printed (recorded in the lab, cut to what counts), and what must not count. */
import { describe, expect, it } from 'vitest';
import type { AgentOutput, Decoder } from '../contract/index.js';
import { amp } from './amp.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { custom } from './custom.js';
import { claudeStream } from './decoders/claude-stream.js';
import { codexExec } from './decoders/codex-exec.js';
import { geminiStream } from './decoders/gemini-stream.js';
import { text } from './decoders/text.js';
import { type Failure, type FailureSigns, failureOf } from './failures.js';
import { gemini } from './gemini.js';
import { kiro } from './kiro.js';
import { acp } from './protocols/acp.js';
import { codexItems } from './protocols/codex-items.js';
import { codexNews } from './protocols/codex-news.js';

interface Printed {
  signs: FailureSigns | undefined;
  outputs: AgentOutput[];
  exit?: number;
  stderr?: string;
}

function told({ signs, outputs, exit = 1, stderr = '' }: Printed): Failure | undefined {
  const done = outputs.findLast((output) => output.kind === 'done');
  const spoke = outputs.some(({ kind }) => kind === 'text' || kind === 'tool');
  return failureOf(signs, { record: done?.failure, ended: done !== undefined, exit, stderr, spoke });
}

const read = (decoder: Decoder, rows: (object | string)[]): AgentOutput[] => {
  const lines = rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
  return [...decoder.feed(new TextEncoder().encode(lines)), ...decoder.end()];
};

const synthetic = (error: string, words: string) => ({
  type: 'assistant',
  message: { model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: words }] },
  parent_tool_use_id: null,
  error,
});
const result = (words: string, status: number | null = null) => ({
  ...{ type: 'result', subtype: 'success', is_error: true, api_error_status: status, result: words },
});
const says = (words: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text: words }] } });

describe('claude', () => {
  const of = (...rows: object[]) => told({ signs: claude.failures, outputs: read(claudeStream(), rows) });

  it.each<[string, string, number | null, Failure | undefined]>([
    ['authentication_failed', 'Failed to authenticate. API Error: 401 The lab answers 401', 401, 'login'],
    ['authentication_failed', 'Failed to authenticate. API Error: 403 The lab answers 403', 403, 'login'],
    ['authentication_failed', 'Not logged in · Please run /login', null, 'login'],
    ['model_not_found', "There's an issue with the selected model (claude-opus-5-5).", 404, 'setup'],
    ['billing_error', 'Credit balance is too low', 400, 'setup'],
    ['rate_limit', 'API Error: Request rejected (429) · The lab answers 429', 429, 'outage'],
    ['server_error', 'API Error: 500 The lab answers 500.', 500, 'outage'],
    ['server_error', 'API Error: 529 The lab answers 529.', 529, 'outage'],
    ['server_error', 'API Error: Connection refused — a firewall may be blocking it (ECONNREFUSED)', null, 'outage'],
    ['server_error', 'API Error: Unable to connect to API (ConnectionRefused)', null, 'outage'],
    ['invalid_request', 'API Error: 400 prompt is too long', 400, undefined],
  ])('%s: %s', (code, words, status, failure) => {
    expect(of(synthetic(code, words), result(words, status))).toBe(failure);
  });

  it('what the model wrote decides nothing: neither as its words nor as the result’s', () => {
    const words = 'API Error: 529 overloaded_error, ECONNREFUSED, Not logged in · Please run /login';
    expect(of(says(words), result(words))).toBeUndefined();
    expect(of(says(words), { ...result(words), subtype: 'error_during_execution' })).toBeUndefined();
    expect(of(says(words))).toBeUndefined();
    const tool = { type: 'tool_result', tool_use_id: 't', is_error: true, content: words };
    expect(of({ type: 'user', message: { content: [tool] } }, result('it broke'))).toBeUndefined();
  });

  it('an error that it got over, or one of a helper, is not what it failed with', () => {
    const overloaded = synthetic('server_error', 'API Error: 529');
    expect(of(overloaded, says('there it is'), result('error_max_turns'))).toBeUndefined();
    expect(of({ ...overloaded, parent_tool_use_id: 'toolu_1' }, result('it broke'))).toBeUndefined();
  });

  it('refused by its own arguments, before any record', () => {
    const stderr = '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n';
    expect(told({ signs: claude.failures, outputs: [], stderr })).toBe('setup');
  });
});

const CODEX: [string, unknown, Failure | undefined][] = [
  ['unexpected status 401 Unauthorized: x, url: http://h/v1/responses', 401, 'login'],
  ['Missing environment variable: `LAB_API_KEY`.', 'other', 'login'],
  ['unexpected status 404 Not Found: x, url: http://h/v1/responses', 404, 'setup'],
  ["unexpected status 400 Bad Request: The 'x' model is not supported when using Codex", 400, 'setup'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 429, 'outage'],
  ['We’re currently experiencing high demand, which may cause temporary errors.', 'internalServerError', 'outage'],
  ['unexpected status 503 Service Unavailable: x, url: http://h/v1/responses', 503, 'outage'],
  ['unexpected status 529 <unknown status code>: x, url: http://h/v1/responses', 529, 'outage'],
  ['stream disconnected before completion: Transport error: network error', 'other', 'outage'],
  ['unexpected status 400 Bad Request: prompt too long, the 503 of yesterday', 400, undefined],
  ['Codex ran out of room in the model’s context window.', 'contextWindowExceeded', undefined],
];

describe('codex', () => {
  it.each(CODEX)('exec: %s', (message, _info, failure) => {
    const outputs = read(codexExec(), [{ type: 'turn.started' }, { type: 'turn.failed', error: { message } }]);
    expect(told({ signs: codex.failures, outputs })).toBe(failure);
  });

  it.each(CODEX)('app-server: %s', (message, info, failure) => {
    const codexErrorInfo = typeof info === 'number' ? { httpConnectionFailed: { httpStatusCode: info } } : info;
    const turn = { status: 'failed', items: [], error: { message, codexErrorInfo } };
    const outputs = codexNews(codexItems(), () => 0).read('turn/completed', { turn }, {});
    expect(told({ signs: codex.failures, outputs })).toBe(failure);
  });

  it('says what is wrong with its settings on the side, and with its arguments by its exit', () => {
    const stderr = 'Error loading config.toml: unknown variant `x`\n';
    expect(told({ signs: codex.failures, outputs: [], stderr })).toBe('setup');
    expect(told({ signs: codex.failures, outputs: [], exit: 2 })).toBe('setup');
  });

  it('the model’s words and a tool’s output decide nothing', () => {
    const words = 'unexpected status 503 Service Unavailable';
    const item = { id: 'i', type: 'agent_message', text: words };
    const rows = [{ type: 'item.completed', item }];
    expect(told({ signs: codex.failures, outputs: read(codexExec(), rows), stderr: words })).toBeUndefined();
  });
});

describe('gemini', () => {
  const status = (code: number) => `    at async main (file:///x.js:1:1) {\n  status: ${code}\n}\n`;
  const API: [string, string, number, Failure | undefined][] = [
    [
      '[API Error: {"error":{"code":401,"message":"no","status":"UNAUTHENTICATED","details":[]}}]',
      status(401),
      145,
      'login',
    ],
    ['[API Error: {"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]', '', 147, 'login'],
    ['[API Error: The lab answers 404]', '    at x (y.js:1:1) {\n  code: 404\n}\n', 1, 'setup'],
    ['[API Error: The lab answers 429]\nPlease wait and try again later.', status(429), 173, 'outage'],
    ['[API Error: {"error":{"code":500,"message":"no","status":"INTERNAL"}}]', status(500), 244, 'outage'],
    ['[API Error: The lab answers 503]', '', 247, 'outage'],
    ['[API Error: terminated]', "  code: 'UND_ERR_SOCKET',\n", 1, 'outage'],
    ['[API Error: exception TypeError: fetch failed sending request]', '', 1, 'outage'],
    ['[API Error: The request is too large]', status(400), 144, undefined],
  ];
  it.each(API)('stream: %s', (message, stderr, exit, failure) => {
    const outputs = read(geminiStream(), [{ type: 'result', status: 'error', error: { type: 'unknown', message } }]);
    expect(told({ signs: gemini.failures, outputs, exit, stderr })).toBe(failure);
  });

  it('not logged in, or in a folder it does not trust: by its exit, before any record', () => {
    const stderr = 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\n';
    expect(told({ signs: gemini.failures, outputs: [], exit: 41, stderr })).toBe('login');
    expect(told({ signs: gemini.failures, outputs: [], exit: 55 })).toBe('setup');
  });

  it.each<[string, object, string, Failure | undefined]>([
    ['not logged in', { code: -32000, message: 'Gemini API key is missing or not configured.' }, '', 'login'],
    ['refused', { code: 401, message: 'no' }, '', 'login'],
    ['no such model, which it calls a 500', { code: 500, message: 'The lab answers 404' }, '  code: 404\n', 'setup'],
    ['overloaded', { code: 503, message: 'The lab answers 529' }, '  status: 503\n', 'outage'],
    ['an error of its own', { code: -32603, message: 'Internal error' }, '', undefined],
  ])('ACP: %s', (_what, error, stderr, failure) => {
    expect(told({ signs: gemini.failures, outputs: acpFailing(error), stderr })).toBe(failure);
  });
});

/** The prompt of an ACP session is answered with this error. */
function acpFailing(error: object): AgentOutput[] {
  const protocol = acp({ cwd: '/' });
  const answers = [
    { id: 1, result: {} },
    { id: 2, result: { sessionId: 's' } },
    { id: 3, error },
  ];
  const steps = [...protocol.open('go'), ...answers.flatMap((one) => protocol.feed(line({ jsonrpc: '2.0', ...one })))];
  return steps.flatMap((step) => (step.do === 'output' ? [step.output] : []));
}
const line = (row: object) => new TextEncoder().encode(`${JSON.stringify(row)}\n`);

describe('agents that leave no record', () => {
  const REFUSED = 'curl: (7) Failed to connect to localhost port 1: Connection refused\n';
  const printed = (words: string) => read(text(), [words]);

  it.each<[string, FailureSigns | undefined, number, string, Failure | undefined]>([
    ['a custom command that says so', custom.failures, 75, '', 'outage'],
    ['unavailable', custom.failures, 69, '', 'outage'],
    ['no permission', custom.failures, 77, '', 'login'],
    ['its configuration', custom.failures, 78, '', 'setup'],
    ['no network', custom.failures, 7, REFUSED, 'outage'],
    [
      'kiro without login',
      kiro.failures,
      1,
      'error: You are not logged in, please log in with kiro-cli login\n',
      'login',
    ],
    ['amp without network', amp.failures, 1, 'Error: getaddrinfo ENOTFOUND ampcode.com\n', 'outage'],
    ['a crash', custom.failures, 1, 'TypeError: x is not a function\n', undefined],
    ['an adapter of the user’s own', undefined, 1, REFUSED, 'outage'],
  ])('%s', (_what, signs, exit, stderr, failure) => {
    expect(told({ signs, outputs: [], exit, stderr })).toBe(failure);
  });

  it('who said something has failed at its work, whatever stands on the side or in its words', () => {
    const signs = custom.failures;
    expect(told({ signs, outputs: printed('Connection refused. 529 overloaded_error.'), exit: 1 })).toBeUndefined();
    expect(told({ signs, outputs: printed('I ran the tests.'), exit: 1, stderr: REFUSED })).toBeUndefined();
  });

  it('only the end of its standard error counts', () => {
    const stderr = `${REFUSED}${'and then\n'.repeat(3)}Segmentation fault\n`;
    expect(told({ signs: custom.failures, outputs: [], stderr })).toBeUndefined();
  });
});
