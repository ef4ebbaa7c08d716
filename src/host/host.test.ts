/** A whole host over a link in memory: what its commands come to, and what everyone linked to it is told. */
import { describe, expect, it, vi } from 'vitest';
import { type Entry, type EntryType, encodeFrame, type Frame, MAX_FRAME } from '../contract/index.js';
import { CommandSchemas, SessionRow } from '../contract/schemas.js';
import { trial } from './host.cases.js';

const ATTACH = { kind: 'web', role: 'watcher', visible: true, bytes: true, entries: true, answers: 'no' } as const;
const types = (entries: Entry[]): EntryType[] => entries.map(({ type }) => type);

describe('a session', () => {
  it('begins and ends once, and tells whoever watches', async () => {
    const { host, client, finish, entries } = trial();
    const heard: EntryType[] = [];
    const ends: unknown[] = [];
    const viewer = client(undefined, {
      incoming: { entry: ({ type }) => heard.push(type), end: (exit, reason) => ends.push([exit, reason]) },
    });
    const attached = await viewer.attach({ ...ATTACH, since: { seq: 0 } });
    expect(SessionRow.parse(attached.session)).toMatchObject({ state: 'starting', viewers: 0 });
    viewer.ready();
    const running = host.run();
    await vi.waitFor(() => expect(types(entries)).toContain('session.started'));
    finish({ exitCode: 3, outcome: 'failed', reason: 'so it goes' });
    const over = await running;
    await host.viewers.farewell(over);
    await vi.waitFor(() => expect(ends).toEqual([[3, 'so it goes']]));
    expect(heard).toEqual(types(entries));
    expect(types(entries).filter((type) => type === 'session.ended')).toHaveLength(1);
    expect(host.row()).toMatchObject({ state: 'ended', outcome: 'failed', exit_code: 3 });
  });

  it('that fails ends its agent, says so, and only once', async () => {
    const { host, asked, entries } = trial();
    await host.crash(new Error('a bug of ours'));
    await host.crash(new Error('another'));
    expect(asked).toEqual(['stop']);
    expect(entries.filter(({ type }) => type === 'session.ended')).toMatchObject([
      { data: { exit_code: 70, reason: expect.stringContaining('a bug of ours') } },
    ]);
  });
});

