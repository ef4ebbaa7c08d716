import { describe, expect, it } from 'vitest';
import type { HookFace } from '../../adapters/index.js';
import type { InquiryId } from '../../contract/index.js';
import type { Settlement } from '../desk.js';
import { hookGate } from './hook-gate.js';

const NEVER = new Promise<void>(() => undefined);

const face: HookFace = {
  meaning(event) {
    if (event === 'broken') throw new Error('cannot read it');
    if (event === 'other') return { kind: 'ignore' };
    return { kind: 'gate', inquiry: { kind: 'run', tool: event, input: {}, exclusive: false }, dialog: false };
  },
  reply: (_event, _payload, { verdict }) => ({ stdout: '', stderr: '', exit: verdict.kind === 'allow' ? 0 : 2 }),
  trouble: (_event, reason) => ({ stdout: '', stderr: reason, exit: 2 }),
  pass: () => ({ stdout: '', stderr: 'pass', exit: 2 }),
};

function gate(event: string, options: { settled?: Settlement; gone?: Promise<void> } = {}) {
  const ends: string[] = [];
  let settle: (settlement: Settlement | undefined) => void = () => undefined;
  const settled = new Promise<Settlement | undefined>((resolve) => {
    settle = resolve;
  });
  if (options.settled) settle(options.settled);
  const ask = () => ({
    id: 'k7f2m9qd.1' as InquiryId,
    settled,
    delivered: () => ends.push('delivered'),
    withdraw: (reason: string) => {
      ends.push(reason);
      settle(undefined);
    },
  });
  const hook = hookGate(face, ask, 60_000);
  const reply = hook(event, {}, options.gone ?? NEVER);
  return { reply, ends };
}

describe('a hook at the gate', () => {
  it.each([
    ['allow', 0],
    ['deny', 2],
  ] as const)('%s is exit code %i', async (kind, exit) => {
    const { reply, ends } = gate('Bash', { settled: { verdict: { kind } } });
    expect(await reply).toMatchObject({ exit });
    expect(ends).toEqual(['delivered']);
  });

  it.each([
    ['that cannot be read', 'broken', {}],
    ['that means something else', 'other', {}],
    ['whose agent no longer waits', 'Bash', { gone: Promise.resolve() }],
  ])('%s is refused', async (_, event, options) => {
    expect(await gate(event, options).reply).toMatchObject({ stdout: '', exit: 2 });
  });
});
