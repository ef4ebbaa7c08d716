/** The hook's own socket over a pair in memory: what it takes, and that it takes nothing else. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Down, Frame } from '../contract/index.js';
import type { Link } from '../link/index.js';
import { memoryPair } from '../link/memory.js';
import { acceptHook, type HookPorts } from './hook-links.js';

let far: Link;
let heard: Down[];
let closed: boolean;
const asked: string[] = [];

function connect(changes: Partial<HookPorts> = {}): void {
  const [near, other] = memoryPair();
  far = other;
  heard = [];
  closed = false;
  far.onFrame((frame) => frame.kind === 'json' && heard.push(frame.json as Down));
  far.onClose(() => {
    closed = true;
  });
  acceptHook(near, {
    session: 'k7f2m9qd',
    version: '1',
    emitKey: 'w0rd',
    hook: async () => ({ stdout: 'yes', stderr: '', exit: 0 }),
    emit: async (args) => {
      asked.push(JSON.stringify(args));
      return { accepted: true };
    },
    ...changes,
  });
}

const send = (json: unknown): void => far.send({ kind: 'json', json } as Frame);
const message = <T extends Down['t']>(t: T) =>
  vi.waitFor(() => {
    const found = heard.find((one) => one.t === t);
    if (!found) throw new Error(`no ${t} yet`);
    return found as Extract<Down, { t: T }>;
  });
const isOver = () => vi.waitFor(() => expect(closed).toBe(true));
const hook = { t: 'hook', secret: 's', event: 'PreToolUse', payload: {} };

beforeEach(() => {
  asked.length = 0;
});

describe('a hook', () => {
  it('gets its answer, and the link ends', async () => {
    connect();
    send(hook);
    expect(await message('hook-reply')).toEqual({ t: 'hook-reply', stdout: 'yes', stderr: '', exit: 0 });
    await isOver();
  });

  it('is refused when the host fails', async () => {
    connect({ hook: () => Promise.reject(new Error('broken')) });
    send(hook);
    expect(await message('hook-reply')).toEqual({ t: 'hook-reply', stdout: '', stderr: 'Reins: broken\n', exit: 2 });
  });

  it('that dies is noticed', async () => {
    let gone = false;
    connect({
      hook: async (_, whenGone) => {
        await whenGone;
        gone = true;
        return { stdout: '', stderr: '', exit: 2 };
      },
    });
    send(hook);
    far.close();
    await vi.waitFor(() => expect(gone).toBe(true));
  });
});

describe('the hook’s socket', () => {
  it('takes emit', async () => {
    connect();
    send({ t: 'hello', protocol: 1, version: '1' });
    send({ t: 'command', id: 7, name: 'emit', args: { topic: 'build.done', key: 'w0rd' } });
    expect(await message('reply')).toEqual({ t: 'reply', id: 7, value: { accepted: true } });
    expect(asked).toEqual(['{"topic":"build.done","key":"w0rd"}']);
  });

  it.each([undefined, '', 'W0RD', 'another session’s'])('takes no emit with the word %s', async (key) => {
    connect();
    send({ t: 'command', id: 7, name: 'emit', args: { topic: 'build.done', ...(key === undefined ? {} : { key }) } });
    expect((await message('reply')).error).toMatchObject({ code: 'EMIT_FOREIGN' });
    expect(asked).toEqual([]);
  });

  it.each(['answer', 'stop', 'keys', 'submit', 'take', 'pause', 'screen', 'summary', 'toString'])(
    'takes no %s',
    async (name) => {
      connect();
      send({ t: 'command', id: 1, name, args: {} });
      expect((await message('reply')).error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(name) });
      expect(asked).toEqual([]);
    },
  );

  it('takes no viewer', async () => {
    connect();
    send({ t: 'attach', kind: 'terminal', role: 'driver', visible: true, bytes: true, entries: true, answers: 'tty' });
    expect((await message('reply')).error?.code).toBe('USAGE');
  });

  it.each([
    ['keys', { kind: 'input', bytes: Buffer.from('y\r') }],
    ['a terminal', { kind: 'json', json: { t: 'lend' } }],
    ['a prove', { kind: 'json', json: { t: 'prove', id: 1, pid: 1, start_ticks: 1 } }],
    ['nothing', { kind: 'json', json: null }],
  ])('ends with %s', async (_, frame) => {
    connect();
    far.send(frame as Frame);
    await isOver();
  });
});
