import { expect, it } from 'vitest';
import type { Entry } from '../../contract/index.js';
import { startSteps } from './start-steps.js';

const FROM = Date.parse('2026-01-02T14:00:00Z');
const entry = (type: string, seconds: number): Entry =>
  ({ type, ts: new Date(FROM + seconds * 1000).toISOString() }) as Entry;

it('says which step it is at, and how long each took', () => {
  expect(startSteps([], FROM, FROM + 3000)).toEqual([
    { name: 'host', is: 'done', ms: 0 },
    { name: 'agent', is: 'now', ms: 3000 },
    { name: 'ready', is: 'later', ms: 0 },
  ]);
  expect(startSteps([entry('session.started', 1), entry('agent.started', 2)], FROM, FROM + 9000)).toEqual([
    { name: 'host', is: 'done', ms: 1000 },
    { name: 'agent', is: 'done', ms: 1000 },
    { name: 'ready', is: 'now', ms: 7000 },
  ]);
});

it('of one that goes on, only the new start counts', () => {
  const again = [entry('session.started', -90), entry('agent.started', -80), entry('session.started', 0)];
  expect(startSteps(again, FROM, FROM + 1000)[1]).toEqual({ name: 'agent', is: 'now', ms: 1000 });
});
