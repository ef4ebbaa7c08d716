/** What only the screen of an agent’s terminal program tells: dialogs, and whether a message was taken. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  clock,
  door,
  hookFace,
  inquiries,
  later,
  NEVER,
  NO,
  pressed,
  settle,
  show,
  start,
  stay,
  stillFor,
  typeAs,
  YES,
} from './tui.cases.js';

/** Time passes until this inquiry is over. */
const ends = (index: number, how: unknown) =>
  vi.waitFor(() => {
    clock.advance(1_000);
    expect(inquiries[index]!.end).toEqual(how);
  });

describe('a dialog that only the screen tells of', () => {
  beforeEach(() => start(undefined));

  it('is answered with the keys of its own labels', async () => {
    await stay('DIALOG ls');
    inquiries[0]!.settle(YES);
    await vi.waitFor(() => expect(pressed).toEqual(['1']));
    // A key that was written is no proof that it was taken; half a picture is none either.
    await stay('DIALOG ls');
    await stay('PAINTING');
    expect(inquiries[0]!.end).toBeUndefined();
    await stay('WORKING');
    await ends(0, 'delivered');
    expect([pressed, inquiries.length]).toEqual([['1'], 1]);
  });

  it('that takes no key is never said to be told: it is asked again, and in the end left to a person', async () => {
    await stay('DIALOG ls');
    for (const [index, held] of [false, false, false, true].entries()) {
      await vi.waitFor(() => expect(inquiries).toHaveLength(index + 1));
      expect(inquiries[index]!.held).toBe(held);
      if (held) break;
      inquiries[index]!.settle(YES);
      await vi.waitFor(() => expect(pressed).toHaveLength(index + 1));
      await ends(index, expect.stringContaining('its key was not taken'));
      await stay('DIALOG ls');
    }
    // The person answers there.
    await stay('WORKING');
    expect(inquiries[3]!.end).toBe('there');
  });

  it('taken late is told all the same: nobody is asked twice, and no second key follows', async () => {
    await stay('DIALOG ls');
    inquiries[0]!.settle(YES);
    await vi.waitFor(() => expect(pressed).toEqual(['1']));
    for (let waited = 0; waited < 5_000; waited += 250) {
      clock.advance(250);
      await later();
    }
    await stay('DIALOG ls');
    expect([inquiries.length, inquiries[0]!.end]).toEqual([1, undefined]);
    await stay('WORKING');
    await ends(0, 'delivered');
    expect([pressed, inquiries.length]).toEqual([['1'], 1]);
  });

  it('is not asked about twice while it is still painted; swallowed keys are noticed', async () => {
    await stay('DIALOG ls');
    inquiries[0]!.settle(NO);
    await vi.waitFor(() => expect(pressed).toEqual(['2']));
    // Keys of one answer go one by one, each when the one before has shown.
    await show('moved', 'DIALOG ls');
    await vi.waitFor(() => {
      clock.advance(25);
      expect(pressed).toEqual(['2', 'x']);
    });
    await show('still here', 'DIALOG ls');
    expect(inquiries).toHaveLength(1);
    await ends(0, expect.stringContaining('its key was not taken'));
    await stay('still here', 'DIALOG ls');
    await vi.waitFor(() => expect(inquiries).toHaveLength(2));
  });

  it('the same again later is a new question', async () => {
    await stay('DIALOG ls');
    inquiries[0]!.settle(YES);
    await vi.waitFor(() => expect(pressed).toEqual(['1']));
    await stay('WORKING');
    await ends(0, 'delivered');
    await stay('DIALOG ls');
    expect(inquiries).toHaveLength(2);
  });

  it('gone in the moment of the answer: no key is pressed into what came after it', async () => {
    await stay('DIALOG ls');
    door.feed(Buffer.from('\x1b[2J\x1b[HDIALOG other'));
    inquiries[0]!.settle(YES);
    await vi.waitFor(() => expect(inquiries[0]!.end).toBeDefined());
    expect([pressed, inquiries[0]!.end === 'delivered']).toEqual([[], false]);
  });

  it('half painted stays what it was', async () => {
    await stay('DIALOG ls');
    await show('PAINTING');
    await show('...');
    expect(inquiries.map(({ end }) => end)).toEqual([undefined]);
    await stay('WORKING');
    expect(inquiries[0]!.end).toBe('there');
  });

  it.each([
    ['ls', ['2', 'x'], /refused instead/],
    ['stuck', [], /only be answered in the agent’s own terminal/],
  ])('that cannot carry the answer (%s) never says it did', async (name, keys, why) => {
    await stay(`DIALOG ${name}`);
    inquiries[0]!.settle({ verdict: { kind: 'allow', input: {} } });
    await vi.waitFor(() => expect(pressed).toEqual(keys.slice(0, 1)));
    await show('moved', `DIALOG ${name}`);
    await vi.waitFor(() => {
      clock.advance(25);
      expect(pressed).toEqual(keys);
    });
    await stay('WORKING');
    await ends(0, expect.stringMatching(why));
    expect(pressed).toEqual(keys);
  });

  it('D4: is one inquiry while it is painted, and only once it stands', async () => {
    await show('DIALOG half');
    await show('DIALOG more');
    await show('DIALOG whole');
    expect(inquiries).toEqual([]);
    await settle();
    expect(inquiries.map(({ draft: { tool } }) => tool)).toEqual(['whole']);
    await show('WORKING');
    await stay('again', 'DIALOG whole');
    expect(inquiries.map(({ end }) => end)).toEqual([undefined]);
  });

  it('D1: one that cannot be read takes no text, is shown to a person once, and is over when the agent goes on', async () => {
    await stay('part of it', 'CUT off');
    expect(door.mayType).toMatchObject({ may: 'no', reason: expect.stringContaining('cannot read') });
    expect(inquiries).toEqual([]);
    await stay('another part', 'CUT off');
    await stillFor(1_000);
    expect(inquiries.map(({ draft: one }) => one)).toEqual([
      { kind: 'run', tool: 'dialog', input: { screen: 'another part\nCUT off' }, exclusive: true },
    ]);
    await stay('scrolled', 'CUT off');
    await stillFor(10_000);
    expect([inquiries.length, door.mayType]).toMatchObject([
      1,
      { may: 'no', reason: expect.stringMatching(/k7f2m9qd\.1.*reins attach/) },
    ]);
    await stay('READY');
    expect([inquiries[0]!.end, door.mayType, pressed]).toEqual(['the agent goes on', { may: 'type' }, []]);
  });

  it('D3: a page nobody knows is told of when it stands still, not while it changes', async () => {
    await stay('READY');
    for (let at = 0; at < 5; at += 1) {
      await show('loading', String(at));
      await stillFor(2_000);
    }
    expect([inquiries, door.mayType]).toMatchObject([[], { may: 'later' }]);
    await show('Which one, [a] or [b]?');
    await stillFor(3_000);
    expect(inquiries.map(({ draft: { input } }) => input)).toEqual([{ screen: 'Which one, [a] or [b]?' }]);
    await stay('WORKING');
    expect(inquiries[0]!.end).toBe('the agent goes on');
  });

  it('whose turn is over leaves in its own way: its last pages are nobody’s to answer', async () => {
    await stay('READY');
    door.turnDone();
    await show('Shutting down...');
    await stillFor(10_000);
    expect(inquiries).toEqual([]);
  });

  it('policy’s no to one that has no key for it: asked again for a person, not once per frame', async () => {
    await stay('DIALOG stuck');
    inquiries[0]!.settle({ verdict: { kind: 'allow', input: {} } });
    await vi.waitFor(() => expect(inquiries.map(({ held }) => held)).toEqual([false, true]));
    for (const line of ['a', 'b', 'c']) await stay(line, 'DIALOG stuck');
    expect([inquiries.length, inquiries[1]!.end, pressed]).toEqual([2, undefined, []]);
  });

  it('is over when the agent is, and a last picture raises nothing', async () => {
    await stay('DIALOG ls');
    door.end();
    expect(inquiries[0]!.end).toBe('the agent ended');
    await show('DIALOG other');
    clock.advance(10_000);
    expect([inquiries.length, door.state]).toEqual([1, 'ended']);
  });
});

