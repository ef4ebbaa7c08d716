import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Down, PROTOCOL, type Up } from '../contract/index.js';
import { statOf } from '../proc/index.js';
import { HostClient, type Incoming } from './client.js';
import type { Link } from './link.js';
import { memoryPair } from './memory.js';

let host: Link;
let said: Up[];
let client: HostClient;

function connect(incoming: Incoming = {}, who: { may?: 'view'; starter?: string } = { may: 'view' }): void {
  const [near, far] = memoryPair();
  host = far;
  const heardHere: Up[] = [];
  said = heardHere;
  host.onFrame((frame) => {
    if (frame.kind === 'json') heardHere.push(frame.json as Up);
  });
  client = new HostClient({ link: near, session: 'k7f2m9qd', version: '1', incoming, ...who });
}

const down = (json: unknown) => host.send({ kind: 'json', json: json as Down });
const heard = (count: number) => vi.waitFor(() => expect(said).toHaveLength(count));
const ATTACH = { kind: 'web', role: 'watcher', visible: true, bytes: true, entries: true, answers: 'no' } as const;

beforeEach(() => connect());

describe('a client', () => {
  it('says hello first, and gets its attach answered', async () => {
    const attached = client.attach(ATTACH);
    await heard(2);
    expect(said).toEqual([
      { t: 'hello', ...PROTOCOL, version: '1', may: 'view' },
      { t: 'attach', ...ATTACH },
    ]);
    down({ t: 'attached', viewer: 'v-1' });
    expect(await attached).toMatchObject({ viewer: 'v-1' });
  });

  it('gets each command’s own answer, in any order', async () => {
    const [first, second] = [client.command('pause'), client.command('guide', { text: 'x' })];
    await heard(3);
    down({ t: 'reply', id: 2, value: 'B' });
    down({ t: 'reply', id: 1, value: 'A' });
    down({ t: 'reply', id: 1, value: 'again' });
    down({ t: 'reply', id: 77, value: 'nobody asked' });
    expect(await Promise.all([first, second])).toEqual(['A', 'B']);
  });

  it('gets errors with their code; of one it does not know, the words', async () => {
    const asked = ['pause', 'resume'].map((name) => client.command(name as 'pause'));
    const wrong = { message: 'a new trouble', hint: '', data: { inquiry: 'q' } };
    down({ t: 'reply', id: 1, error: { ...wrong, code: 'NO_SUCH_INQUIRY' } });
    down({ t: 'reply', id: 2, error: { ...wrong, code: 'FROM_THE_FUTURE' } });
    await expect(asked[0]).rejects.toMatchObject({ code: 'NO_SUCH_INQUIRY', message: 'there is no inquiry q' });
    await expect(asked[1]).rejects.toMatchObject({ code: 'BUG', message: expect.stringContaining('a new trouble') });
  });

  it('that was refused at the door is told so', async () => {
    const attached = client.attach(ATTACH);
    down({ t: 'reply', id: 0, error: { code: 'NOT_DRIVER', message: '', hint: '', data: { driver: 'v-2' } } });
    await expect(attached).rejects.toMatchObject({ code: 'NOT_DRIVER' });
  });

  it.each([
    ['lost', [] as unknown[], 'HOST_LOST'],
    ['over', [{ t: 'end', reason: 'done', exit: 0 }], 'SESSION_ENDED'],
  ])('whose host is %s has nothing left open', async (_, last, code) => {
    const closed: string[] = [];
    connect({ closed: (reason) => closed.push(reason) });
    const open = [client.command('inbox'), client.attach(ATTACH)];
    for (const json of last) down(json);
    host.close();
    for (const one of open) await expect(one).rejects.toMatchObject({ code });
    await expect(client.command('inbox')).rejects.toMatchObject({ code });
    await expect(client.attach(ATTACH)).rejects.toMatchObject({ code });
    client.close();
    client.close();
    expect(closed).toHaveLength(1);
  });

  it('of another protocol fails at once', async () => {
    const asked = client.command('inbox');
    down({ t: 'hello', protocol: 99, version: '9', session: 's' });
    await expect(asked).rejects.toMatchObject({ code: 'PROTOCOL', message: expect.stringContaining('protocol 99,') });
  });

  it.each([
    ['the first build', { protocol: 1 }, 1],
    ['a younger build', { protocol: 1, newest: 99, more: 'x' }, PROTOCOL.newest],
  ])('of %s is understood, and what it says beyond that is ignored', async (_, speaks, common) => {
    const got: unknown[] = [];
    connect({ entry: (entry) => got.push(entry), closed: (reason) => got.push(reason) });
    const asked = client.command('inbox');
    down({ t: 'hello', version: '9', session: 's', ...speaks });
    down({ t: 'from-the-future', id: 1 });
    down({ t: 'ask', id: 5, what: 'weather' });
    down({ t: 'reply', id: 1, value: 'A', more: 'x' });
    expect(await asked).toBe('A');
    expect(client.protocol).toBe(common);
    await heard(3);
    expect(said[2]).toMatchObject({ t: 'reply', id: 5, value: { present: false } });
    expect(got).toEqual([]);
  });

  it.each([
    ['says so', async () => ({ present: true, reason: 'tty' }), { present: true, reason: 'tty' }],
    ['fails to find out', () => Promise.reject(new Error('x')), { present: false, reason: 'viewer-failed' }],
    ['cannot', undefined, { present: false, reason: 'viewer-cannot' }],
  ])('asked for a person, one that %s', async (_, presence, value) => {
    connect(presence ? { presence } : {});
    down({ t: 'ask', id: 5, what: 'presence' });
    await heard(2);
    expect(said[1]).toEqual({ t: 'reply', id: 5, value });
  });

  it('hands everything on, to an owner that keeps its own state', async () => {
    const got: string[] = [];
    class Owner implements Incoming {
      readonly #log = got;
      entry(entry: { seq: number }) {
        this.#log.push(`entry ${entry.seq}`);
      }
      output(bytes: Uint8Array, offset: number) {
        this.#log.push(`output ${Buffer.from(bytes)}@${offset}`);
      }
      stderr(bytes: Uint8Array) {
        this.#log.push(`stderr ${Buffer.from(bytes)}`);
      }
      snapshot(bytes: Uint8Array, offset: number) {
        this.#log.push(`snapshot ${Buffer.from(bytes)}@${offset}`);
      }
      live() {
        this.#log.push('live');
      }
    }
    connect(new Owner());
    host.send({ kind: 'snapshot', offset: 1, bytes: Buffer.from('s') });
    host.send({ kind: 'output', offset: 1, bytes: Buffer.from('o') });
    host.send({ kind: 'stderr', bytes: Buffer.from('e') });
    down({ t: 'entry', entry: { seq: 4 } });
    down({ t: 'live' });
    down({ t: 'from the future' });
    await vi.waitFor(() => expect(got).toEqual(['snapshot s@1', 'output o@1', 'stderr e', 'entry 4', 'live']));
  });
});

