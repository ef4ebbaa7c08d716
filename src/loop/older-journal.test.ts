/** A journal of an older build has the loop's state in notices: it folds to the same as one of today. */
import { expect, it } from 'vitest';
import type { Entry, EntryPayload, EntryType } from '../contract/index.js';
import type { OwnType } from './entries.js';
import { fold } from './fold.js';
import { settingsFor } from './loop.cases.js';

const told = { level: 'info', text: 'words' } as const;
const TODAY: { [K in OwnType]: EntryPayload<K> } = {
  'loop.waiting': { ...told, until: 1_800_000_000_000, why: 'a limit', kind: 'limit' },
  'loop.parked': told,
  'loop.resumed': told,
  'loop.stopping': { ...told, outcome: 'limit', exit_code: 3, reason: 'enough', advice: 'raise it' },
  'loop.judging': { ...told, how: 'by its last line', claimed: true, tree: 'abc' },
  'loop.limited': { ...told, message: 'come back later', until: 1_800_000_000_000 },
  'loop.outage': { ...told, message: 'refused', since: 1_800_000_000_000, tries: 2 },
  'loop.recovered': { ...told, seconds: 2400, tries: 9 },
  'loop.dropped': { ...told, events: [1] },
  'loop.denied': told,
  'loop.stalled': told,
  'loop.garbled': told,
};

/** The codes as that build wrote them. */
const CODES: Record<OwnType, string> = {
  'loop.waiting': 'loop.wait',
  'loop.parked': 'loop.parked',
  'loop.resumed': 'loop.resumed',
  'loop.stopping': 'loop.stopping',
  'loop.judging': 'loop.gates',
  'loop.limited': 'loop.limited',
  'loop.outage': 'loop.outage',
  'loop.recovered': 'loop.recovered',
  'loop.dropped': 'loop.dropped',
  'loop.denied': 'loop.denied',
  'loop.stalled': 'loop.stall',
  'loop.garbled': 'loop.garbled',
};

const session = 'k7f2m9qd';
const entry = (seq: number, type: EntryType, data: unknown) =>
  ({ v: 1, seq, ts: `2026-01-01T00:00:0${seq}.000Z`, session, type, data }) as Entry;

const BEFORE = [
  entry(1, 'session.started', {}),
  entry(2, 'event.published', { topic: 'a.b', payload: '', by: 'emit', iteration: 0, accepted: true }),
  entry(3, 'iteration.started', { iteration: 1, agent: 'practice' }),
  entry(4, 'notice', { level: 'info', code: 'loop.parked', text: 'it waits' }),
];

const IN_OUTAGE = entry(4, 'loop.outage', TODAY['loop.outage']);

it.each(Object.keys(TODAY) as OwnType[])('%s', (type) => {
  const { level, text, ...facts } = TODAY[type];
  const then = entry(5, 'notice', { level, text, code: CODES[type], facts });
  const before = type === 'loop.recovered' ? [...BEFORE.slice(0, 3), IN_OUTAGE] : BEFORE;
  const folded = (last: Entry[]) => fold([...before.slice(0, type === 'loop.parked' ? 3 : 4), ...last], settingsFor());
  const now = folded([entry(5, type, TODAY[type])]);
  expect(folded([then])).toEqual(now);
  // It did change something, so that both could differ.
  expect(now).not.toEqual(folded([entry(5, 'notice', { level, text, code: 'loop.other', facts })]));
});

it.each(['constructor', 'loop.', 'loop.none', 'toString'])(
  'a code that is none of ours, %s, changes nothing',
  (code) => {
    const other = (data: object) =>
      fold([...BEFORE, entry(5, 'notice', { level: 'info', text: 'x', ...data })], settingsFor());
    expect(other({ code })).toEqual(other({}));
  },
);
