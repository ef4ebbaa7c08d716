import { beforeEach, describe, expect, it } from 'vitest';
import type { PageDown } from '../../contract/page.js';
import { route } from './routes.js';
import { asking, byFolder, everySession, over, resting, SECTIONS, sectionOf, trouble, working } from './sections.js';
import { learn, type SessionRow } from './store.js';

const row = (id: string, given: Partial<SessionRow>): SessionRow =>
  ({ id, name: id, cwd: '/p', agent: 'practice', started_at: '2026-01-02T03:00:00Z', inquiries: 0, ...given }) as never;

const ROWS = [
  row('starts', { state: 'starting' }),
  row('works', { state: 'working' }),
  row('asks', { state: 'asking' }),
  row('idles', { state: 'idle' }),
  row('stands', { state: 'paused' }),
  row('limited', { state: 'working', limited: true }),
  row('mute', { state: 'idle' }),
  row('other', { state: 'idle', other: 'runs under Reins 9' }),
  row('died-leaving', { state: 'ended', left: 2, detail: 'its host died', ended_at: '2026-01-02T04:00:00Z' }),
  row('died', { state: 'ended', outcome: 'failed', detail: 'its host died', ended_at: '2026-01-02T04:00:00Z' }),
  row('failed', { state: 'ended', outcome: 'failed', ended_at: '2026-01-02T04:00:00Z' }),
  row('done', { state: 'ended', outcome: 'completed', ended_at: '2026-01-02T04:00:00Z' }),
];

beforeEach(() => {
  const hello = { t: 'hello', hub: {}, device: {}, now: new Date().toISOString(), rows: ROWS, cards: [] };
  learn(hello as unknown as PageDown);
  learn({ t: 'silent', session: 'mute', silent: true });
});

describe('every session stands in one section', () => {
  it('by what a person looks for', () => {
    const named = Object.fromEntries(
      SECTIONS.map((name) => [name, ROWS.filter((one) => sectionOf(one) === name).map(({ id }) => id)]),
    );
    expect(named).toEqual({
      asking: ['asks'],
      working: ['starts', 'works'],
      resting: ['idles', 'stands', 'limited'],
      trouble: ['mute', 'other', 'died-leaving'],
      ended: ['died', 'failed', 'done'],
    });
  });

  it('and Now says the same: who asks is not counted among those that work', () => {
    const ids = (list: readonly SessionRow[]) => list.map(({ id }) => id).sort();
    expect(ids(asking.value)).toEqual(['asks']);
    expect(ids(working.value)).toEqual(['starts', 'works']);
    expect(ids(resting.value)).toEqual(['idles', 'limited', 'stands']);
    expect(ids(trouble.value)).toEqual(['died-leaving', 'mute', 'other']);
    expect(ids(over.value)).toEqual(['died', 'done', 'failed']);
    expect(ids(everySession.value)).toEqual(ids(ROWS));
  });
});

describe('under its folder', () => {
  it('what lives stands before few that ended, and the open one is among them', () => {
    const ended = Array.from({ length: 9 }, (_, at) =>
      row(`e${at}`, { state: 'ended', outcome: 'completed', ended_at: `2026-01-02T0${at}:00:00Z` }),
    );
    const rows = [row('a', { state: 'working' }), ...ended, row('b', { state: 'idle', cwd: '/q' })];
    const hello = { t: 'hello', hub: {}, device: {}, now: new Date().toISOString(), rows, cards: [] };
    learn(hello as unknown as PageDown);
    const shown = () => byFolder.value.map(({ cwd, list, more }) => [cwd, list.map(({ id }) => id), more]);
    expect(shown()).toEqual([
      ['/p', ['a', 'e8', 'e7', 'e6'], 6],
      ['/q', ['b'], 0],
    ]);
    route.value = { ...route.value, session: 'e2' };
    expect(shown()[0]).toEqual(['/p', ['a', 'e8', 'e7', 'e6', 'e2'], 5]);
    route.value = { view: 'now', query: new URLSearchParams() };
  });
});
