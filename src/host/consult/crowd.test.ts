import { expect, test } from 'vitest';
import { HandClock, type InquiryId } from '../../contract/index.js';
import { AgentProcess } from '../agent-process.js';
import { consulting, QUESTION } from './consult.cases.js';
import type { ConsultantPorts } from './consultant.js';
import { ConsultTurns } from './turns.js';

/** Everything an agent can ask in one breath. */
const crowd = (of: ReturnType<typeof consulting>, many: number) =>
  Promise.all(
    Array.from({ length: many }, (_, index) =>
      of.consultant.consult(
        { ...QUESTION, id: `k7f2m9qd.${index + 1}` as InquiryId },
        { for: 'answer', signal: new AbortController().signal },
      ),
    ),
  );

function counted() {
  const seen = { now: 0, most: 0, all: 0 };
  const start: ConsultantPorts['start'] = async (options) => {
    seen.all += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    const started = await AgentProcess.start(options);
    if (started.ok) void started.agent.proc.exited.then(() => (seen.now -= 1));
    else seen.now -= 1;
    return started;
  };
  return { seen, start };
}

test('a crowd of questions at once is held to what the session may ask', async () => {
  const { seen, start } = counted();
  const many = consulting({ scenario: 'consult 1 0.95', consult: { max_per_session: 3 }, start });
  const heard = await crowd(many, 6);
  expect(seen).toEqual({ now: 0, most: expect.any(Number), all: 3 });
  expect(seen.most).toBeLessThanOrEqual(2);
  expect(many.entries('consultation.started')).toHaveLength(3);
  expect(heard.filter((one) => 'none' in one && one.none.includes('max_per_session'))).toHaveLength(3);
});

test('a crowd at once is held to what the session may pay: what runs counts before it says its price', async () => {
  const { seen, start } = counted();
  const many = consulting({ scenario: 'consult 1 0.95', consult: { max_cost_usd: 0.02 }, start });
  const first = await crowd(many, 2);
  expect(seen.all).toBe(1);
  expect(first.filter((one) => 'none' in one && one.none.includes('max_cost_usd'))).toHaveLength(1);
});

test('who waits for a turn is let go when it is called off, and takes none', async () => {
  const clock = new HandClock();
  const turns = new ConsultTurns(1, clock);
  const never = new AbortController().signal;
  const at = clock.now();
  const leave = await turns.take(at + 1_000, never);
  const off = new AbortController();
  const [called, late, next] = [off.signal, never, never].map((signal, index) =>
    turns.take(at + [9_000, 1_000, 9_000][index]!, signal),
  );
  off.abort();
  expect(await called).toBeUndefined();
  clock.advance(1_000);
  expect(await late).toBeUndefined();
  leave?.();
  leave?.();
  const held = await next;
  expect(held).toBeTypeOf('function');
  const last = turns.take(clock.now() + 5, never);
  clock.advance(5);
  expect(await last).toBeUndefined();
});