describe('a client that wants more than to look', () => {
  const greet = (challenge?: string) =>
    down({ t: 'hello', ...PROTOCOL, version: '1', session: 'k7f2m9qd', ...(challenge ? { challenge } : {}) });

  it('shows which process it is, and is heard in the order it spoke', async () => {
    connect({}, {});
    void client.command('summary').catch(() => undefined);
    void client.command('pause').catch(() => undefined);
    client.input(Buffer.from('y'));
    void client.command('summary').catch(() => undefined);
    await heard(2);
    greet('abcdefg');
    await heard(3);
    expect(said[2]).toMatchObject({ t: 'prove', pid: process.pid, start_ticks: statOf('self')?.startTicks });
    expect(statOf('self')?.command).toBe('k7f2m9qdabcdefg');
    down({ t: 'reply', id: (said[2] as { id: number }).id, value: { shown: true } });
    await heard(5);
    expect(said.slice(3).map((one) => (one as { name?: string }).name)).toEqual(['pause', 'summary']);
    expect(statOf('self')?.command).not.toBe('k7f2m9qdabcdefg');
    void client.command('stop').catch(() => undefined);
    await heard(6);
  });

  it('tries again when it was not seen, and then says what it wants all the same', async () => {
    connect({}, {});
    void client.command('pause').catch(() => undefined);
    greet('abcdefg');
    for (const count of [2, 3, 4]) {
      await heard(count);
      down({ t: 'reply', id: (said.at(-1) as { id: number }).id, value: { shown: false } });
    }
    await heard(5);
    expect(said.map(({ t }) => t)).toEqual(['hello', 'prove', 'prove', 'prove', 'command']);
  });

  it('of a host that asks nothing is heard at once: it is an older one', async () => {
    connect({}, {});
    void client.attach({ ...ATTACH, role: 'driver' }).catch(() => undefined);
    greet();
    await heard(2);
    expect(said[1]?.t).toBe('attach');
  });

  it('that began the host says its word instead', async () => {
    connect({}, { starter: 'hush' });
    void client.command('stop').catch(() => undefined);
    await heard(2);
    expect(said[0]).toMatchObject({ t: 'hello', starter: 'hush' });
  });

  it('that leaves is heard first; a host that says nothing does not keep it', async () => {
    connect({}, {});
    void client.command('pause').catch(() => undefined);
    greet('abcdefg');
    await heard(2);
    client.close({ untie: true });
    down({ t: 'reply', id: (said[1] as { id: number }).id, value: { shown: true } });
    await heard(4);
    expect(said.slice(2).map(({ t }) => t)).toEqual(['command', 'bye']);
    connect({}, {});
    const asked = client.command('pause');
    client.close();
    await expect(asked).rejects.toMatchObject({ code: 'HOST_LOST' });
  });
});
