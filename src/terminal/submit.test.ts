import { createHash } from 'node:crypto';
import pty from '@lydell/node-pty';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { HandClock, systemClock } from '../contract/index.js';
import type { Written } from './process.js';
import { Screen } from './screen.js';
import { cleanText, defused, type MayType, type SubmitOptions, submit } from './submit.js';

/**
 * A program in raw mode with an input box, as agents have it: a paste is one piece, Enter sends, Enter within 30 ms of
 * other bytes is a newline. Says exactly what it got: each message (a long one by its hash), and each other key.
 */
const BOX = `
process.stdin.setRawMode(true);
process.stdout.write(process.argv[1] === 'plain' ? 'ready\\r\\n' : '\\x1b[?2004hready\\r\\n');
let box = '', held = '', pasting = false, lastAt = 0, pastes = 0;
const say = (what) => process.stdout.write('\\x1b]777;' + JSON.stringify(what) + '\\x07');
process.stdin.on('data', (data) => {
  held += data.toString('latin1');
  for (;;) {
    if (pasting) {
      const end = held.indexOf('\\x1b[201~');
      if (end === -1) { const keep = Math.max(0, held.length - 5); box += held.slice(0, keep); held = held.slice(keep); return; }
      box += held.slice(0, end); held = held.slice(end + 6); pasting = false; pastes++; lastAt = Date.now(); continue;
    }
    if (held === '') return;
    if (held.startsWith('\\x1b[200~')) { pasting = true; held = held.slice(6); continue; }
    if ('\\x1b[200~'.startsWith(held) && held !== '') return;
    const key = held[0]; held = held.slice(1);
    if (key !== '\\r') { if (key < ' ') say({ key: key.charCodeAt(0) }); box += key; lastAt = Date.now(); continue; }
    if (process.argv[1] !== 'plain' && Date.now() - lastAt < 30) { box += '\\n'; lastAt = Date.now(); continue; }
    const got = Buffer.from(box, 'latin1');
    const short = got.length < 4096 ? got : Buffer.from(require('node:crypto').createHash('sha256').update(got).digest('hex'));
    say({ message: short.toString('base64'), pastes }); box = ''; pastes = 0;
  }
});
setInterval(() => {}, 1000);
`;

const LATER: MayType = { may: 'later', reason: 'it starts' };

interface Box {
  options: Pick<SubmitOptions, 'write' | 'screenModes' | 'clock' | 'evidence'>;
  messages: { text: string; pastes: number }[];
  keys: number[];
  writes: string[];
  next(): Promise<void>;
  end(): void;
}

const open: Box[] = [];
afterEach(() => {
  for (const box of open.splice(0)) box.end();
});

async function startBox(kind: 'agent' | 'plain' = 'agent'): Promise<Box> {
  const child = pty.spawn(process.execPath, ['-e', BOX, kind], { cols: 80, rows: 24, env: {}, encoding: null });
  const screen = new Screen({ size: { cols: 80, rows: 24 } });
  const messages: Box['messages'] = [];
  const keys: number[] = [];
  const writes: string[] = [];
  let wake: (() => void)[] = [];
  const news = (): Promise<void> => new Promise((resolve) => wake.push(resolve));
  screen.onOsc((code, text) => {
    if (code !== 777) return;
    const said = JSON.parse(text) as { message?: string; pastes: number; key?: number };
    if (said.key !== undefined) keys.push(said.key);
    if (said.message !== undefined) {
      messages.push({ text: Buffer.from(said.message, 'base64').toString('utf8'), pastes: said.pastes });
    }
    for (const call of wake.splice(0)) call();
  });
  const ready = new Promise<void>((resolve) => {
    screen.onFrame(({ lines }) => {
      if (lines.some((line) => line.startsWith('ready'))) resolve();
    });
  });
  child.onData((data) => screen.write(data as unknown as Uint8Array));
  await ready;
  const box: Box = {
    messages,
    keys,
    writes,
    next: news,
    options: {
      clock: systemClock,
      screenModes: () => screen.modes(),
      write: async (bytes): Promise<Written> => {
        writes.push(Buffer.from(bytes).toString('latin1'));
        child.write(Buffer.from(bytes) as unknown as string);
        return 'written';
      },
      evidence: async () => {
        const before = messages.length;
        while (messages.length === before) await news();
        return 'screen';
      },
    },
    end() {
      child.kill('SIGKILL');
      screen.close();
      wake = [];
    },
  };
  open.push(box);
  return box;
}

