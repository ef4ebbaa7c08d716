import { expect, it } from 'vitest';
import { composing } from './composing.js';
import type { SessionRow } from './store.js';

const row = (news: Partial<SessionRow>): SessionRow =>
  ({ id: 's', state: 'idle', mode: 'interactive', agent: 'practice', ...news }) as SessionRow;
const facts = { paused: false, silent: false, connected: true, types: true, admin: true };

it.each([
  [{}, {}, { what: 'message', verb: 'Send' }],
  [{ state: 'working' }, {}, { what: 'message', hint: expect.stringContaining('next turn') }],
  [{}, { connected: false }, { verb: 'When connected' }],
  [{ mode: 'autonomous', state: 'working' }, {}, { what: 'guide', verb: 'Guide' }],
  [{ state: 'paused' }, {}, { barred: 'resume it first' }],
  [{}, { paused: true }, { barred: 'resume it first' }],
  [{}, { silent: true }, { barred: expect.stringContaining('does not answer') }],
  [{ state: 'ended' }, {}, { what: 'continue', verb: 'Continue' }],
  [{ state: 'ended', left: 2 }, {}, { barred: 'stop what still runs first' }],
] as [Partial<SessionRow>, object, object][])('a row %j with %j', (news, more, said) => {
  expect(composing({ row: row(news), ...facts, ...more })).toMatchObject(said);
});

it.each([
  [{}, { types: false }],
  [{ state: 'ended' }, { admin: false }],
  [{ state: 'ended', mode: 'exec' }, {}],
] as [Partial<SessionRow>, object][])('who may not has no composer: %j %j', (news, more) => {
  expect(composing({ row: row(news), ...facts, ...more })).toBeUndefined();
});
