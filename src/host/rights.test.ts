/** Every command and every message against every right, on a whole host. What is refused has done nothing. */
import { describe, expect, it, vi } from 'vitest';
import {
  type Access,
  allows,
  COMMAND_RIGHTS,
  type CommandName,
  type Down,
  LINK_RIGHTS,
  type May,
  RIGHTS,
  type Up,
} from '../contract/index.js';
import type { Draft } from './desk.js';
import { type Trial, trial, USER } from './host.cases.js';

/** The first inquiry loads the rules and the shell's grammar. */
const LOADED = { timeout: 10_000 };

const MAYS: May[] = ['none', ...RIGHTS];
const withRight = (may: May): Access => ({ who: { kind: 'device', name: 'phone' }, may });
const RUN: Draft = { kind: 'run', tool: 'Bash', input: { command: 'make install' }, exclusive: false };

/** Arguments that fit, so that only the right decides. */
const ARGS: { [K in CommandName]?: Record<string, unknown> } = {
  answer: { words: ['deny'] },
  submit: { text: 'hello' },
  message: { text: 'hello', key: 'k' },
  model: { model: 'sonnet' },
  'queue-edit': { key: 'k', text: 'x' },
  'queue-move': { key: 'k', before: null },
  'queue-cancel': { key: 'k' },
  keys: { keys: 'Enter' },
  resize: { cols: 80, rows: 24 },
  emit: { topic: 'x' },
  guide: { text: 'x' },
};

const ATTACH = {
  t: 'attach',
  kind: 'web',
  role: 'watcher',
  visible: true,
  bytes: true,
  entries: true,
  answers: 'screen',
} as const;

/** One message, and the code of the error it was answered with: `done` if there was none. */
function ask(host: Trial, access: Access, ...messages: Up[]): Promise<string> {
  const link = host.link(access);
  return new Promise((resolve) => {
    link.onFrame((frame) => {
      const json = frame.kind === 'json' ? (frame.json as Down) : undefined;
      if (json?.t === 'reply') resolve(json.error?.code ?? 'done');
      else if (json?.t === 'attached') resolve('done');
      else if (json?.t === 'lend') resolve(json.ok ? 'done' : 'refused');
    });
    for (const json of messages) link.send({ kind: 'json', json });
  });
}

/** Somebody is there, and something waits for them. */
async function asking({ host, client }: Trial): Promise<string> {
  await client().attach(ATTACH);
  host.desk.open(RUN);
  return vi.waitFor(() => {
    const [open] = host.desk.list();
    expect(open).toBeDefined();
    return open!.id;
  }, LOADED);
}

const refusals = ({ entries }: Trial) =>
  entries.filter((entry) => entry.type === 'notice' && entry.data.code === 'refused');

describe.each(MAYS)('with the right %s', (may) => {
  it.each(Object.entries(COMMAND_RIGHTS))('%s, which takes %s', async (name, need) => {
    const host = trial();
    const inquiry = await asking(host);
    const before = host.entries.length;
    const args = { ...ARGS[name as CommandName], ...(name === 'answer' || name === 'offer' ? { inquiry } : {}) };
    const code = await ask(host, withRight(may), { t: 'command', id: 1, name, args });
    if (allows(may, need)) {
      expect(code).not.toBe('RIGHT_MISSING');
      expect(refusals(host)).toEqual([]);
    } else {
      expect(code).toBe('RIGHT_MISSING');
      expect(host.asked).toEqual([]);
      // Nothing happened but the refusal, and that is on record.
      expect(host.entries.slice(before)).toEqual(refusals(host));
      expect(host.host.desk.list()).toMatchObject([{ id: inquiry }]);
      expect(refusals(host)).toMatchObject([
        { data: { facts: { what: `\`${name}\``, need, may, who: { kind: 'device', name: 'phone' } } } },
      ]);
    }
    host.host.desk.clear('over');
  });

  it.each([
    ['attach', ATTACH],
    ['attach as driver', { ...ATTACH, role: 'driver' }],
    ['attach with tie', { ...ATTACH, tie: true }],
  ] as const)('%s', async (what, attach) => {
    const host = trial();
    const code = await ask(host, withRight(may), attach);
    expect(code).toBe(allows(may, LINK_RIGHTS[what]) ? 'done' : 'RIGHT_MISSING');
    expect(host.host.viewers.attached).toBe(code === 'done' ? 1 : 0);
    expect(refusals(host)).toHaveLength(code === 'done' ? 0 : 1);
  });

  it('keys', async () => {
    const host = trial();
    const link = host.link(withRight(may));
    const role = allows(may, 'type') ? 'driver' : 'watcher';
    link.send({ kind: 'json', json: { ...ATTACH, role } });
    link.send({ kind: 'input', bytes: Buffer.from('rm') });
    link.send({ kind: 'input', bytes: Buffer.from('rf') });
    // Answered in order: what came before it was heard.
    await new Promise<void>((resolve) => {
      link.onFrame((frame) => {
        if (frame.kind === 'json' && frame.json.t === 'reply' && frame.json.id === 9) resolve();
      });
      link.send({ kind: 'json', json: { t: 'command', id: 9, name: 'unknown', args: {} } });
    });
    expect(host.asked).toEqual(allows(may, LINK_RIGHTS.input) ? ['resize', 'input rm', 'input rf'].slice(1) : []);
  });

  it('presence', async () => {
    const host = trial();
    await ask(host, withRight(may), ATTACH);
    expect([...host.host.viewers].map(({ answers }) => answers)).toEqual([
      allows(may, LINK_RIGHTS.presence) ? 'screen' : 'no',
    ]);
  });

  it('a lent terminal', async () => {
    const host = trial();
    const terminal = { path: '/dev/null', dev: 0, ino: 0, rdev: 0 };
    const left = { away: [], keyboards: [0, 0] as [number, number], titles: 0, held: '' };
    const told = vi.fn();
    const link = host.link(withRight(may));
    link.onFrame((frame) => {
      if (frame.kind === 'json' && frame.json.t === 'lend') told(frame.json);
    });
    link.send({ kind: 'json', json: ATTACH });
    link.send({ kind: 'json', json: { t: 'lend', terminal, detach: 'C-]', left } });
    // Also with the right it is not lent: this is no terminal. But only then it was looked at.
    await vi.waitFor(() => expect(told).toHaveBeenCalledWith({ t: 'lend', ok: false }));
  });
});