describe('submit into a real terminal program', () => {
  test('F5: several lines are one paste, exactly one Enter, one message', async () => {
    const box = await startBox();
    expect(await submit({ ...box.options, text: 'line 1\nline 2' })).toEqual({
      verdict: 'submitted',
      evidence: 'screen',
    });
    expect(box.messages).toEqual([{ text: 'line 1\nline 2', pastes: 1 }]);
    expect(box.writes).toEqual(['\x1b[200~line 1\nline 2\x1b[201~', '\r']);
  });

  test('escape sequences in the text end neither the paste nor press keys', async () => {
    const box = await startBox();
    const text = 'a\x1b[201~\rrm -rf x\r\x03\x1b[A\u009b201~b\x00\ttab';
    expect(await submit({ ...box.options, text })).toMatchObject({ verdict: 'submitted' });
    expect(box.messages).toEqual([{ text: 'a[201~\nrm -rf x\n[A201~b\ttab', pastes: 1 }]);
    expect(box.keys).toEqual([]);
  });

  test('200 KB with emoji arrives whole, in pieces, once', async () => {
    const box = await startBox();
    const text = 'héllo 👍🏽 日本 '.repeat(9000).trim();
    expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
    expect(await submit({ ...box.options, text, settleMs: 400 })).toMatchObject({ verdict: 'submitted' });
    expect(box.messages).toEqual([{ text: createHash('sha256').update(text).digest('hex'), pastes: 1 }]);
    expect(box.writes.length).toBeGreaterThan(10);
  });

  test('a leading ! or / is made harmless, a slash command that was meant is typed', async () => {
    const box = await startBox();
    await submit({ ...box.options, text: '!rm -rf x' });
    await submit({ ...box.options, text: '/quit now' });
    await submit({ ...box.options, text: '/compact ', slash: 'typed' });
    expect(box.messages).toEqual([
      { text: ' !rm -rf x', pastes: 1 },
      { text: ' /quit now', pastes: 1 },
      { text: '/compact', pastes: 0 },
    ]);
  });

  test('a dialog that is open: nothing is typed', async () => {
    const box = await startBox();
    const mayType = () => ({ may: 'no', reason: 'a permission dialog is open' }) as const;
    const receipt = await submit({ ...box.options, text: 'hello', mayType });
    expect(receipt).toEqual({ verdict: 'refused', reason: 'a permission dialog is open; nothing was typed' });
    expect(box.writes).toEqual([]);
  });

  test('a dialog that opens before Enter: no Enter, and the text is said to be in the box', async () => {
    const box = await startBox();
    const receipt = await submit({
      ...box.options,
      text: 'hello',
      mayType: (before) => (before === 'enter' ? { may: 'no', reason: 'the update dialog is open' } : { may: 'type' }),
    });
    expect(receipt.verdict).toBe('refused');
    expect(receipt.reason).toBe('the update dialog is open; Enter was not pressed, the text may be in the input box');
    expect(box.writes).toEqual(['\x1b[200~hello\x1b[201~']);
  });

  test('without bracketed paste one line is typed, several are refused', async () => {
    const box = await startBox('plain');
    expect(await submit({ ...box.options, text: 'one' })).toMatchObject({ verdict: 'submitted' });
    expect((await submit({ ...box.options, text: 'one\ntwo' })).verdict).toBe('refused');
    expect(box.messages).toEqual([{ text: 'one', pastes: 0 }]);
  });

  test('a plain program gets line by line, as a person types', async () => {
    const box = await startBox('plain');
    await submit({ ...box.options, text: 'one\ntwo\n', plain: true });
    while (box.messages.length < 2) await box.next();
    expect(box.messages.map((message) => message.text)).toEqual(['one', 'two']);
  });
});