describe('proof that a message was taken', () => {
  const TEXT = 'Fix the  tests\nin src/host, please, and run them twice.';

  beforeEach(() => start(hookFace));

  it.each([
    ['the same', TEXT, true],
    ['trimmed and wrapped anew', ` ${TEXT.replace(/\s+/g, '\n')}  `, true],
    ['joined with another', `Before.\n${TEXT}\nAfter.`, true],
    ['another message', 'Fix the tests', false],
    ['nothing', '', false],
  ])('is its own echo: %s', async (_, echo, isProof) => {
    let proof: string | undefined;
    const receipt = door.submit(TEXT).then(({ evidence }) => {
      proof = evidence;
    });
    await door.hook!('Prompt', echo, NEVER);
    await later();
    expect(proof).toBe(isProof ? 'hook' : undefined);
    await door.hook!('Prompt', TEXT, NEVER);
    await receipt;
  });

  it('a short message is not proven by one that happens to contain it', async () => {
    let proof: string | undefined;
    const receipt = door.submit('go').then(({ evidence }) => {
      proof = evidence;
    });
    await door.hook!('Prompt', 'let us go on', NEVER);
    await later();
    expect(proof).toBeUndefined();
    await door.hook!('Prompt', 'go', NEVER);
    await receipt;
    expect(proof).toBe('hook');
  });

  it('what cannot be seen does not matter', async () => {
    const receipt = door.submit('a\x1b[201~b\u200b\r\nc');
    await door.hook!('Prompt', 'a[201~b c', NEVER);
    expect((await receipt).evidence).toBe('hook');
  });

  it('a message that was given up does not take the proof of the next', async () => {
    typeAs(async () => ({ verdict: 'refused', reason: 'a dialog is open' }));
    await door.submit(TEXT);
    typeAs(async (_, evidence) => ({ verdict: 'submitted', evidence: await evidence }));
    const receipt = door.submit(TEXT);
    await door.hook!('Prompt', TEXT, NEVER);
    expect(await receipt).toEqual({ verdict: 'submitted', evidence: 'hook' });
  });

  it('without hooks, it is work that begins after the agent was free', async () => {
    start(undefined);
    await show('WORKING');
    let proof: string | undefined;
    const receipt = door.submit(TEXT).then(({ evidence }) => {
      proof = evidence;
    });
    await show('more', 'WORKING');
    expect(proof).toBeUndefined();
    await stay('READY');
    await show('again', 'WORKING');
    await receipt;
    expect(proof).toBe('screen');
  });
});
