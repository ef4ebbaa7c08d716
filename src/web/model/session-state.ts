/**
 * What a session's row means to a person: one word for the dot, one line with a time. The states of a host that died, is silent
 * or speaks another version come before what its row last said.
 */
import { timeLeft } from '../../contract/index.js';
import type { SessionRow } from './store.js';
import { clock, count, span } from './words.js';

export interface ShownState {
  is:
    | 'starting'
    | 'working'
    | 'asking'
    | 'idle'
    | 'limited'
    | 'paused'
    | 'completed'
    | 'failed'
    | 'ended'
    | 'died'
    | 'silent'
    | 'other';
  words: string;
}

const DIED = 'its host died';

export const hostDied = (row: SessionRow): boolean =>
  (row.left ?? 0) > 0 || (row.state === 'ended' && row.detail?.startsWith(DIED) === true);

export function shownState(row: SessionRow, silentSince: string | undefined, now: number): ShownState {
  const age = (from: string | undefined): string => (from === undefined ? '' : span(now - Date.parse(from)));
  const since = row.since ?? row.started_at;
  if (row.other !== undefined && row.state !== 'ended') return { is: 'other', words: row.other };
  if (silentSince !== undefined && row.state !== 'ended')
    return { is: 'silent', words: `does not answer since ${age(silentSince)}` };
  if (hostDied(row)) {
    const when = row.ended_at === undefined ? '' : ` at ${clock(row.ended_at, now)}`;
    const left = row.left ?? 0;
    return {
      is: 'died',
      words: `its host died${when}${left > 0 ? `; ${count(left, 'process still runs', 'processes still run')}` : ''}`,
    };
  }
  switch (row.state) {
    case 'starting':
      return { is: 'starting', words: `starting, ${age(since)}` };
    case 'asking':
      return { is: 'asking', words: `asks you since ${age(since)}` };
    case 'paused':
      return { is: 'paused', words: `stands still since ${age(since)}` };
    case 'ended':
      return ended(row, age(row.ended_at));
    default:
  }
  if (row.limited || (row.until !== undefined && Date.parse(row.until) > now)) return limited(row, now);
  if (row.state === 'working') return { is: 'working', words: `working ${age(since)}` };
  return { is: 'idle', words: `waits for you since ${age(since)}` };
}

function limited({ until, limited }: SessionRow, now: number): ShownState {
  const what = limited ? 'usage limit' : 'waits';
  if (until === undefined) return { is: 'limited', words: what };
  return { is: 'limited', words: `${what} until ${clock(until, now)} (${timeLeft(Date.parse(until) - now)})` };
}

function ended(row: SessionRow, age: string): ShownState {
  const code = row.exit_code === undefined || row.exit_code === 0 ? '' : ` (exit ${row.exit_code})`;
  const when = age === '' ? '' : `, ${age} ago`;
  if (row.outcome === 'completed') return { is: 'completed', words: `completed${when}` };
  const is = row.outcome === undefined || row.outcome === 'stopped' || row.outcome === 'parked' ? 'ended' : 'failed';
  return { is, words: `${row.outcome ?? 'ended'}${code}${when}` };
}
