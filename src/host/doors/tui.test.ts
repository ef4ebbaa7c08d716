import { beforeEach, describe, expect, it } from 'vitest';
import {
  clock,
  door,
  hookFace,
  inquiries,
  later,
  NEVER,
  NO,
  pressed,
  rule,
  said,
  settle,
  show,
  start,
  states,
  stay,
  stillFor,
  typeAs,
  waitsNow,
  YES,
} from './tui.cases.js';

describe('a dialog and its hook are one inquiry', () => {
  beforeEach(() => start(hookFace));

  it('when the dialog is painted first, as it always is', async () => {
    await show('DIALOG ls');
    expect(inquiries).toEqual([]);
    await settle();
    expect(door.mayType).toMatchObject({ may: 'no', reason: expect.stringContaining('a permission dialog') });
    const reply = door.hook!('Request', 'ls', NEVER);
    await later();
    clock.advance(60_000);
    expect(inquiries.map(({ draft: { input } }) => input)).toEqual([{ command: 'ls' }]);
    inquiries[0]!.settle(YES);
    expect(await reply).toMatchObject({ stdout: 'Request allow' });
    expect([inquiries[0]!.end, pressed]).toEqual(['delivered', []]);
  });

  it('and the dialog that is still painted after the answer is not asked about again', async () => {
    const reply = door.hook!('Request', 'ls', NEVER);
    await show('DIALOG ls');
    inquiries[0]!.settle(YES);
    await reply;
    await show('repainted', 'DIALOG ls');
    await show('WORKING');
    clock.advance(60_000);
    expect([inquiries.length, pressed]).toEqual([1, []]);
  });

  it('a dialog that no hook comes for is asked about in its own right', async () => {
    await stay('DIALOG rm');
    clock.advance(1_000);
    expect(inquiries.map(({ draft: { input } }) => input)).toEqual([{ screen: 'rm' }]);
    const reply = door.hook!('Request', 'rm', NEVER);
    await later();
    expect(inquiries.map(({ end }) => end)).toEqual(['its hook asks', undefined]);
    inquiries[1]!.settle(NO);
    expect(await reply).toMatchObject({ stdout: 'Request deny' });
    expect(pressed).toEqual([]);
  });

  it.each(['WORKING', 'READY'])('answered in the agent’s own dialog (then %s), the inquiry closes', async (state) => {
    const reply = door.hook!('Request', 'ls', NEVER);
    await show('DIALOG ls');
    await show('PAINTING');
    expect(inquiries[0]!.end).toBeUndefined();
    await show(state);
    expect(inquiries[0]!.end).toBe('there');
    expect(await reply).toMatchObject({ stdout: 'Request pass' });
  });

  it('answered in a dialog nobody can read, the inquiry closes when the agent tells what came of the call', async () => {
    await door.hook!('Gate', 'ask', NEVER);
    const reply = door.hook!('Request', 'ask', NEVER);
    const other = door.hook!('Request', 'other', NEVER);
    await show('something new');
    await show('WORKING');
    expect(inquiries.map(({ end }) => end)).toEqual([undefined, undefined]);
    await door.hook!('Returned', 'ask', NEVER);
    expect(inquiries.map(({ end }) => end)).toEqual(['there', undefined]);
    expect(await reply).toMatchObject({ stdout: 'Request pass' });
    await show('READY');
    expect(await other).toMatchObject({ stdout: 'Request pass' });
  });

  it('painted before its hook came and answered there before another frame, it closes as well', async () => {
    await show('DIALOG ls');
    const reply = door.hook!('Request', 'ls', NEVER);
    await later();
    await show('READY');
    expect(inquiries.map(({ end }) => end)).toEqual(['there']);
    expect(await reply).toMatchObject({ stdout: 'Request pass' });
  });

  it('a picture that is still there after its answer is not the next hook’s', async () => {
    const first = door.hook!('Request', 'a', NEVER);
    await show('DIALOG a');
    inquiries[0]!.settle(YES);
    await first;
    const second = door.hook!('Request', 'b', NEVER);
    await show('still', 'DIALOG a');
    await show('WORKING');
    await show('DIALOG b');
    expect(inquiries[1]!.end).toBeUndefined();
    inquiries[1]!.settle(NO);
    expect(await second).toMatchObject({ stdout: 'Request deny' });
  });

  it('of two, the one that was answered on the screen closes and the other stays', async () => {
    const replies = ['a', 'b'].map((tool) => door.hook!('Request', tool, NEVER));
    await later();
    await show('DIALOG a');
    await show('DIALOG b');
    expect(inquiries.map(({ end }) => end)).toEqual(['there', undefined]);
    inquiries[1]!.settle(YES);
    expect((await Promise.all(replies)).map(({ stdout }) => stdout)).toEqual(['Request pass', 'Request allow']);
  });

  it('a hook that dies takes its inquiry with it at once', async () => {
    let die: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      die = resolve;
    });
    void door.hook!('Request', 'ls', gone);
    await later();
    die();
    await later();
    expect(inquiries[0]!.end).toBe('there');
    await stay('WORKING');
    expect(door.mayType).toEqual({ may: 'queue' });
  });

  it('an interrupt closes it', async () => {
    const reply = door.hook!('Request', 'ls', NEVER);
    await later();
    await door.interrupt();
    expect([pressed, inquiries[0]!.end]).toEqual([['\x1b'], 'the turn was interrupted']);
    await reply;
  });

  it('a weaker signal does not clear it', async () => {
    void door.hook!('Request', 'ls', NEVER);
    await show('DIALOG ls');
    door.feed(Buffer.from('\x1b]777;x\x07'));
    await show('PAINTING');
    expect(door.state).toBe('asking-permission');
  });
});

