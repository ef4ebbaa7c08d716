import { expect, it } from 'vitest';
import type { Card, PageDown } from '../../contract/page.js';
import { cards, learn, rows, settled, silent, waiting } from './store.js';

const card = (id: string, session: string, given: Partial<Card['inquiry']> = {}): Card =>
  ({
    inquiry: { id, session, kind: 'run', exclusive: false, opened_at: '2026-01-02T03:00:00Z', ...given },
    digest: 'd',
    view: { title: `wants ${id}`, shape: 'text', lines: 1 },
  }) as unknown as Card;
const hello = (given: { rows?: object[]; cards?: Card[] }): PageDown =>
  ({
    t: 'hello',
    hub: {},
    device: {},
    now: new Date().toISOString(),
    rows: [],
    cards: [],
    ...given,
  }) as unknown as PageDown;

it('a hello is the whole picture: what it does not name is gone', () => {
  learn(hello({ rows: [{ id: 'a' }, { id: 'b' }], cards: [card('a-1', 'a')] }));
  learn({ t: 'silent', session: 'a', silent: true, since: '2026-01-02T03:04:05Z' });
  learn(hello({ rows: [{ id: 'b' }] }));
  expect([...rows.value.keys()]).toEqual(['b']);
  expect(cards.value.size).toBe(0);
  expect(silent.value.size).toBe(0);
});

it('who runs out of time first is first, then who waits longest', () => {
  learn(
    hello({
      cards: [
        card('late', 'a', { opened_at: '2026-01-02T03:00:02Z' }),
        card('early', 'a', { opened_at: '2026-01-02T03:00:01Z' }),
        card('soon', 'a', { opened_at: '2026-01-02T03:00:09Z', until: '2026-01-02T03:10:00Z' }),
        card('limit', 'a', { opened_at: '2026-01-02T03:00:09Z', deadline_at: '2026-01-02T03:05:00Z' }),
      ],
    }),
  );
  expect(waiting.value.map(({ inquiry }) => inquiry.id)).toEqual(['limit', 'soon', 'early', 'late']);
});

it('what is settled leaves the cards at once and says what it was', () => {
  learn(hello({ cards: [card('a-1', 'a')] }));
  learn({ t: 'settled', inquiry: 'a-1', session: 'a', how: 'allowed', by: 'you', at: '2026-01-02T03:04:05Z' });
  expect(cards.value.size).toBe(0);
  expect(settled.value.get('a-1')).toMatchObject({ how: 'allowed', by: 'you', title: 'wants a-1' });
});

it('a forgotten session takes its cards with it, and no other’s', () => {
  learn(hello({ rows: [{ id: 'a' }, { id: 'b' }], cards: [card('a-1', 'a'), card('b-1', 'b')] }));
  learn({ t: 'forgotten', session: 'a' });
  expect([...rows.value.keys()]).toEqual(['b']);
  expect([...cards.value.keys()]).toEqual(['b-1']);
});

it('holds a bounded number of settled ones', () => {
  for (let n = 0; n < 450; n++)
    learn({ t: 'settled', inquiry: `x-${n}`, session: 'x', how: 'allowed', at: '2026-01-02T03:04:05Z' });
  expect(settled.value.size).toBe(200);
  expect(settled.value.has('x-449')).toBe(true);
});
