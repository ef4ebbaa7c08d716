import { describe, expect, it } from 'vitest';
import type { AgentOutput } from '../contract/index.js';
import type { Door } from './adapter.js';
import { adapterNamed } from './registry.js';
import { successOf } from './success.js';

const good: AgentOutput = { kind: 'done', ok: true };
const bad: AgentOutput = { kind: 'done', ok: false, reason: 'API error 401' };
const limit: AgentOutput = { kind: 'limit', message: 'five hour limit reached' };

describe('success of an iteration', () => {
  it.each<[string, string, Door, number | null, string | null, AgentOutput[], boolean, RegExp]>([
    ['a clean end', 'claude', 'stream', 0, null, [good], true, /^$/],
    ['claude says success and is_error', 'claude', 'stream', 0, null, [bad], false, /API error 401/],
    ['gemini exits 0 without a result', 'gemini', 'stream', 0, null, [], false, /without saying how/],
    ['gemini exits 0 with an error result', 'gemini', 'stream', 0, null, [bad], false, /401/],
    ['a non-zero exit after a good record', 'codex', 'stream', 1, null, [good], false, /code 1/],
    ['the last record counts', 'claude', 'stream', 0, null, [bad, good], true, /^$/],
    ['killed', 'codex', 'stream', null, 'SIGTERM', [], false, /ended by SIGTERM/],
    ['killed by us after the record, control', 'codex', 'control', null, 'SIGTERM', [good], true, /^$/],
    ['control without a record', 'claude', 'control', 0, null, [], false, /without saying/],
    ['a limit is named', 'claude', 'stream', 1, null, [limit], false, /five hour limit/],
    ['kiro, plain text', 'kiro', 'stream', 0, null, [{ kind: 'text', text: 'x\n' }], true, /^$/],
    ['kiro, plain text, non-zero', 'kiro', 'stream', 3, null, [], false, /code 3/],
    ['amp behind its delegate', 'amp', 'control', 0, null, [], true, /^$/],
    ['custom', 'custom', 'stream', 0, null, [], true, /^$/],
    ['a terminal program that was left', 'claude', 'tui', 0, null, [], true, /^$/],
  ])('%s', (_name, id, door, exit, signal, outputs, ok, reason) => {
    const success = successOf(adapterNamed(id)!, { door, exit, signal, outputs });
    expect(success.ok).toBe(ok);
    expect(success.reason ?? '').toMatch(reason);
  });
});