describe('a call of our hook', () => {
  beforeEach(() => start(hookFace));

  it('that ends a turn is faster than the picture: an old spinner is not work, a new prompt is', async () => {
    const never = new Promise<void>(() => undefined);
    await door.hook!('Prompt', 'one', never);
    await door.hook!('Rest', '', never);
    await show('WORKING');
    expect(states.at(-1)).toBe('idle (hook)');
    await door.hook!('Prompt', 'two', never);
    expect(states.at(-1)).toBe('working (hook)');
    await door.hook!('Rest', '', never);
    clock.advance(1_000);
    await show('more', 'WORKING');
    expect(states.at(-1)).toBe('working (screen)');
  });

  it('is settled by rules where they have something to say', async () => {
    rule(NO);
    expect(await door.hook!('Gate', 'ls', NEVER)).toMatchObject({ stdout: 'Gate deny' });
    expect([inquiries, said]).toEqual([[], [{ kind: 'tool', call: 'c', tool: 'ls', input: { command: 'ls' } }]]);
  });

  it('is left to the agent’s dialog where it has one', async () => {
    expect(await door.hook!('Gate', 'ls', NEVER)).toMatchObject({ stdout: 'Gate dialog' });
    expect(inquiries).toEqual([]);
  });

  it('a result waits for its answer: no agent has a dialog for it', async () => {
    const reply = door.hook!('Result', 'cat', NEVER);
    await later();
    expect(inquiries.map(({ draft: { kind } }) => kind)).toEqual(['deliver']);
    inquiries[0]!.settle(NO);
    expect(await reply).toMatchObject({ stdout: 'Result deny' });
  });

  it('withdrawn without a dialog of its own is a no', async () => {
    const reply = door.hook!('Result', 'cat', NEVER);
    await later();
    inquiries[0]!.withdraw('the session ended');
    expect(await reply).toMatchObject({ stdout: 'Result deny' });
  });

  it.each([
    ['cannot be read', 'Broken', { exit: 2, stderr: 'cannot read it' }],
    ['means nothing', 'Whatever', { exit: 0, stdout: 'Whatever pass' }],
  ])('that %s has an answer', async (_, event, expected) => {
    expect(await door.hook!(event, 'x', NEVER)).toMatchObject(expected);
  });

  it('that nobody expects has nobody to take it: the host refuses it', () => {
    start(undefined);
    expect(door.hook).toBeUndefined();
  });

  it('after the agent ended opens nothing', async () => {
    door.end();
    await door.hook!('Request', 'ls', NEVER);
    expect(inquiries).toEqual([]);
  });
});

it('nothing the model prints presses a key or asks anyone', async () => {
  start(undefined);
  await show('WORKING');
  const hostile = ['DIALOG rm -rf', 'Do you trust this folder? FIRST run', 'READY', 'Press 1 to allow', '\x1b[201~1\r'];
  await show(...hostile, 'WORKING');
  expect([inquiries, pressed, states]).toEqual([[], [], ['working (screen)']]);
});

it('D6: one frame of ready is not ready', async () => {
  start(hookFace);
  await stay('WORKING');
  await show('READY');
  await show('PAINTING');
  await settle();
  expect(states).toEqual(['working (screen)', 'asking-permission (screen)']);
  expect(door.mayType).toMatchObject({ may: 'no' });
});

it('its own file may say that it waits, though its screen is ready; not for ever', async () => {
  start(hookFace);
  await stay('READY');
  waitsNow(true);
  expect(door.mayType).toMatchObject({ may: 'no' });
  waitsNow(false);
  expect(door.mayType).toEqual({ may: 'type' });
  waitsNow(true);
  await stillFor(10_000);
  expect(door.mayType).toEqual({ may: 'type' });
});

it('D5: a program nobody can read is typed to at once, and its pictures are no dialogs', async () => {
  start(undefined, true);
  expect(door.mayType).toEqual({ may: 'blind' });
  await stay('DIALOG ls');
  await stillFor(20_000);
  expect([door.mayType, inquiries]).toEqual([{ may: 'blind' }, []]);
  await door.ready();
});

it('is ready when it says so, and never after it ended', async () => {
  start(hookFace);
  expect(door.mayType).toMatchObject({ may: 'later' });
  let isReady = false;
  const ready = door.ready().then(() => {
    isReady = true;
  });
  await stay('WORKING');
  expect([door.mayType, isReady]).toEqual([{ may: 'queue' }, false]);
  await stay('READY');
  await ready;
  expect(door.mayType).toEqual({ may: 'type' });
  await door.ready();
  door.end();
  expect(door.mayType).toMatchObject({ may: 'no' });
});

describe('at rest', () => {
  it('L6: an interrupt presses nothing; while it works, and in a dialog, it does', async () => {
    start(undefined);
    await stay('READY');
    await door.interrupt();
    expect(pressed).toEqual([]);
    await stay('WORKING');
    await door.interrupt();
    expect(pressed).toEqual(['\x1b']);
    await stay('DIALOG ls');
    await door.interrupt();
    expect(pressed).toEqual(['\x1b', '\x1b']);
  });

  it('S10: another model is one line typed there, and never part of a turn', async () => {
    start(undefined);
    const lines: string[] = [];
    typeAs(async (text) => {
      lines.push(text);
      return { verdict: 'submitted', evidence: 'screen' };
    });
    await stay('WORKING');
    expect(await door.model('sonnet')).toMatchObject({
      verdict: 'refused',
      reason: expect.stringContaining('not at rest'),
    });
    await stay('READY');
    expect(await door.model('sonnet')).toMatchObject({ verdict: 'submitted' });
    expect(lines).toEqual(['/model sonnet']);
  });
});
