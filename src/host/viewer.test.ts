import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Access,
  type AttachRequest,
  type Down,
  type Frame,
  HandClock,
  PROTOCOL,
  ReinsError,
} from '../contract/index.js';
import { memoryPair } from '../link/memory.js';
import type { Link } from '../link/serve.js';
import type { Entrance } from './access.js';
import { Viewer, type ViewerPorts } from './viewer.js';

type Attached = Extract<Down, { t: 'attached' }>;

let clock: HandClock;
let told: string[];
let far: Link;
let viewer: Viewer;
let got: Down[];
let frames: Frame[];
let over: Promise<string>;

const reply = { session: {}, driver: null, inquiries: [], cursor: { seq: 0, offset: 0 }, size: null };
const ATTACH: AttachRequest = {
  t: 'attach',
  kind: 'terminal',
  role: 'driver',
  visible: true,
  bytes: true,
  entries: true,
  answers: 'screen',
  name: 'Ann',
  size: { cols: 80, rows: 24 },
};

const ADMIN: Access = { who: { kind: 'user', name: 'ann' }, may: 'admin' };

function connect(ports: Partial<ViewerPorts> = {}, entrance: Entrance = ADMIN): void {
  const [near, other] = memoryPair();
  far = other;
  got = [];
  frames = [];
  far.onFrame((frame) => {
    frames.push(frame);
    if (frame.kind === 'json') got.push(frame.json as Down);
  });
  over = new Promise((resolve) => far.onClose(resolve));
  viewer = new Viewer(near, entrance, {
    session: 'k7f2m9qd',
    version: '0.1.0',
    clock,
    isSpared: () => false,
    rights: () => ({ mayAnswer: true, mayCopy: true }),
    catchUp: async () => ({
      frames: [{ kind: 'snapshot', offset: 3, bytes: Buffer.from('abc') }],
      at: { seq: 0, offset: 3 },
    }),
    attach: (_, request) => {
      told.push(`attach ${JSON.stringify(request)}`);
      return reply as unknown as Omit<Attached, 't' | 'viewer'>;
    },
    command: async (_, name, args) => ({ name, args }),
    input: (_, bytes) => told.push(`input ${Buffer.from(bytes)}`),
    refused: (_, what, need) => told.push(`refused ${what}: ${need}`),
    changed: () => told.push('changed'),
    left: (_, how, untie) => told.push(`left ${how}${untie ? ' untied' : ''}`),
    ...ports,
  });
}

beforeEach(() => {
  clock = new HandClock();
  told = [];
});

const send = (...messages: unknown[]): void => {
  for (const json of messages) far.send({ kind: 'json', json: json as never });
};
const message = <T extends Down['t']>(type: T) =>
  vi.waitFor(() => {
    const found = got.find((one) => one.t === type);
    expect(found, `${type} in ${JSON.stringify(got)}`).toBeDefined();
    return found as Extract<Down, { t: T }>;
  });
const isOver = () => over;

