import { expect, test } from 'vitest';
import { HandClock, type Inquiry, type InquiryId, type SessionId } from '../contract/index.js';
import { Moments } from './moments.js';

const SESSION = 'k7f2m9qd' as SessionId;
const DAY_MS = 24 * 60 * 60_000;

const inquiry = (n: number): Inquiry => ({
  ...{ id: `${SESSION}.${n}` as InquiryId, session: SESSION, kind: 'run', tool: 'Bash', exclusive: false },
  opened_at: '2026-01-02T03:04:05.678Z',
});

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function told() {
  const clock = new HandClock();
  const names: string[] = [];
  const moments = new Moments({
    ...{ clock, on: ['inquiry', 'limit'], quietHours: undefined, notifiers: [{ name: 'phone', always: false }] },
    present: async () => false,
    waits: (_, { id }) => void names.push(id),
    settled: () => undefined,
    ended: () => undefined,
    limited: (_, { message }) => void names.push(message),
    tooMany: () => undefined,
  });
  const open = (n: number) =>
    moments.told({ type: 'inquiry.opened', data: { inquiry: inquiry(n) } } as Parameters<Moments['told']>[0]);
  return { clock, names, moments, open };
}

test('a clock that is set back does not silence whoever is to be told', async () => {
  const { clock, names, open } = told();
  for (let n = 1; n <= 20; n += 1) open(n);
  clock.advance(2_000);
  await settled();
  expect(names).toHaveLength(20);
  clock.advance(-DAY_MS);
  open(21);
  clock.advance(2_000);
  await settled();
  clock.advance(11 * 60_000);
  await settled();
  expect(names).toHaveLength(21);
});
