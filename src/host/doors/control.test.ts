import { beforeEach, describe, expect, it } from 'vitest';
import type { InquiryDraft, Protocol, ProtocolStep, Settled } from '../../adapters/index.js';
import type { AgentOutput, InquiryId } from '../../contract/index.js';
import type { Asked, Settlement } from '../desk.js';
import { ControlDoor } from './control.js';

const RUN: InquiryDraft = { kind: 'run', tool: 'Bash', input: {}, exclusive: false };
const NO = { verdict: { kind: 'deny' } } as const;
const YES = { verdict: { kind: 'allow' } } as const;

/** One inquiry as the desk would give it, answered by the test. */
class OpenInquiry implements Asked {
  readonly id = 'k7f2m9qd.1' as InquiryId;
  end: string | undefined;
  settle: (settlement: Settlement | undefined) => void = () => undefined;
  readonly settled = new Promise<Settlement | undefined>((resolve) => {
    this.settle = resolve;
  });
  delivered(): void {
    this.end ??= 'delivered';
  }
  withdraw(reason: string): void {
    this.end ??= reason;
    this.settle(undefined);
  }
}

let written: string[];
let said: AgentOutput[];
let inquiries: OpenInquiry[];
let deadlines: (number | undefined)[];
let outcome: 'written' | 'gone' | 'full';
let settled: [string, Settled][];

/** An agent whose every chunk names the steps it leads to. */
function door(part: Partial<Protocol> = {}): ControlDoor {
  const protocol: Protocol = {
    open: (prompt) => [{ do: 'write', bytes: `open ${prompt}` }],
    feed: (chunk) => JSON.parse(Buffer.from(chunk).toString()) as ProtocolStep[],
    settle: (key, given) => {
      settled.push([key, given]);
      return [{ do: 'write', bytes: `${key} ${given.verdict.kind}` }];
    },
    submit: (text) => [{ do: 'write', bytes: `say ${text}` }],
    interrupt: () => [{ do: 'write', bytes: 'interrupt' }],
    end: () => [],
    ...part,
  };
  return new ControlDoor({
    protocol,
    ports: {
      said: (output) => said.push(output),
      state: () => undefined,
      ask: (_draft, options) => {
        deadlines.push(options?.deadlineMs);
        const inquiry = new OpenInquiry();
        inquiries.push(inquiry);
        return inquiry;
      },
      write: async (bytes) => {
        if (outcome === 'written') written.push(String(bytes));
        return outcome;
      },
      endInput: () => undefined,
    },
  });
}

const steps = (...list: ProtocolStep[]) => Buffer.from(JSON.stringify(list));
const ask = (key: string): ProtocolStep => ({ do: 'ask', key, inquiry: RUN });
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  deadlines = [];
  [written, said, inquiries, settled, outcome] = [[], [], [], [], 'written'];
});

describe('what the agent asks over its protocol', () => {
  it('becomes an inquiry, and the answer is written back once', async () => {
    const one = door();
    one.open('hi');
    one.feed(steps(ask('a'), { do: 'output', output: { kind: 'text', text: 'x' } }, ask('b')), 'out');
    inquiries[1]!.settle(NO);
    inquiries[0]!.settle(YES);
    await later();
    expect(written).toEqual(['open hi', 'b deny', 'a allow']);
    expect(inquiries.map(({ end }) => end)).toEqual(['delivered', 'delivered']);
    expect(said).toEqual([{ kind: 'text', text: 'x' }]);
  });

  it('and takes back, goes: a late answer is not written', async () => {
    const one = door();
    one.feed(steps(ask('a'), { do: 'withdraw', key: 'a', reason: 'cancelled by the agent' }), 'out');
    inquiries[0]!.settle(YES);
    await later();
    expect([written, inquiries[0]!.end]).toEqual([[], 'cancelled by the agent']);
  });

  it('answered when the agent is gone was not delivered', async () => {
    const one = door();
    one.feed(steps(ask('a')), 'out');
    outcome = 'gone';
    inquiries[0]!.settle(YES);
    await later();
    expect(inquiries[0]!.end).toBe('the agent was gone before it could be told');
  });

  it('answered in a way the protocol has no words for was not delivered', async () => {
    const one = door({ settle: () => [] });
    one.feed(steps(ask('a')), 'out');
    inquiries[0]!.settle(YES);
    await later();
    expect(inquiries[0]!.end).not.toBe('delivered');
  });

  it('ends with the agent', async () => {
    const one = door({ end: () => [{ do: 'withdraw', key: 'a', reason: 'the stream ended' }] });
    one.feed(steps(ask('a'), ask('b')), 'out');
    one.end();
    one.end();
    await later();
    expect(inquiries.map(({ end }) => end)).toEqual(['the stream ended', 'the agent ended']);
    expect(settled).toEqual([]);
  });
});