describe('commands', () => {
  it('show inquiries that are together too large for one frame: cut, and not to be changed', async () => {
    const { client, host, entries } = trial();
    const large = {
      kind: 'run',
      tool: 'Write',
      input: { content: 'x'.repeat(MAX_FRAME * 0.6) },
      editable: true,
    } as const;
    for (const draft of [large, large]) host.desk.open({ ...draft, exclusive: true }, { held: true });
    host.desk.open(
      { kind: 'run', tool: 'Bash', input: { command: 'ls' }, editable: true, exclusive: true },
      { held: true },
    );
    const viewer = client();
    const inbox = await viewer.command('inbox');
    const attached = await viewer.attach(ATTACH);
    for (const shown of [inbox, attached.inquiries]) {
      expect(shown).toMatchObject([
        { id: 'k7f2m9qd.1', tool: 'Write', editable: false },
        { id: 'k7f2m9qd.2', tool: 'Write', editable: false },
        { id: 'k7f2m9qd.3', input: { command: 'ls' }, editable: true },
      ]);
      expect((shown[0]!.input as { content: string }).content).toMatch(/^x+… \(\d+ characters, cut\)$/);
    }
    const frames: Frame[] = [
      { kind: 'json', json: { t: 'reply', id: 1, value: inbox } },
      { kind: 'json', json: attached },
    ];
    for (const frame of frames) expect(() => encodeFrame(frame)).not.toThrow();
    expect(types(entries).filter((type) => type === 'inquiry.opened')).toHaveLength(3);
  });

  it('answer with what their schemas say', async () => {
    const { client } = trial();
    const viewer = client();
    expect(CommandSchemas.summary.result.parse(await viewer.command('summary'))).toMatchObject({ id: 'k7f2m9qd' });
    expect(await viewer.command('inbox')).toEqual([]);
    expect(CommandSchemas.pause.result.parse(await viewer.command('pause'))).toEqual({ pids: [1] });
    expect(CommandSchemas.stop.result.parse(await viewer.command('stop'))).toEqual({ processes: [], left: 0 });
    expect(await viewer.command('interrupt')).toBeNull();
    expect(CommandSchemas.guide.result.parse(await viewer.command('guide', { text: 'x' }))).toMatchObject({ id: 'g1' });
  });

  it.each([
    ['nonsense', {}, 'USAGE'],
    ['constructor', {}, 'USAGE'],
    ['stop', { how: 'gently' }, 'USAGE'],
    ['answer', { inquiry: 'k7f2m9qd-9' }, 'NO_SUCH_INQUIRY'],
    ['screen', {}, 'NO_TERMINAL'],
    ['keys', { keys: 'Enter' }, 'NO_TERMINAL'],
  ])('%s %j: %s', async (name, args, code) => {
    const { client, asked } = trial();
    await expect(client().command(name as 'stop', args as never)).rejects.toMatchObject({ code });
    expect(asked).toEqual([]);
  });

  it('hold messages back while it is paused, and everyone is told', async () => {
    const paused: boolean[] = [];
    const { client, asked, host } = trial();
    const watcher = client(undefined, { incoming: { paused: (is) => paused.push(is) } });
    await watcher.attach(ATTACH);
    const viewer = client();
    await viewer.command('pause');
    expect(host.row().state).toBe('paused');
    expect(await viewer.command('submit', { text: 'x', key: 'k' })).toMatchObject({ verdict: 'refused' });
    await viewer.command('resume');
    // What was refused may be sent again under its key; what was sent is one message.
    const sent = [viewer.command('submit', { text: 'x', key: 'k' }), viewer.command('submit', { text: 'x', key: 'k' })];
    expect(await Promise.all(sent)).toMatchObject([{ verdict: 'submitted' }, { verdict: 'submitted' }]);
    expect(asked).toEqual(['pause', 'resume', 'submit']);
    await vi.waitFor(() => expect(paused).toEqual([true, false]));
  });

  it('give the keys to one viewer, and take them over on purpose only', async () => {
    const { client, host } = trial();
    const [first, second] = [client(), client()];
    const { viewer } = await first.attach({ ...ATTACH, role: 'driver' });
    expect((await second.attach({ ...ATTACH, role: 'driver' })).driver).toBe(viewer);
    await expect(second.command('resize', { cols: 10, rows: 10 })).rejects.toMatchObject({ code: 'NOT_DRIVER' });
    await second.command('take');
    expect(host.viewers.driver.holder).not.toBe(viewer);
    second.close();
    await vi.waitFor(() => expect(host.viewers.driver.holder).toBeNull());
  });

  it('tell whose keys are ignored who has them, by the name people know, and again when that may be drawn over', async () => {
    const { client, clock } = trial();
    const heard: unknown[] = [];
    const phone = client(undefined, { device: 'phone' });
    const { viewer } = await phone.attach({ ...ATTACH, role: 'driver' });
    const desk = client(undefined, { incoming: { driver: (driver, name) => heard.push([driver, name]) } });
    expect(await desk.attach({ ...ATTACH, role: 'driver' })).toMatchObject({ driver: viewer, driver_name: 'phone' });
    const types = async (key: string) => {
      desk.input(Buffer.from(key));
      await desk.command('summary');
    };
    for (const key of ['a', 'b']) await types(key);
    expect(heard).toEqual([[viewer, 'phone']]);
    clock.advance(2_000);
    for (const key of ['c', 'd']) await types(key);
    expect(heard).toEqual([
      [viewer, 'phone'],
      [viewer, 'phone'],
    ]);
  });
});
