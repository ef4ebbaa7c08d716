/** A link that asks for a paired device: it is named on record, and has no more by it. A hub's word on who can be fetched. */
import { describe, expect, it, vi } from 'vitest';
import { inquiryDigest } from '../contract/digest.js';
import { type Access, nameOf, type Presence } from '../contract/index.js';
import { trial, USER } from './host.cases.js';

const RUN = { kind: 'run', tool: 'Bash', input: { command: 'make install' }, exclusive: false } as const;
const WEB = {
  kind: 'web',
  role: 'watcher',
  visible: true,
  bytes: false,
  entries: false,
  answers: 'tty',
} as const;
const INSIDE: Access = { who: { kind: 'program', name: 'process 7 (sh)' }, may: 'view', why: 'it is inside' };
const LOADED = { timeout: 10_000 };

describe('a paired device', () => {
  it('is named when it attaches and answers, with no more than it asked for', async () => {
    const host = trial();
    const presence = async () => ({ present: true, reason: 'web' });
    const phone = host.client(USER, { device: 'Ann’s phone', may: 'answer', incoming: { presence } });
    await phone.attach(WEB);
    const who = { kind: 'device', name: 'Ann’s phone' };
    expect(host.entries.find((entry) => entry.type === 'viewer.attached')?.data).toMatchObject({ who, may: 'answer' });
    host.host.desk.open(RUN);
    const [open] = await vi.waitFor(() => {
      expect(host.host.desk.list()).toHaveLength(1);
      return host.host.desk.list();
    }, LOADED);
    const answer = { inquiry: open!.id, words: ['allow'] };
    await expect(phone.command('answer', { ...answer, digest: 'of something else' })).rejects.toMatchObject({
      code: 'INQUIRY_CHANGED',
    });
    await phone.command('answer', { ...answer, digest: await inquiryDigest(open!) });
    const answered = host.entries.find((entry) => entry.type === 'inquiry.answered');
    expect(answered?.data.answer.by).toMatchObject({ kind: 'viewer', who });
    expect(nameOf(answered!.data.answer.by)).toBe('Ann’s phone');
    await expect(phone.command('submit', { text: 'x' })).rejects.toMatchObject({ code: 'RIGHT_MISSING' });
  });

  it('has a name of one line, bounded, without anything that acts where it is shown', async () => {
    const host = trial();
    await host.client(USER, { device: `\x1b[31mx\ny\u202e${'z'.repeat(500)}` }).attach(WEB);
    const { who } = host.entries.find((entry) => entry.type === 'viewer.attached')!.data;
    expect(who?.name).toMatch(/^\[31mx y z+$/);
    expect(who!.name.length).toBeLessThanOrEqual(200);
  });

  it('is believed of nobody inside a session', async () => {
    const host = trial();
    await host.client(INSIDE, { device: 'Ann’s phone' }).attach({ ...WEB, answers: 'no' });
    const attached = host.entries.find((entry) => entry.type === 'viewer.attached')!.data;
    expect(attached).toMatchObject({ who: INSIDE.who, may: 'view' });
  });
});

describe('a hub answers for its pages', () => {
  it('whom it could fetch decides for the third side; who may only look is not asked', async () => {
    const host = trial();
    let asked = 0;
    const says = { present: false, reason: 'web', reachable: 'push to phone\u0007' };
    const presence = async () => {
      asked += 1;
      return says;
    };
    await host.client(USER, { may: 'view', incoming: { presence } }).attach(WEB);
    await host.client(USER, { device: 'hub', incoming: { presence } }).attach(WEB);
    host.host.desk.open(RUN);
    await vi.waitFor(() => expect(host.host.desk.list()).toHaveLength(1), LOADED);
    expect(asked).toBe(1);
    const moved = host.entries.find((entry) => entry.type === 'inquiry.moved')?.data;
    // The default of the reachable side: somebody is asked for a while, then the detached policy.
    expect(moved).toMatchObject({ stage: 'asking', next: 'deny' });
  });

  it('says by `visible` that its answer may be another one: what was asked goes to the next side after the grace', async () => {
    const host = trial();
    let present = true;
    const presence = async () => ({ present, reason: 'web' });
    const hub = host.client(USER, { device: 'hub', incoming: { presence } });
    await hub.attach({ ...WEB, visible: false });
    host.host.desk.open(RUN);
    await vi.waitFor(() => expect(host.host.desk.list()[0]?.stage).toBe('asking'), LOADED);
    present = false;
    hub.visible(false);
    await vi.waitFor(() => {
      host.clock.advance(1);
      expect(host.entries.find((entry) => entry.type === 'inquiry.answered')?.data.answer.verdict.kind).toBe('deny');
    }, LOADED);
  });

  it('and when somebody looks at a page at last, what counted down for who could be fetched is theirs', async () => {
    const host = trial();
    let says: Presence = { present: false, reason: 'web', reachable: 'push to phone' };
    const hub = host.client(USER, { device: 'hub', incoming: { presence: async () => says } });
    await hub.attach({ ...WEB, visible: false });
    host.host.desk.open(RUN);
    await vi.waitFor(() => expect(host.host.desk.list()[0]).toMatchObject({ stage: 'asking', next: 'deny' }), LOADED);
    says = { present: true, reason: 'web' };
    hub.visible(true);
    await vi.waitFor(
      () => expect(host.host.desk.list()[0]).toMatchObject({ because: 'somebody is there now' }),
      LOADED,
    );
    expect(host.host.desk.list()[0]).not.toHaveProperty('next');
    host.clock.advance(60 * 60_000);
    expect(host.entries.some((entry) => entry.type === 'inquiry.answered')).toBe(false);
  });
});
