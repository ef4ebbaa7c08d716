/** W34, W35, L4, L5: messages that wait, by their line alone. The journal is real, the agent is a word: free or not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Entry, HandClock, type SendReceipt, type SessionId } from '../contract/index.js';
import { Journal } from '../journal/journal.js';
import { MessageQueue } from './queue.js';
import { foldMessages } from './queue-fold.js';

const SUBMITTED: SendReceipt = { verdict: 'submitted', evidence: 'hook' };

interface Agent {
  free: boolean;
  mayTake: boolean;
  paused: boolean;
  /** What it was given, in order. */
  got: string[];
  /** What comes of the next ones. */
  verdicts: (SendReceipt | Promise<SendReceipt>)[];
}

function scene(before: Entry[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'queue-'));
  const clock = new HandClock();
  const { journal } = Journal.open({ file: join(dir, 'journal.jsonl'), session: 'aaaa2222' as SessionId, clock });
  const entries: Entry[] = [];
  journal.subscribe((entry) => entries.push(entry));
  onTestFinished(() => {
    journal.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const agent: Agent = { free: false, mayTake: true, paused: false, got: [], verdicts: [] };
  const queue = new MessageQueue(
    {
      journal,
      clock,
      isFree: () => agent.free,
      isWorking: () => true,
      isPaused: () => agent.paused,
      mayTake: async () => agent.mayTake,
      submit: async (text) => {
        agent.got.push(text);
        const receipt = await (agent.verdicts.shift() ?? SUBMITTED);
        // Its turn runs now, unless it was a command of its own.
        if (receipt.verdict !== 'refused' && !text.startsWith('/')) {
          agent.free = false;
          queue.look();
        }
        return receipt;
      },
    },
    before,
  );
  const turnEnds = () => {
    agent.free = true;
    queue.look();
  };
  const add = (text: string, key = text) => queue.add({ key, text });
  const data = (type: Entry['type']) => entries.filter((entry) => entry.type === type).map((entry) => entry.data);
  return { queue, agent, entries, clock, turnEnds, add, data };
}

describe('W34: a line of messages', () => {
  it('says what one waits for: the turn that runs, or that the session goes on', async () => {
    const { agent, add } = scene();
    expect(await add('one')).toEqual({ verdict: 'queued', reason: 'the agent was working' });
    agent.paused = true;
    expect(await add('two')).toMatchObject({ verdict: 'queued', reason: expect.stringContaining('stands still') });
  });

  it('nothing is given to an agent that works; then each once, in order, a turn each', async () => {
    const { agent, turnEnds, add, queue, data } = scene();
    for (const text of ['one', 'two', 'three']) expect(await add(text)).toMatchObject({ verdict: 'queued' });
    expect(agent.got).toEqual([]);
    expect(queue.list().map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    for (const count of [1, 2, 3]) {
      turnEnds();
      await vi.waitFor(() => expect(agent.got).toHaveLength(count));
      await vi.waitFor(() => expect(data('message.sent')).toHaveLength(count));
    }
    expect(agent.got).toEqual(['one', 'two', 'three']);
    expect(queue.list()).toEqual([]);
  });

  it('is edited, put in another order, and one of it cancelled, all on record', async () => {
    const { agent, turnEnds, add, queue, data } = scene();
    for (const text of ['one', 'two', 'three']) await add(text);
    queue.edit('two', 'TWO');
    queue.move('three', 'one');
    queue.cancel('one', 'Ann');
    expect(queue.list().map(({ text }) => text)).toEqual(['three', 'TWO']);
    expect(data('message.dropped')).toEqual([{ key: 'one', how: 'cancelled', by: 'Ann' }]);
    turnEnds();
    await vi.waitFor(() => expect(agent.got).toEqual(['three']));
    expect(() => queue.edit('three', 'late')).toThrow('does not wait any more');
    expect(() => queue.cancel('one')).toThrow('it was cancelled');
    expect(() => queue.move('two', 'nobody')).toThrow('there is none of this key');
    turnEnds();
    await vi.waitFor(() => expect(agent.got).toEqual(['three', 'TWO']));
  });

  it('a message that begins no turn holds the next one up for a moment only', async () => {
    const { agent, clock, add } = scene();
    agent.free = true;
    expect(await add('/model x')).toEqual(SUBMITTED);
    const next = add('next');
    clock.advance(1_999);
    expect(agent.got).toEqual(['/model x']);
    clock.advance(1);
    await vi.waitFor(() => expect(agent.got).toEqual(['/model x', 'next']));
    expect(await next).toEqual(SUBMITTED);
  });

  it('an agent that rests and cannot take it is looked at again', async () => {
    const { agent, clock, add } = scene();
    agent.free = true;
    agent.mayTake = false;
    expect(await add('one')).toMatchObject({ verdict: 'queued' });
    agent.mayTake = true;
    clock.advance(200);
    await vi.waitFor(() => expect(agent.got).toEqual(['one']));
  });

  it('what is refused five times is dropped, told, and holds up nobody', async () => {
    const { agent, clock, add, data } = scene();
    agent.free = true;
    agent.verdicts = Array.from({ length: 5 }, () => ({ verdict: 'refused' as const, reason: 'a dialog is open' }));
    expect(await add('one')).toEqual({ verdict: 'queued', reason: 'a dialog is open' });
    expect(await add('two')).toMatchObject({ verdict: 'queued' });
    for (let at = 2; at <= 5; at += 1) {
      clock.advance(2_000);
      await vi.waitFor(() => expect(agent.got.length).toBeGreaterThanOrEqual(at));
    }
    await vi.waitFor(() => expect(agent.got).toEqual(['one', 'one', 'one', 'one', 'one', 'two']));
    expect(data('message.dropped')).toEqual([{ key: 'one', how: 'refused', reason: 'a dialog is open' }]);
  });

  it('has bounds: a hundred messages, four megabytes, no empty one', async () => {
    const { add } = scene();
    expect(await add(' \n', 'empty')).toMatchObject({ verdict: 'refused' });
    const large = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 4; at += 1) expect((await add(large, `large ${at}`)).verdict).toBe('queued');
    expect(await add('one more')).toMatchObject({ verdict: 'refused', reason: expect.stringContaining('bytes') });
    const many = scene();
    for (let at = 0; at < 100; at += 1) expect((await many.add(`${at}`)).verdict).toBe('queued');
    expect(await many.add('100')).toMatchObject({ verdict: 'refused' });
  });
});

describe('W35: a key is one message', () => {
  it('sent again while it waits, while it is being sent, and after: one prompt, the same word', async () => {
    const { agent, turnEnds, add, data } = scene();
    let taken: (receipt: SendReceipt) => void = () => undefined;
    agent.verdicts = [
      new Promise((resolve) => {
        taken = resolve;
      }),
    ];
    await add('one', 'k');
    expect(await add('one', 'k')).toMatchObject({ verdict: 'queued' });
    turnEnds();
    await vi.waitFor(() => expect(agent.got).toHaveLength(1));
    const again = add('one', 'k');
    taken(SUBMITTED);
    expect(await again).toEqual(SUBMITTED);
    expect(await add('one', 'k')).toEqual(SUBMITTED);
    turnEnds();
    expect(agent.got).toEqual(['one']);
    expect(data('message.queued')).toHaveLength(1);
  });

  it('is found in the agent’s own record once', async () => {
    const { agent, add, queue } = scene();
    agent.free = true;
    await add('say  hello\nto everyone', 'k');
    expect(queue.keyOf('something typed')).toBeUndefined();
    expect(queue.keyOf('say hello to everyone')).toBe('k');
    expect(queue.keyOf('say hello to everyone')).toBeUndefined();
  });
});

describe('L5: the end', () => {
  it('drops what waits, and says so; nothing of it is given to anyone later', async () => {
    const { agent, turnEnds, add, queue, data, entries } = scene();
    await add('one');
    await add('two');
    queue.end('stopped');
    turnEnds();
    expect(data('message.dropped')).toMatchObject([
      { key: 'one', how: 'ended', reason: expect.stringContaining('stopped') },
      { key: 'two', how: 'ended' },
    ]);
    expect(agent.got).toEqual([]);
    expect(await add('one')).toMatchObject({ verdict: 'refused' });
    expect(foldMessages(entries).waiting).toEqual([]);
  });
});

describe('another host of the session', () => {
  it('goes on with what waited, as it was edited and ordered, and knows what was sent', async () => {
    const first = scene();
    for (const text of ['one', 'two', 'three']) await first.add(text);
    first.turnEnds();
    await vi.waitFor(() => expect(first.data('message.sent')).toHaveLength(1));
    first.queue.edit('two', 'TWO');
    first.queue.move('three', 'two');
    const next = scene(first.entries);
    expect(next.queue.list().map(({ text }) => text)).toEqual(['three', 'TWO']);
    expect(await next.add('one')).toEqual(SUBMITTED);
    next.turnEnds();
    await vi.waitFor(() => expect(next.agent.got).toEqual(['three']));
  });

  it.each([
    [true, 'message.sent', { verdict: 'submitted', evidence: 'transcript' }],
    [false, 'message.dropped', { how: 'unknown' }],
  ] as const)('one that was being sent is not sent again (in the agent’s record: %s)', async (seen, type, told) => {
    const first = scene();
    first.agent.free = true;
    first.agent.verdicts = [new Promise(() => undefined)];
    void first.add('one');
    await vi.waitFor(() => expect(first.agent.got).toHaveLength(1));
    const head = first.entries.at(-1)!;
    const record = { ...head, type: 'prompt.given', data: { text: 'one' } } as Entry;
    const next = scene([...first.entries, ...(seen ? [record] : [])]);
    next.turnEnds();
    expect(next.data(type)).toMatchObject([{ key: 'one', ...told }]);
    expect(next.queue.list()).toEqual([]);
    expect(next.agent.got).toEqual([]);
  });
});