describe('a viewer', () => {
  it('is greeted, attached, brought up to date, and then gets what is live', async () => {
    connect();
    expect(await message('hello')).toEqual({ t: 'hello', ...PROTOCOL, version: '0.1.0', session: 'k7f2m9qd' });
    send({ t: 'hello', ...PROTOCOL, version: 'x' }, ATTACH);
    expect(await message('attached')).toEqual({ t: 'attached', viewer: viewer.id, ...reply });
    expect([viewer.name, viewer.visible, viewer.answers]).toEqual(['Ann', true, 'screen']);
    viewer.outbox?.output(0, Buffer.from('abc'));
    expect(frames.some(({ kind }) => kind === 'snapshot')).toBe(false);
    send({ t: 'ready' }, { t: 'ready' });
    await message('live');
    await viewer.live;
    viewer.outbox?.output(3, Buffer.from('def'));
    await vi.waitFor(() => expect(frames.at(-1)).toMatchObject({ kind: 'output', offset: 3 }));
    expect(frames.filter(({ kind }) => kind === 'snapshot')).toHaveLength(1);
    expect(got.filter(({ t }) => t === 'live')).toHaveLength(1);
    expect(told).toContain('changed');
  });

  it('of another protocol is told so and let go', async () => {
    connect();
    send({ t: 'hello', protocol: 99, version: 'x' });
    expect((await message('end')).reason).toContain('protocol 1 to 2');
    await isOver();
  });

  it.each([
    ['the first build', { protocol: 1 }],
    ['a younger build', { protocol: 2, newest: 99, more: 'x' }],
  ])('of %s is served, and what it says beyond that is ignored, on a link that stays', async (_, speaks) => {
    connect();
    send({ t: 'hello', version: 'x', ...speaks }, { t: 'from-the-future', id: 3 });
    send({ t: 'command', id: 4, name: 'from-the-future', args: {}, more: 'x' });
    expect(await message('reply')).toMatchObject({ id: 4, value: { name: 'from-the-future' } });
    send({ ...ATTACH, more: 'x' });
    await message('attached');
    expect(got.some(({ t }) => t === 'end')).toBe(false);
  });

  it('that may not attach is told why, and may ask again', async () => {
    let first = true;
    connect({
      attach: () => {
        if (!first) return reply as unknown as Omit<Attached, 't' | 'viewer'>;
        first = false;
        throw new ReinsError('NOT_DRIVER', { driver: 'v-bob' });
      },
    });
    send(ATTACH);
    expect(await message('reply')).toMatchObject({ id: 0, error: { code: 'NOT_DRIVER', data: { driver: 'v-bob' } } });
    expect(viewer.request).toBeUndefined();
    send(ATTACH, { ...ATTACH, name: 'again' });
    await message('attached');
    expect(viewer.name).toBe('Ann');
  });

  it.each([
    ['a size without end', { size: { cols: 1e9, rows: 1e9 } }],
    ['a size of nothing', { size: { cols: 0, rows: 0 } }],
    ['a size of parts', { size: { cols: 1.5, rows: 2 } }],
    ['a size that is none', { size: 'large' }],
    ['no size at all', { size: null }],
    ['a kind nobody knows', { kind: 'ghost' }],
  ])('with %s is refused', async (_, part) => {
    connect();
    send({ ...ATTACH, ...part });
    expect(await message('reply')).toMatchObject({ id: 0, error: { code: 'USAGE' } });
    expect(told).toEqual([]);
  });

  it('that says little is understood carefully', async () => {
    connect();
    send({
      t: 'attach',
      kind: 'web',
      name: 'x'.repeat(500),
      role: 'king',
      visible: 1,
      since: { seq: -1, offset: 'x' },
    });
    await message('attached');
    expect(viewer.request).toEqual({
      t: 'attach',
      kind: 'web',
      role: 'watcher',
      visible: false,
      bytes: false,
      entries: false,
      answers: 'no',
      name: 'x'.repeat(200),
      since: {},
    });
  });

  it('gets one answer to every command, also when it fails', async () => {
    connect({
      command: async (_, name) => {
        if (name === 'bad') throw new ReinsError('NO_SUCH_INQUIRY', { inquiry: 'x' });
        if (name === 'worse') throw new TypeError('undefined is not a function');
        return name === 'nothing' ? undefined : name;
      },
    });
    const ask = (id: number, name: unknown) => ({ t: 'command', id, name, args: null });
    send(ask(1, 'good'), ask(2, 'bad'), ask(3, 'worse'), ask(4, 'nothing'));
    await vi.waitFor(() => expect(got.filter(({ t }) => t === 'reply')).toHaveLength(4));
    expect(got.slice(1)).toEqual(
      [
        { t: 'reply', id: 1, value: 'good' },
        { t: 'reply', id: 4, value: null },
        {
          t: 'reply',
          id: 2,
          error: expect.objectContaining({ code: 'NO_SUCH_INQUIRY', message: 'there is no inquiry x' }),
        },
        { t: 'reply', id: 3, error: expect.objectContaining({ code: 'BUG' }) },
      ].toSorted(
        (a, b) =>
          got.findIndex((one) => one.t === 'reply' && one.id === a.id) -
          got.findIndex((one) => one.t === 'reply' && one.id === b.id),
      ),
    );
  });

  it('hidden gets no bytes; shown again, it is brought up to date', async () => {
    connect();
    send({ ...ATTACH, visible: false }, { t: 'ready' });
    await message('live');
    expect(frames.every(({ kind }) => kind === 'json')).toBe(true);
    send({ t: 'visible', visible: true });
    await vi.waitFor(() => expect(frames.at(-1)?.kind).toBe('snapshot'));
    send({ t: 'visible', visible: false });
    await vi.waitFor(() => expect(viewer.visible).toBe(false));
    viewer.outbox?.output(3, Buffer.from('x'));
    viewer.stderr(Buffer.from('y'));
    send({ t: 'command', id: 1, name: 'x', args: {} });
    await message('reply');
    expect(frames.filter(({ kind }) => kind === 'output' || kind === 'stderr')).toEqual([]);
  });
});

