import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recording } from '../../../test/recordings/play.js';
import type { Protocol, ProtocolStep, Settled } from '../adapter.js';
import { acp } from './acp.js';
import { claudeControl } from './claude-control.js';
import { codexAppServer } from './codex-app-server.js';

const logged = (path: string, from: (row: Record<string, unknown>) => unknown): string[] =>
  recording(path)
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const said = from(JSON.parse(line) as Record<string, unknown>);
      return said === undefined ? [] : [JSON.stringify(said)];
    });
const fromServer = (row: Record<string, unknown>) => (row.dir === 's>c' ? row.m : undefined);
const fromClaude = ({ dir, ...row }: Record<string, unknown>) => (dir === 'out' ? row : undefined);

const PROTOCOLS: [string, () => Protocol, string[]][] = [
  ['claude control', () => claudeControl(), logged('./claude/control-session.ndjson.gz', fromClaude)],
  [
    'codex app-server',
    () => codexAppServer({ cwd: '/w', sandbox: 'workspace-write' }),
    logged('./codex/app-server.jsonl.gz', fromServer),
  ],
  ['acp', () => acp({ cwd: '/w' }), logged('./gemini/acp.jsonl.gz', fromServer)],
];

/** Whose other client says everything: it has no word for what it does not know. */
const SHARED: (typeof PROTOCOLS)[number] = [
  'codex app-server, shared',
  () => codexAppServer({ cwd: '/w', sandbox: 'widened', shared: true }),
  logged('./codex/app-server.jsonl.gz', fromServer),
];

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Garbage that looks like the real thing: true lines, cut, doubled, mixed, with ids of every JSON type. */
function streams(lines: string[]): fc.Arbitrary<Uint8Array> {
  const odd = fc.anything({ withBigInt: false }).map((value) => JSON.stringify(value) ?? 'undefined');
  const request = fc
    .tuple(
      fc.jsonValue(),
      fc.constantFrom(
        'item/commandExecution/requestApproval',
        'session/request_permission',
        'item/tool/requestUserInput',
        'session/update',
        'x',
      ),
      fc.jsonValue(),
    )
    .map(([id, method, params]) => JSON.stringify({ id, method, params }));
  const control = fc.tuple(fc.jsonValue(), fc.jsonValue(), fc.jsonValue()).map(([id, tool, input]) =>
    JSON.stringify({
      type: 'control_request',
      request_id: id,
      request: { subtype: 'can_use_tool', tool_name: tool, input },
    }),
  );
  const whole = fc.constantFrom(...lines);
  const cut = fc.tuple(whole, fc.nat(2000)).map(([line, at]) => line.slice(0, at % (line.length + 1)));
  return fc
    .array(fc.oneof(whole, whole, cut, odd, request, control, fc.string()), { maxLength: 30 })
    .chain((parts) => fc.constantFrom('\n', '\r\n', '').map((end) => bytes(parts.join(end || '\n') + end)));
}

const chunks = (all: Uint8Array, sizes: number[]): Uint8Array[] => {
  const parts: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < all.length; turn += 1) {
    const size = (sizes[turn % sizes.length] ?? 1) + 1;
    parts.push(all.subarray(at, at + size));
    at += size;
  }
  return parts;
};

const run = (protocol: Protocol, parts: Uint8Array[]): ProtocolStep[] => [
  ...protocol.open('go'),
  ...parts.flatMap((part) => protocol.feed(part)),
  ...protocol.end(),
];

describe.each([...PROTOCOLS, SHARED])('%s', (_name, make, lines) => {
  it('takes any bytes without throwing, and reads the same however they are cut', () => {
    fc.assert(
      fc.property(streams(lines), fc.array(fc.nat(200), { minLength: 1, maxLength: 8 }), (all, sizes) => {
        expect(run(make(), chunks(all, sizes))).toEqual(run(make(), [all]));
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (all) => {
        expect(run(make(), chunks(all, [0]))).toEqual(run(make(), [all]));
      }),
    );
  });

  it('asks under each key once, and each key is settled or withdrawn at most once, whatever answers come', () => {
    const verdicts = fc.constantFrom<Settled[]>(
      { verdict: { kind: 'allow' } },
      { verdict: { kind: 'deny' }, reason: 'no' },
      { verdict: { kind: 'deny' }, interrupt: true },
      { verdict: { kind: 'values', values: { db: ['1'], question: ['x'] } } },
      { verdict: { kind: 'allow', input: 7 } },
    );
    fc.assert(
      fc.property(streams(lines), fc.array(verdicts, { minLength: 1 }), fc.nat(3), (all, answers, every) => {
        const protocol = make();
        const opened = new Set<string>();
        const closed = new Set<string>();
        const see = (steps: ProtocolStep[]) => {
          for (const step of steps) {
            if (step.do === 'ask') {
              expect(opened.has(step.key)).toBe(false);
              opened.add(step.key);
            }
            if (step.do === 'withdraw') {
              expect(opened.has(step.key) && !closed.has(step.key)).toBe(true);
              closed.add(step.key);
            }
            if (step.do === 'write') expect(() => JSON.parse(step.bytes)).not.toThrow();
          }
        };
        see(protocol.open('go'));
        for (const [index, part] of chunks(all, [300]).entries()) {
          see(protocol.feed(part));
          const key = [...opened].find((candidate) => !closed.has(candidate));
          if (key !== undefined && index % 4 === every) {
            const settled = answers[index % answers.length] ?? { verdict: { kind: 'deny' } };
            expect(protocol.settle(key, settled)).not.toEqual([]);
            expect(protocol.settle(key, settled)).toEqual([]);
            closed.add(key);
          }
          if (index % 7 === every) see(protocol.interrupt());
          if (index % 11 === every) see(protocol.submit('more'));
        }
        see(protocol.end());
        expect(closed).toEqual(opened);
        expect(protocol.settle('ask-1', { verdict: { kind: 'allow' } })).toEqual([]);
        expect(protocol.settle('nobody', { verdict: { kind: 'allow' } })).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe.each(PROTOCOLS)('%s', (_name, make) => {
  it('takes a line of 10 MB', () => {
    const long = JSON.stringify({ type: 'noise', method: 'noise', params: { text: 'x'.repeat(10_000_000) } });
    const steps = run(make(), chunks(bytes(`${long}\n`), [65_535]));
    expect(steps.filter((step) => step.do === 'output' && step.output.kind === 'unknown')).toHaveLength(1);
  });
});
