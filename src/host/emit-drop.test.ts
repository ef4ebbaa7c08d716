/** Events that come as files, and every way to have one that nobody may publish. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { HandClock, ReinsError } from '../contract/index.js';
import { askText, type DropAsk, dropAsk, readVia, viaText } from '../link/emit-drop.js';
import { EmitDrop } from './emit-drop.js';

const KEY = 'a'.repeat(32);
const ID = 'b'.repeat(32);

function opened(emit?: () => unknown) {
  const published: string[] = [];
  const drop = new EmitDrop({
    key: KEY,
    session: 'k7f2m9qd',
    clock: new HandClock(),
    emit:
      emit ??
      (({ topic, payload }) => {
        published.push(`${topic} ${payload}`);
        return { accepted: true };
      }),
  });
  onTestFinished(() => drop.close());
  const file = (name: string) => join(drop.via.dir, name);
  const ask = (changes: Partial<DropAsk> = {}) =>
    ({ id: ID, at: Date.now(), session: 'k7f2m9qd', topic: 'build.done', payload: 'x', ...changes }) as DropAsk;
  const put = (text: string, id = ID) => {
    writeFileSync(file(`${id}.new`), text);
    renameSync(file(`${id}.new`), file(`${id}.ask`));
    drop.look();
  };
  return { drop, published, file, ask, put };
}

it('an event is published once, answered, and leaves nothing behind', async () => {
  const { drop, published } = opened();
  const event = { session: 'k7f2m9qd', topic: 'build.done', payload: 'é "quoted"\n\0' };
  expect(await dropAsk(drop.via, event)).toEqual({ value: { accepted: true } });
  expect(published).toEqual(['build.done é "quoted"\n\0']);
  expect(readdirSync(drop.via.dir)).toEqual([]);
  drop.close();
  expect(existsSync(drop.via.dir)).toBe(false);
});

it('what the host has against it is told', async () => {
  const { drop } = opened(() => {
    throw new ReinsError('SEND_REFUSED', { reason: 'no loop', fix: '' });
  });
  const told = await dropAsk(drop.via, { session: 'k7f2m9qd', topic: 't', payload: '' });
  expect(told).toMatchObject({ error: { code: 'SEND_REFUSED', message: expect.stringContaining('no loop') } });
});

it.each<[string, (of: ReturnType<typeof opened>) => void]>([
  ['unsigned', ({ put, ask }) => put(`${'0'.repeat(64)}\n${JSON.stringify(ask())}`)],
  ['without any signature', ({ put, ask }) => put(JSON.stringify(ask()))],
  ['with another session’s word', ({ put, ask }) => put(askText('c'.repeat(32), ask()))],
  ['for another session', ({ put, ask }) => put(askText(KEY, ask({ session: 'other123' })))],
  ['with a changed topic', ({ put, ask }) => put(askText(KEY, ask()).replace('build.done', 'LOOP_COMPLETE'))],
  ['under another name', ({ put, ask }) => put(askText(KEY, ask({ id: 'd'.repeat(32) })))],
  ['of an hour ago', ({ put, ask }) => put(askText(KEY, ask({ at: Date.now() - 3_600_000 })))],
  ['of tomorrow', ({ put, ask }) => put(askText(KEY, ask({ at: Date.now() + 86_400_000 })))],
  ['that is no JSON', ({ put }) => put(askText(KEY, 'x' as unknown as DropAsk))],
  ['too large', ({ put, ask }) => put(askText(KEY, ask({ payload: 'x'.repeat(3 * 1024 * 1024) })))],
  ['empty', ({ put }) => put('')],
])('an ask %s is not taken', (_, act) => {
  const of = opened();
  act(of);
  expect(of.published).toEqual([]);
  expect(readdirSync(of.drop.via.dir)).toEqual([]);
});

it('the same ask is taken once, however often it is put there', () => {
  const { published, ask, put, file } = opened();
  const text = askText(KEY, ask());
  put(text);
  rmSync(file(`${ID}.told`));
  put(text);
  put(text);
  expect(published).toHaveLength(1);
});

it('links, pipes and folders in place of a file are not followed, and do not hold the host', () => {
  const { drop, published, ask, file } = opened();
  const elsewhere = mkdtempSync(join(tmpdir(), 'reins-test-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const own = join(elsewhere, 'kept');
  const text = askText(KEY, ask());
  writeFileSync(own, text);
  symlinkSync(own, file(`${ID}.ask`));
  drop.look();
  linkSync(own, file(`${ID}.ask`));
  drop.look();
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', file(`${ID}.ask`)]);
  drop.look();
  mkdirSync(file(`${ID}.ask`));
  drop.look();
  expect(published).toEqual([]);
  expect(readFileSync(own, 'utf8')).toBe(text);
  expect(readdirSync(drop.via.dir)).toEqual([]);
});

it('what cannot be removed is left, carried out never, and ends nothing', () => {
  const { drop, published, file } = opened();
  // Longer than any path may be: made step by step.
  execFileSync('/bin/sh', [
    '-c',
    `cd "$0"; for i in $(seq 40); do mkdir ${'x'.repeat(200)}; cd -P ${'x'.repeat(200)}; done`,
    mkd(),
  ]);
  onTestFinished(() => void execFileSync('rm', ['-rf', drop.via.dir]));
  expect(() => drop.look()).not.toThrow();
  expect(() => drop.close()).not.toThrow();
  expect(published).toEqual([]);

  function mkd(): string {
    mkdirSync(file(`${ID}.ask`));
    return file(`${ID}.ask`);
  }
});

it('an answer is written over nothing that was put in its place', () => {
  const { published, ask, put, file } = opened();
  const elsewhere = mkdtempSync(join(tmpdir(), 'reins-test-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const own = join(elsewhere, 'precious');
  writeFileSync(own, 'precious');
  symlinkSync(own, file(`${ID}.told`));
  symlinkSync(own, file(`${ID}.new-told`));
  put(askText(KEY, ask()));
  expect(published).toHaveLength(1);
  expect(readFileSync(own, 'utf8')).toBe('precious');
});

it('what nobody fetched is removed in time, and nothing else that is new', () => {
  const { drop, file } = opened();
  writeFileSync(file('old.told'), '');
  writeFileSync(file('new.told'), '');
  utimesSync(file('old.told'), 1, 1);
  drop.look();
  expect(readdirSync(drop.via.dir)).toEqual(['new.told']);
});

it('a folder removed under it ends nothing', () => {
  const { drop } = opened();
  rmSync(drop.via.dir, { recursive: true });
  expect(() => drop.look()).not.toThrow();
});

it('without a temporary folder it has none, and ends nothing', () => {
  vi.stubEnv('TMPDIR', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { drop } = opened();
  expect(existsSync(drop.via.dir)).toBe(false);
  expect(readVia(viaText(drop.via))).toEqual(drop.via);
  expect(() => drop.look()).not.toThrow();
  expect(() => drop.close()).not.toThrow();
});

it('what the environment says is read back, and nothing else', () => {
  const via = { key: KEY, dir: '/tmp/a b:c' };
  expect(readVia(viaText(via))).toEqual(via);
  for (const text of [undefined, '', KEY, `${KEY}:relative`, `short:/tmp/x`]) expect(readVia(text)).toBeUndefined();
});
