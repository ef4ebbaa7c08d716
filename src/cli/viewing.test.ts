/** The skeleton of every viewer, over a link in memory: what a signal, an end, a lost host and a leaving mean. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Down, PROTOCOL, type Up } from '../contract/index.js';
import { HostClient, type Link } from '../link/index.js';
import { memoryPair } from '../link/memory.js';
import type { Context } from './context.js';
import { type EndSignal, type View, Viewing } from './viewing.js';

let state: string;
let host: Link;
let said: Up[];
let told: string[];
let viewing: Viewing;

const REQUEST = { kind: 'run', role: 'watcher', visible: true, bytes: false, entries: true, answers: 'no' } as const;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'viewing-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** A host's end by hand, and a view that tells what becomes of it. */
function begin(options: {
  tie: boolean;
  interruptExit?: number;
  view?: Partial<View>;
  until?: Promise<void>;
}): Promise<number> {
  const [near, far] = memoryPair();
  host = far;
  const heard: Up[] = [];
  const words: string[] = [];
  [said, told] = [heard, words];
  host.onFrame((frame) => {
    if (frame.kind === 'json') heard.push(frame.json as Up);
  });
  const channels = { chrome: (text: string) => words.push(text), complain: (text: string) => words.push(`! ${text}`) };
  const context = { env: { XDG_STATE_HOME: state }, channels, onBrokenPipe: () => undefined } as unknown as Context;
  viewing = new Viewing(context, {
    session: 'k7f2m9qd',
    tie: options.tie,
    ...(options.interruptExit === undefined ? {} : { interruptExit: options.interruptExit }),
    connect: async (incoming) => {
      await options.until;
      return new HostClient({ link: near, session: 'k7f2m9qd', version: '1', incoming });
    },
  });
  return viewing.run({
    request: () => REQUEST,
    incoming: {},
    ended: (exit, reason) => ({ as: 'chrome', text: `ended ${exit}: ${reason}` }),
    leave: () => void words.push('left'),
    ...options.view,
  });
}

const down = (json: unknown) => host.send({ kind: 'json', json: json as Down });
const heard = (what: object) => vi.waitFor(() => expect(said).toContainEqual(expect.objectContaining(what)));

async function attached(): Promise<void> {
  // A host greets first: until then nobody knows what it wants shown.
  await heard({ t: 'hello' });
  down({ t: 'hello', ...PROTOCOL, version: '1', session: 'k7f2m9qd' });
  await heard({ t: 'attach', ...REQUEST });
  down({ t: 'attached', viewer: 'v-1', inquiries: [], session: {}, driver: null, size: null });
  await heard({ t: 'ready' });
}

const stops = () => said.filter((one) => one.t === 'command' && one.name === 'stop');

describe('a viewing', () => {
  it('ends with the session: its exit code, and its words on a terminal that was given back', async () => {
    const code = begin({ tie: true });
    await attached();
    down({ t: 'end', exit: 4, reason: 'limit' });
    expect(await code).toBe(4);
    expect(told).toEqual(['left', 'ended 4: limit']);
  });

  it.each([
    ['SIGINT', 'stop', 130],
    ['SIGTERM', 'stop', 143],
    ['SIGHUP', 'stop', 129],
    ['SIGQUIT', 'kill', 131],
  ] as const)('%s ends a tied session (%s), whose end has the last word', async (name, how, exit) => {
    const code = begin({ tie: true });
    await attached();
    viewing.signal(name);
    await heard({ t: 'command', name: 'stop', args: { how, why: name, signal: name } });
    down({ t: 'end', exit, reason: name });
    expect(await code).toBe(exit);
  });

  it.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s only leaves one that is not tied (%i)', async (name: EndSignal, exit) => {
    const code = begin({ tie: false, interruptExit: 0 });
    await attached();
    viewing.signal(name);
    expect(await code).toBe(exit);
    expect(stops()).toEqual([]);
  });

  it.each([
    ['SIGINT', 'SIGINT', 'kill'],
    ['SIGINT', 'SIGTERM', 'kill'],
    ['SIGHUP', 'SIGHUP', 'stop'],
  ] as const)('%s and then %s: the second means %s', async (first, second, how) => {
    const code = begin({ tie: true });
    await attached();
    viewing.signal(first);
    viewing.signal(second);
    await vi.waitFor(() => expect(stops()).toHaveLength(2));
    expect(stops()[1]).toMatchObject({ args: { how, signal: second } });
    down({ t: 'end', exit: 130, reason: '' });
    await code;
  });

  it('a signal before the host answers leaves at once, and the link that comes later is closed', async () => {
    let connect: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      connect = resolve;
    });
    const code = begin({ tie: true, until });
    viewing.signal('SIGTERM');
    expect(await code).toBe(143);
    connect();
    await heard({ t: 'bye' });
    expect(said.some((one) => one.t === 'attach')).toBe(false);
  });

  it('a host that dies is an error, told after the terminal was given back; also in the middle of an attach', async () => {
    for (const early of [false, true]) {
      const lost: string[] = [];
      const code = begin({ tie: false, view: { lost: () => void lost.push('lost') } });
      if (early) await heard({ t: 'attach' });
      else await attached();
      host.close('gone');
      await expect(code).rejects.toMatchObject({ code: 'HOST_LOST' });
      expect([lost, told]).toEqual([['lost'], expect.arrayContaining(['left'])]);
    }
  });

  it('a host that speaks another language is told of as such, not as one that died', async () => {
    const code = begin({ tie: false });
    await heard({ t: 'attach' });
    down({ t: 'hello', protocol: 99, version: '9', session: 'k7f2m9qd' });
    await expect(code).rejects.toMatchObject({ code: 'PROTOCOL' });
  });

  it('a host that refuses the stop, or cannot carry it out, does not keep us', async () => {
    const code = begin({ tie: true });
    await attached();
    viewing.signal('SIGINT');
    await vi.waitFor(() => expect(stops()).toHaveLength(1));
    const error = { code: 'USAGE', message: '', hint: '', data: { problem: 'not now', fix: 'later' } };
    down({ t: 'reply', id: (stops()[0] as { id: number }).id, error });
    expect(await code).toBe(130);
    expect(told.at(-1)).toMatch(/^! not now/);
  });

  it('detaching unties, and what the host says afterwards is nobody’s', async () => {
    const code = begin({ tie: true });
    await attached();
    viewing.detach(0, 'it goes on');
    down({ t: 'end', exit: 9, reason: 'late' });
    expect(await code).toBe(0);
    await heard({ t: 'bye', untie: true });
    expect(told).toEqual(['left', 'it goes on']);
  });
});