describe('verdicts', () => {
  interface Scene {
    options: SubmitOptions;
    clock: HandClock;
    writes: string[];
  }

  function scene(more: Partial<SubmitOptions> = {}): Scene {
    const clock = new HandClock();
    const writes: string[] = [];
    const write = async (bytes: Uint8Array): Promise<Written> => {
      writes.push(Buffer.from(bytes).toString('utf8'));
      return 'written';
    };
    return {
      clock,
      writes,
      options: { text: 'hi', write, clock, screenModes: async () => ({ bracketedPaste: true }), ...more },
    };
  }

  /** Moves time on, step by step, until the promise settles. */
  async function passing<T>(clock: HandClock, promise: Promise<T>, stepMs = 50): Promise<T> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    while (!settled) {
      await new Promise(setImmediate);
      if (!settled) clock.advance(stepMs);
    }
    return done;
  }

  test('no proof in time is no-evidence; nothing is typed again, nothing is left waiting', async () => {
    const { clock, writes, options } = scene({ evidence: () => new Promise(() => {}), evidenceMs: 3000 });
    expect(await passing(clock, submit(options))).toMatchObject({ verdict: 'no-evidence' });
    expect(writes).toEqual(['\x1b[200~hi\x1b[201~', '\r']);
    expect(clock.waiting).toBe(0);
  });

  test('a source of proof that fails is no proof', async () => {
    const { clock, options } = scene({ evidence: () => Promise.reject(new Error('hook died')) });
    expect(await passing(clock, submit(options))).toMatchObject({ verdict: 'no-evidence' });
  });

  test('Enter comes no sooner than the echo may settle', async () => {
    const { clock, writes, options } = scene({ settleMs: 150 });
    const sent = submit(options);
    while (writes.length === 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
    clock.advance(149);
    await new Promise(setImmediate);
    expect(writes).toHaveLength(1);
    await passing(clock, sent, 1);
    expect(writes).toHaveLength(2);
  });

  test('F4: an agent that is ready only after 8 s gets nothing before, and the message once', async () => {
    const { clock, writes, options } = scene({ evidence: async () => 'hook' });
    const start = clock.now();
    const mayType = (): MayType => (clock.now() - start >= 8000 ? { may: 'type' } : LATER);
    const sent = submit({ ...options, mayType });
    for (let passed = 0; passed < 7900; passed += 100) {
      clock.advance(100);
      await new Promise(setImmediate);
      expect(writes).toEqual([]);
    }
    expect(await passing(clock, sent)).toEqual({ verdict: 'submitted', evidence: 'hook' });
    expect(writes).toEqual(['\x1b[200~hi\x1b[201~', '\r']);
  });

  test('never ready: refused, nothing typed', async () => {
    const { clock, writes, options } = scene({ mayType: () => LATER, readyMs: 1000 });
    expect(await passing(clock, submit(options))).toEqual({
      verdict: 'refused',
      reason: 'it starts; nothing was typed',
    });
    expect(writes).toEqual([]);
  });

  test('a busy agent: queued (L4)', async () => {
    const queue = scene({ mayType: () => ({ may: 'queue' }) });
    expect(await passing(queue.clock, submit(queue.options))).toMatchObject({ verdict: 'queued' });
  });

  test('D5: a program nobody can read is typed to, and nothing is claimed', async () => {
    const { clock, writes, options } = scene({ mayType: () => ({ may: 'blind' }), evidence: async () => 'hook' });
    expect(await passing(clock, submit(options))).toMatchObject({ verdict: 'no-evidence' });
    expect(writes).toEqual(['\x1b[200~hi\x1b[201~', '\r']);
  });

  test('D6: a picture that does not come to rest with the text in it gets no Enter', async () => {
    const { clock, writes, options } = scene({
      mayType: (before) => (before === 'text' ? { may: 'type' } : LATER),
    });
    expect(await passing(clock, submit(options))).toMatchObject({ verdict: 'refused' });
    expect(writes).toEqual(['\x1b[200~hi\x1b[201~']);
  });

  test.each(['gone', 'full'] as const)('an agent whose input is %s: refused with the reason', async (wrote) => {
    const { clock, options } = scene({ write: async () => wrote, evidence: () => new Promise(() => {}) });
    const receipt = await passing(clock, submit(options));
    expect(receipt.verdict).toBe('refused');
    expect(receipt.reason).toContain(wrote === 'gone' ? 'has ended' : 'does not read');
    expect(clock.waiting).toBe(0);
  });

  test('the agent is gone at Enter: refused, the wait for proof is called off', async () => {
    let signal: AbortSignal | undefined;
    const { clock, options } = scene({
      write: async (bytes) => (bytes[0] === 0x0d ? 'gone' : 'written'),
      evidence: (given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    expect(await passing(clock, submit(options))).toMatchObject({ verdict: 'refused' });
    expect(signal?.aborted).toBe(true);
  });

  test.each(['', ' \n ', '\x1b\x07'])('nothing to send is refused: %j', async (text) => {
    const { options, writes } = scene({ text });
    expect((await submit(options)).verdict).toBe('refused');
    expect(writes).toEqual([]);
  });
});

describe('text', () => {
  test('property: nothing but what a person can type or paste remains', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
        const clean = cleanText(`${text}\x1b[201~\ud800`);
        expect(clean).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(clean).not.toMatch(/\p{Surrogate}/u);
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });

  test('halves of characters go, whole ones stay', () => {
    expect(cleanText('a\ud83dbé👍\r\nc\rd')).toBe('abé👍\nc\nd');
  });

  test('defusing adds one space and only where needed', () => {
    expect([defused('!x', ['!']), defused('x!', ['!']), defused('/x', ['!']), defused('# x', ['#'])]).toEqual([
      ' !x',
      'x!',
      '/x',
      ' # x',
    ]);
  });

  test('where spaces are trimmed away, another guard stands before the first letter', () => {
    expect(['!x', '  \n!x', ' x', 'x!'].map((text) => defused(text, ['!'], '\u200b'))).toEqual([
      '\u200b!x',
      '\u200b!x',
      ' x',
      'x!',
    ]);
  });
});