describe('a right', () => {
  it.each(RIGHTS)('can be lowered to %s by the link itself, and not be raised', async (to) => {
    const host = trial();
    const hello = (may: string): Up => ({ t: 'hello', protocol: 1, version: 'x', may: may as 'view' });
    await ask(host, USER, hello(to), hello('admin'), ATTACH);
    expect([...host.host.viewers].map(({ gate }) => gate.access.may)).toEqual([to]);
    await ask(host, withRight('view'), hello(to), ATTACH);
    expect([...host.host.viewers].at(-1)?.gate.access.may).toBe('view');
  });

  it('asked for in a word nobody knows is none', async () => {
    const host = trial();
    const hello = { t: 'hello', protocol: 1, version: 'x', may: 'everything' } as unknown as Up;
    expect(await ask(host, USER, hello, ATTACH)).toBe('RIGHT_MISSING');
  });

  it('lowered to view is no presence, and drives nothing', async () => {
    const host = trial();
    const client = host.client(USER, { may: 'view' });
    await client.attach({ ...ATTACH, kind: 'terminal' });
    expect([...host.host.viewers][0]?.answers).toBe('no');
    await expect(client.command('take')).rejects.toMatchObject({ code: 'RIGHT_MISSING', exit: 1 });
    expect(host.host.viewers.driver.holder).toBeNull();
  });

  it('refused over and over fills no journal', async () => {
    const host = trial();
    const client = host.client(withRight('none'));
    for (let count = 0; count < 250; count += 1) {
      await expect(client.command('stop')).rejects.toMatchObject({ code: 'RIGHT_MISSING' });
    }
    expect(refusals(host)).toHaveLength(200);
    expect(refusals(host).at(-1)?.data).toMatchObject({ text: expect.stringContaining('not noted') });
  });
});

describe('who it is', () => {
  it('is found out before anything is heard, and in order', async () => {
    const host = trial();
    let decide: (access: Access) => void = () => undefined;
    const seen: unknown[] = [];
    const client = host.client((hello) => {
      seen.push(hello);
      return new Promise((resolve) => {
        decide = resolve;
      });
    });
    const asked = [client.command('interrupt'), client.command('end-input'), client.command('summary')];
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toMatchObject({ t: 'hello', version: 'test' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.asked).toEqual([]);
    decide(USER);
    await Promise.all(asked);
    expect(host.asked).toEqual(['interrupt', 'end-input']);
    await client.command('interrupt');
    expect(seen).toHaveLength(1);
  });

  it('is nobody where that fails', async () => {
    const host = trial();
    const client = host.client(() => Promise.reject(new Error('no such process')));
    await expect(client.command('summary')).rejects.toMatchObject({
      code: 'RIGHT_MISSING',
      message: expect.stringContaining('no such process'),
    });
  });

  it('is told with the reason', async () => {
    const host = trial();
    const client = host.client(async () => ({ ...withRight('none'), why: 'it is the agent itself' }));
    await expect(client.command('answer', { inquiry: 'x' })).rejects.toThrow(/it is the agent itself/);
    expect(refusals(host)[0]?.data).toMatchObject({ text: expect.stringContaining('it is the agent itself') });
  });

  it('stands in the answer and at the door', async () => {
    const host = trial();
    const inquiry = await asking(host);
    const client = host.client({ who: { kind: 'device', name: 'Ann’s phone' }, may: 'answer' });
    await client.attach({ ...ATTACH, answers: 'no' });
    await client.command('answer', { inquiry, words: ['deny'] });
    expect(host.entries.find(({ type }) => type === 'inquiry.answered')?.data).toMatchObject({
      answer: { by: { kind: 'viewer', name: 'Ann’s phone', who: { kind: 'device', name: 'Ann’s phone' } } },
    });
    expect(host.entries.findLast(({ type }) => type === 'viewer.attached')?.data).toMatchObject({
      who: { kind: 'device', name: 'Ann’s phone' },
      may: 'answer',
    });
  });
});
