import { describe, expect, it } from 'vitest';
import { type AgentOutput, HandClock } from '../../contract/index.js';
import { codexExec } from './codex-exec.js';

const clock = new HandClock(1_772_600_000_000);

function read(...rows: object[]): AgentOutput[] {
  const decoder = codexExec({ clock });
  return decoder.feed(new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
}

describe('codex exec --json', () => {
  it('a reconnection is a retry, not an error', () => {
    const rows = read(
      { type: 'error', message: 'Reconnecting... 2/5 (stream disconnected)' },
      { type: 'error', message: 'Reconnecting... waiting for network' },
    );
    expect(rows).toMatchObject([
      { kind: 'retry', attempt: 2, of: 5 },
      { kind: 'retry', attempt: 3 },
    ]);
  });

  it('a usage limit ends the turn and says until when', () => {
    const message = "You've hit your usage limit. Upgrade to Pro or try again in 3 hours 2 minutes.";
    expect(read({ type: 'turn.failed', error: { message } })).toEqual([
      { kind: 'limit', message, until: 1_772_600_000_000 + 10_920_000 },
      { kind: 'error', message, fatal: true },
      { kind: 'done', ok: false, reason: message, failure: { message } },
    ]);
  });

  it('reads tools of MCP servers and searches, also when only their end is reported', () => {
    const mcp = { id: 'i1', type: 'mcp_tool_call', server: 'db', tool: 'query', arguments: { q: 1 }, status: 'failed' };
    expect(read({ type: 'item.completed', item: { ...mcp, error: { message: 'refused' } } })).toEqual([
      { kind: 'tool', call: 'i1', tool: 'mcp__db__query', input: { q: 1 } },
      { kind: 'tool-result', call: 'i1', ok: false, text: 'refused' },
    ]);
    expect(read({ type: 'item.started', item: { id: 'i2', type: 'web_search', query: 'x' } })).toMatchObject([
      { kind: 'tool', tool: 'web_search' },
    ]);
  });

  it('keeps what it does not know', () => {
    const rows = read(
      { type: 'item.completed', item: { type: 'hologram' } },
      { type: 'turn.paused' },
      { type: 'item.completed' },
    );
    expect(rows.map((one) => one.kind)).toEqual(['unknown', 'unknown', 'unknown']);
  });
});