describe('asked whether a person is there', () => {
  it.each([
    [
      { present: true, reason: 'tty' },
      { present: true, reason: 'tty' },
    ],
    [{ present: 'yes' }, { present: false, reason: 'unclear' }],
    [null, { present: false, reason: 'unclear' }],
    [undefined, { present: false, reason: 'unclear' }],
  ])('it says %j', async (value, expected) => {
    connect();
    const presence = viewer.ask();
    const { id } = await message('ask');
    send({ t: 'reply', id: id + 7, value: { present: true, reason: 'another' } }, { t: 'reply', id, value });
    expect(await presence).toEqual(expected);
    expect(clock.waiting).toBe(0);
  });

  it('silence is a no', async () => {
    connect();
    const presence = viewer.ask();
    clock.advance(2_000);
    expect(await presence).toEqual({ present: false, reason: 'viewer-silent' });
  });

  it('leaving is a no', async () => {
    connect();
    const presence = viewer.ask();
    far.close();
    expect(await presence).toEqual({ present: false, reason: 'viewer-left' });
    expect(await viewer.ask()).toEqual({ present: false, reason: 'viewer-left' });
  });
});

describe('a hook', () => {
  it('is not heard here: it has a socket of its own, and is refused by the end of its link', async () => {
    connect();
    send({ t: 'hook', secret: 's', event: 'PreToolUse', payload: {} });
    await isOver();
    expect(got.filter(({ t }) => t === 'hook-reply')).toEqual([]);
  });
});

describe('leaving', () => {
  it.each([
    ['by a word', () => send({ t: 'bye' }), 'left detached'],
    ['by a word, keeping the session', () => send({ t: 'bye', untie: true }), 'left detached untied'],
    ['without a word', () => far.close(), 'left lost'],
  ])('%s is told once', async (_, leave, expected) => {
    connect();
    send(ATTACH);
    await message('attached');
    leave();
    await isOver();
    await viewer.live;
    expect(told.filter((line) => line.startsWith('left'))).toEqual([expected]);
  });

  it('is the end: what comes after it is not heard', async () => {
    connect();
    send({ t: 'bye' }, ATTACH, { t: 'command', id: 1, name: 'stop', args: {} });
    far.send({ kind: 'input', bytes: Buffer.from('rm') });
    await isOver();
    expect(told).toEqual(['left detached']);
    expect(viewer.request).toBeUndefined();
  });

  it('at the session’s end comes after everything the viewer is owed', async () => {
    let go: () => void = () => undefined;
    connect({
      catchUp: () =>
        new Promise((resolve) => {
          go = () =>
            resolve({ frames: [{ kind: 'snapshot', offset: 1, bytes: Buffer.from('s') }], at: { seq: 0, offset: 1 } });
        }),
    });
    send(ATTACH, { t: 'ready' });
    await message('attached');
    await vi.waitFor(() => expect(viewer.outbox?.state).toBe('catching'));
    viewer.outbox?.output(1, Buffer.from('last words'));
    const ended = viewer.end('done', 7);
    go();
    await ended;
    await isOver();
    const kinds = frames.map((frame) => (frame.kind === 'json' ? frame.json.t : frame.kind));
    expect(kinds.slice(kinds.indexOf('attached'))).toEqual(['attached', 'snapshot', 'output', 'live', 'end']);
    expect(got.at(-1)).toEqual({ t: 'end', reason: 'done', exit: 7 });
  });
});

describe('nothing that a viewer sends', () => {
  const types = ['hello', 'attach', 'ready', 'visible', 'command', 'reply', 'bye', 'hook', 'end', '__proto__', ''];
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(null, true, 1, 'x', [], {}, { cols: 1, rows: 1 }, 'terminal', 'driver', 'screen'),
  );
  const keys = [
    'kind',
    'role',
    'visible',
    'bytes',
    'entries',
    'answers',
    'size',
    'since',
    'name',
    'id',
    'value',
    'args',
    'payload',
    'protocol',
    'event',
    'secret',
  ];
  const messages = fc.record({ t: fc.constantFrom(...types), rest: fc.dictionary(fc.constantFrom(...keys), anything) });

  it('takes the host down', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(messages, { maxLength: 12 }), async (list) => {
        connect();
        send(...list.map(({ t, rest }) => ({ ...rest, t })));
        far.send({ kind: 'snapshot', offset: 0, bytes: Buffer.alloc(0) });
        far.close();
        await isOver();
        await viewer.live;
      }),
      { numRuns: 300 },
    );
  });

  it('takes more than its own link down when it makes the host fail', async () => {
    connect({
      input: () => {
        throw new Error('broken');
      },
    });
    far.send({ kind: 'input', bytes: Buffer.from('x') });
    await isOver();
    expect(told).toEqual(['left lost']);
  });
});