describe('an interrupt', () => {
  it('L6: between turns changes nothing', async () => {
    const one = door();
    one.feed(steps({ do: 'output', output: { kind: 'done', ok: true } }), 'out');
    await one.interrupt();
    expect(written).toEqual([]);
    await one.submit('next');
    await one.interrupt();
    expect(written).toEqual(['say next', 'interrupt']);
  });

  it('is a no to everything that still waits', async () => {
    const one = door();
    one.feed(steps(ask('a'), ask('b')), 'out');
    await one.interrupt();
    expect(written).toEqual(['interrupt', 'a deny', 'b deny']);
    expect(settled.map(([, given]) => given.interrupt)).toEqual([true, true]);
    expect(inquiries.map(({ end }) => end)).toEqual(['the turn was interrupted', 'the turn was interrupted']);
  });

  it('leaves to the protocol what that took back itself: one word per request', async () => {
    const one = door({
      interrupt: () => [
        { do: 'write', bytes: 'cancel a' },
        { do: 'withdraw', key: 'a', reason: 'interrupted' },
      ],
    });
    one.feed(steps(ask('a')), 'out');
    await one.interrupt();
    await later();
    expect([written, inquiries[0]!.end]).toEqual([['cancel a'], 'interrupted']);
  });
});

describe('a message', () => {
  it('is queued while the agent works, submitted when it rests, refused when it is gone', async () => {
    const one = door();
    expect((await one.submit('first')).verdict).toBe('queued');
    one.feed(steps({ do: 'output', output: { kind: 'done', ok: true } }), 'out');
    expect(await one.submit('second')).toEqual({ verdict: 'submitted', evidence: 'protocol' });
    expect((await one.submit('third')).verdict).toBe('queued');
    outcome = 'gone';
    expect((await one.submit('fourth')).verdict).toBe('refused');
    expect(written).toEqual(['say first', 'say second', 'say third']);
  });
});

it('the end of what it says on standard error is kept', () => {
  const one = door();
  one.feed(Buffer.from('x'.repeat(10_000)), 'err');
  one.feed(Buffer.from('last words'), 'err');
  expect(one.lastWords).toHaveLength(4096);
  expect(one.lastWords.endsWith('xlast words')).toBe(true);
});

it.each([
  ['of two minutes', 120_000, 118_000],
  ['of a second', 1_000, 900],
  ['that is not there', undefined, undefined],
])('an agent’s own limit %s is a deadline that leaves time to tell it', (_, withinMs, deadline) => {
  const one = door();
  const step = { do: 'ask', key: 'k1', inquiry: RUN, ...(withinMs === undefined ? {} : { withinMs }) };
  one.feed(Buffer.from(JSON.stringify([step])), 'out');
  expect(deadlines).toEqual([deadline]);
});

describe('what does not reach the agent', () => {
  const lost: string[] = [];
  const telling = (isTurn: boolean) =>
    door({
      unsent: (bytes) => {
        lost.push(bytes);
        return isTurn;
      },
    });

  it('is refused, nobody waits for its turn, and the protocol knows', async () => {
    lost.length = 0;
    const one = telling(true);
    one.open('hi');
    outcome = 'full';
    expect(await one.submit('more')).toMatchObject({ verdict: 'refused' });
    expect(lost).toEqual(['say more']);
    expect(said).toEqual([]);
    expect(one.turnDone()).toBe('end-input');
  });

  it('said by the protocol itself: the turn that does not begin is over', async () => {
    const one = telling(true);
    one.open('hi');
    outcome = 'gone';
    one.feed(steps({ do: 'write', bytes: 'the next prompt' }), 'out');
    await later();
    expect(said).toEqual([expect.objectContaining({ kind: 'done', ok: false })]);
    telling(false).feed(steps({ do: 'write', bytes: 'a reply' }), 'out');
    await later();
    expect(said).toHaveLength(1);
  });
});
