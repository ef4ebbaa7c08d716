/** The app-server’s protocol, played from what 0.166 said. */
import { describe, expect, it } from 'vitest';
import { asked, connections, outputs, replay } from './codex-app-server.cases.js';

describe('codex app-server, against what 0.166 said', () => {
  it('speaks as the recorded client did, and settles what was asked as it did', () => {
    const all = connections();
    expect(all).toHaveLength(7);
    const played = all.map(replay);
    expect(played.map(({ compared }) => compared)).toEqual([14, 12, 4, 4, 4, 6, 4]);
    const dones = outputs(played[0]?.steps ?? []).filter((output) => output.kind === 'done');
    expect(dones.map(({ ok, reason }) => [ok, reason])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, undefined],
      [false, 'interrupted'],
      [true, undefined],
      [true, undefined],
      [true, undefined],
    ]);
    // What was still open when the recording ended is withdrawn.
    for (const { steps } of played.slice(2, 5)) {
      expect(steps.filter((step) => step.do === 'withdraw')).toHaveLength(1);
      expect(asked(steps)).toHaveLength(1);
    }
  });

  it('says each text once, whether it streamed or came whole, and ends each block', () => {
    const { steps } = replay(connections()[0] ?? []);
    const text = outputs(steps)
      .flatMap((output) => (output.kind === 'text' ? [output.text] : []))
      .join('');
    expect(
      text.startsWith(
        'alpha beta gamma delta epsilon zeta eta theta iota kappa \nI need more rights.\nDone after approval.\nI need more',
      ),
    ).toBe(true);
    expect(outputs(steps).filter((output) => output.kind === 'unknown')).toEqual([]);
  });

  it('shows a command as people know it, and a file change with its changes', () => {
    const [first, second] = connections().map(replay);
    expect(asked(first?.steps ?? [])[0]?.inquiry).toEqual({
      kind: 'run',
      tool: 'shell',
      input: {
        command: 'touch /var/home/dev/agents/outside.txt',
        cwd: '/var/home/dev/agents/ws-as',
        reason: 'May I create a file outside the workspace?',
      },
      reason: 'May I create a file outside the workspace?',
      call: 'call_217_1',
      exclusive: false,
    });
    const patch = asked(second?.steps ?? []).find(({ inquiry }) => inquiry.tool === 'apply_patch')?.inquiry;
    expect(patch?.input).toEqual({
      changes: [
        { path: '/var/home/dev/agents/ws-as/patched.txt', kind: { type: 'add' }, diff: 'line one\nline two\n' },
      ],
    });
    const question = asked(first?.steps ?? []).find(({ inquiry }) => inquiry.kind === 'question')?.inquiry;
    expect(question?.questions?.[0]).toMatchObject({
      id: 'db',
      free_text: true,
      multi: false,
      options: [{ id: '1' }, { id: '2', label: 'SQLite' }],
    });
  });

  it('tells tools, results, usage and the failed turn', () => {
    const all = connections().map((rows) => outputs(replay(rows).steps));
    const results = all[1]?.filter((output) => output.kind === 'tool-result') ?? [];
    expect(results.map(({ ok, text }) => [ok, text])).toEqual([
      [false, 'declined'],
      [false, 'declined'],
      [true, 'one\n'],
      [false, 'two\n'],
      [true, ''],
    ]);
    expect(all[1]?.filter((output) => output.kind === 'tool')).toHaveLength(5);
    const used = all[0]?.filter((output) => output.kind === 'usage') ?? [];
    expect(used).toHaveLength(12);
    expect(used[0]).toEqual({ kind: 'usage', inputTokens: 100, outputTokens: 20 });
    expect(all[6]?.filter((output) => output.kind === 'error' && output.fatal)).toHaveLength(1);
    expect(all[6]?.at(-1)).toMatchObject({ kind: 'done', ok: false });
  });
});
