import { describe, expect, it } from 'vitest';
import { type AgentOutput, HandClock } from '../../contract/index.js';
import { claudeStream } from './claude-stream.js';

const clock = new HandClock(Date.UTC(2026, 2, 4, 12, 0));

function read(...rows: object[]): AgentOutput[] {
  const decoder = claudeStream({ clock });
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return [...decoder.feed(new TextEncoder().encode(text)), ...decoder.end()];
}
const assistant = (content: object[], more: object = {}) => ({ type: 'assistant', message: { content }, ...more });
const result = (more: object) => ({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, ...more });

describe('claude stream-json', () => {
  it('names the sub-agent a block belongs to', () => {
    const rows = read(assistant([{ type: 'text', text: 'sub' }], { parent_tool_use_id: 'toolu_1' }), {
      type: 'user',
      parent_tool_use_id: 'toolu_1',
      message: {
        content: [{ type: 'tool_result', tool_use_id: 't2', is_error: true, content: [{ type: 'text', text: 'no' }] }],
      },
    });
    expect(rows).toEqual([
      { kind: 'text', text: 'sub\n', parent: 'toolu_1' },
      { kind: 'tool-result', call: 't2', ok: false, text: 'no', parent: 'toolu_1' },
    ]);
  });

  it('reads thinking, and skips what is encrypted', () => {
    const rows = read(
      assistant([
        { type: 'thinking', thinking: 'hm' },
        { type: 'redacted_thinking', data: 'x' },
      ]),
    );
    expect(rows).toEqual([{ kind: 'thinking', text: 'hm\n' }]);
  });

  it('shows the retries that last minutes', () => {
    const row = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 4,
      max_retries: 10,
      retry_delay_ms: 3021.4,
      error_status: 529,
    };
    expect(read(row)).toEqual([{ kind: 'retry', attempt: 4, of: 10, inMs: 3021, error: 'API error (529)' }]);
  });

  it('an API error is not what the assistant said', () => {
    const rows = read(
      {
        type: 'assistant',
        error: 'authentication_failed',
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 401' }] },
      },
      result({ is_error: true, api_error_status: 401, result: 'API Error: 401' }),
    );
    expect(rows.map((one) => one.kind)).toEqual(['error', 'done']);
    expect(rows.at(-1)).toMatchObject({ ok: false, reason: 'API error 401: API Error: 401' });
  });

  it('a usage limit is told once, with its end', () => {
    const words = "You've hit your limit · resets 3:30pm (Europe/Berlin)";
    const until = Date.UTC(2026, 2, 4, 14, 30);
    const rows = read(
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: until / 1000, rateLimitType: 'five_hour' },
      },
      {
        type: 'assistant',
        error: 'rate_limit',
        message: { model: '<synthetic>', content: [{ type: 'text', text: words }] },
      },
      result({ is_error: true, result: words, api_error_status: 429 }),
    );
    expect(rows.filter((one) => one.kind === 'limit')).toEqual([
      { kind: 'limit', message: 'five hour limit reached', until },
    ]);
    expect(rows.at(-1)).toMatchObject({ kind: 'done', ok: false });
  });

  it('without the event, the text alone tells the limit', () => {
    const rows = read(result({ is_error: true, result: 'Claude AI usage limit reached|1772640000' }));
    expect(rows).toMatchObject([
      { kind: 'limit', until: 1772640000_000 },
      { kind: 'done', ok: false },
    ]);
  });

  it('a warning about a limit, and words about limits, are none', () => {
    const rows = read(
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 1 } },
      assistant([{ type: 'text', text: "The test says: You've hit your limit · resets 3pm" }]),
      result({ result: "You've hit your limit" }),
    );
    expect(rows.map((one) => one.kind)).toEqual(['text', 'done']);
  });

  it.each([
    ['success', false, true],
    ['success', true, false],
    ['error_max_turns', true, false],
    ['error_during_execution', undefined, false],
  ])('subtype %s with is_error %s: ok %s', (subtype, is_error, ok) => {
    expect(read(result({ subtype, is_error }))).toMatchObject([{ kind: 'done', ok }]);
  });

  it('says which tools were not permitted', () => {
    const rows = read(result({ permission_denials: [{ tool_name: 'Bash' }, { tool_name: 'Write' }] }));
    expect(rows[0]).toEqual({ kind: 'error', message: 'not permitted: Bash, Write', fatal: false });
  });

  it('keeps rows it does not know', () => {
    const rows = read({ type: 'telepathy', x: 1 }, { type: 'system', subtype: 'weather' }, { type: 'assistant' });
    expect(rows.map((one) => one.kind)).toEqual(['unknown', 'unknown', 'unknown']);
  });
});
