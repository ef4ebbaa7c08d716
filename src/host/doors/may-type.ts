/**
 * The one rule about typing into an agent's terminal. Text is typed only where an input box was seen that is the program's
 * own and ready, or that takes messages while the program works. Everything else is refused with the reason or waited
 * for: a dialog, a question, a page nobody knows, a picture that has not come to rest. Pure.
 */
import type { ScreenReading } from '../../adapters/index.js';
import type { AgentState } from '../../contract/index.js';
import type { MayType } from '../../terminal/index.js';

export interface Sight {
  /** What the best signal says. */
  state: AgentState;
  /** What is known to be asked, in words: a dialog, an inquiry, and how to answer it. */
  asked?: string | undefined;
  /** The screen as it was read last; absent: nothing was seen yet. */
  reading?: ScreenReading | undefined;
  /** Two looks in a row, a moment apart, have seen the same. */
  settled: boolean;
  /** The agent's own file says that it waits for somebody. */
  waits?: boolean;
  /** Nobody can read this program's screen. */
  blind?: boolean;
  /** What is typed while it works is kept. */
  queues?: boolean;
}

export function mayType(sight: Sight): MayType {
  const { state, asked, reading = {} } = sight;
  if (state === 'ended') return no('the agent has ended');
  if (asked !== undefined) return no(asked);
  if (sight.blind) return { may: 'blind' };
  if (reading.dialog) return no(`a ${reading.dialog.kind} dialog is open`);
  if (reading.unread !== undefined) return no('a page or dialog that Reins cannot read is open');
  if (asks(state) || asks(reading.state) || sight.waits) return no('the agent waits for an answer of another kind');
  if (!reading.composer) return later('no input box of the agent is on its screen');
  if (!sight.settled) return later('the agent’s screen has not come to rest');
  if (canTake(state) && canTake(reading.state)) return { may: 'type' };
  // Its hook says that it rests, its picture that it works: the picture is late.
  if (works(state) && sight.queues && !canTake(reading.state)) return { may: 'queue' };
  return later('the agent is not ready for input');
}

export const canTake = (state: AgentState | undefined): boolean => state === 'ready' || state === 'idle';

export const asks = (state: AgentState | undefined): boolean =>
  state === 'asking-permission' || state === 'asking-question';

const works = (state: AgentState): boolean => state === 'working' || state === 'retrying' || state === 'limited';
const no = (reason: string): MayType => ({ may: 'no', reason });
const later = (reason: string): MayType => ({ may: 'later', reason });
