import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Entry, EntryPayload, EntryType, SessionId } from '../contract/index.js';
import { AgentEvents } from './agent-events.js';

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'agent-events-'));
  made.push(dir);
  return dir;
}

let seq = 0;
function entry<T extends EntryType>(type: T, data: EntryPayload<T>): Entry {
  seq += 1;
  return { v: 1, seq, ts: new Date(seq).toISOString(), session: 'abcd2345', type, data } as unknown as Entry;
}

const started = (iteration: number) => entry('iteration.started', { iteration, agent: 'custom' });
const text = (words: string) => entry('agent.text', { text: words });
const ended = () => entry('agent.ended', { exit_code: 0, ok: true });
const event = (topic: string, iteration: number, accepted = true) =>
  entry('event.published', { topic, payload: '', by: 'text', iteration, accepted });

function open(cwd: string, before: Entry[] = [], session = 'abcd2345') {
  const troubles: string[] = [];
  const events = new AgentEvents({
    cwd,
    session: session as SessionId,
    before,
    trouble: (reason) => troubles.push(reason),
  });
  return { events, troubles };
}

const read = (cwd: string, name = 'events.jsonl') => readFileSync(join(cwd, '.agent', name), 'utf8');
const write = (cwd: string, entries: Entry[], before: Entry[] = []) => {
  const { events } = open(cwd, before);
  for (const one of entries) events.entry(one);
};

describe('.agent/events.jsonl', () => {
  test('has a line per accepted event and a line per output', () => {
    const cwd = folder();
    write(cwd, [started(1), text('a '), text('b\n'), event('x.y', 1), event('no', 1, false), ended()]);
    const lines = read(cwd)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { session: 'abcd2345', type: 'event', topic: 'x.y', iteration: 1 },
      { session: 'abcd2345', type: 'output', iteration: 1, outcome: 'ok', text: 'a b\n' },
    ]);
  });

  const story = fc.array(
    fc.oneof(
      fc.string().map((words) => () => text(words)),
      fc.constant(() => ended()),
      fc.nat(3).map((n) => () => started(n)),
      fc.tuple(fc.string({ minLength: 1 }), fc.boolean()).map(
        ([topic, accepted]) =>
          () =>
            event(topic, 1, accepted),
      ),
    ),
    { maxLength: 30 },
  );

  test('a host killed anywhere and continued leaves the same file as one that was not', () => {
    fc.assert(
      fc.property(story, fc.nat(), (makers, cut) => {
        const entries = makers.map((make) => make());
        const at = entries.length === 0 ? 0 : cut % entries.length;
        const [whole, killed] = [folder(), folder()];
        write(whole, entries);
        // The journal is ahead of our file by one entry at most; here the last one never reached it.
        write(killed, entries.slice(0, Math.max(0, at - 1)));
        write(killed, entries.slice(at), entries.slice(0, at));
        const names = (cwd: string) => (entries.length === 0 ? [] : readdirSync(join(cwd, '.agent')));
        expect(names(killed)).toEqual(names(whole));
        if (names(whole).includes('events.jsonl')) expect(read(killed)).toBe(read(whole));
      }),
      { numRuns: 60 },
    );
  });

  test('an output of several parts is whole when put together', () => {
    const cwd = folder();
    const words = 'y'.repeat(2_500_000);
    write(cwd, [started(1), text(words.slice(0, 1_200_000)), text(words.slice(1_200_000)), ended()]);
    const parts = read(cwd)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { part: number; text: string });
    expect(parts.map(({ part }) => part)).toEqual([1, 2, 3]);
    expect(parts.map((one) => one.text).join('') === words).toBe(true);
  });

  test('another session’s file is put aside; a torn line of ours is written anew; strangers’ lines are kept', () => {
    const cwd = folder();
    write(cwd, [event('old', 1)]);
    const old = read(cwd);
    const second = open(cwd, [], 'wxyz6789');
    second.events.entry(event('new', 1));
    expect(read(cwd, 'events.jsonl.1')).toBe(old);
    expect(read(cwd)).toContain('"topic":"new"');

    for (const name of ['events.jsonl.other', 'events.jsonl.other-2']) {
      writeFileSync(join(cwd, '.agent', 'events.jsonl'), `${name}\n`);
      open(cwd, [], 'wxyz6789').events.entry(event('again', 1));
      expect(read(cwd, name)).toBe(`${name}\n`);
    }
  });

  test('a link that an agent puts in its place is not written through', () => {
    const cwd = folder();
    const outside = join(folder(), 'profile');
    writeFileSync(outside, 'mine\n');
    const { events, troubles } = open(cwd);
    events.entry(started(1));
    rmSync(join(cwd, '.agent/events.jsonl'), { force: true });
    symlinkSync(outside, join(cwd, '.agent/events.jsonl'));
    for (const one of [text('$(touch here)'), ended()]) events.entry(one);
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
    expect(troubles).toHaveLength(1);
  });

  test.each<[string, (file: string, outside: string) => void]>([
    ['a pipe', (file) => void execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', file])],
    ['another name of a file elsewhere', (file, outside) => linkSync(outside, file)],
    [
      'a link in place of its folder',
      (file, outside) => {
        rmSync(dirname(file), { recursive: true });
        symlinkSync(dirname(outside), dirname(file));
      },
    ],
  ])('%s that an agent puts in its place holds nobody and is not written to', (_, put) => {
    const cwd = folder();
    const outside = join(folder(), 'profile');
    writeFileSync(outside, 'mine\n');
    const { events, troubles } = open(cwd);
    for (const one of [started(1), text('a'), ended()]) events.entry(one);
    const file = join(cwd, '.agent/events.jsonl');
    rmSync(file);
    put(file, outside);
    for (const one of [started(2), text('b'), ended()]) events.entry(one);
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
    expect(readdirSync(dirname(outside))).toEqual(['profile']);
    expect(troubles).toHaveLength(1);
  });

  test('what cannot be written is told once and stops nothing', () => {
    const cwd = folder();
    mkdirSync(join(cwd, '.agent', 'events.jsonl'), { recursive: true });
    const { events, troubles } = open(cwd);
    for (const topic of ['a', 'b', 'c']) events.entry(event(topic, 1));
    expect(troubles).toEqual(['.agent/events.jsonl cannot be written: it is not a file']);
  });
});
