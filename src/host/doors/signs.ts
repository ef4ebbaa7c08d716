/** Small judgements of the tui door about what it sees and hears. */
import type { ScreenDialog, ScreenReading } from '../../adapters/index.js';
import type { AgentState, Answer, Clock, EntryPayload } from '../../contract/index.js';
import type { Asked, Settlement } from '../desk.js';
import { canTake } from './may-type.js';

export const WITHDRAWN: Settlement = {
  verdict: { kind: 'deny' },
  reason: 'The question was withdrawn before it was answered.',
};

/** Why an inquiry closed whose dialog went away while nobody pressed a key. */
export const OFF_SCREEN = 'its dialog is gone from the agent’s screen, and no key was pressed';

/** A spinner was still on the screen 40 ms after the hook that ended its turn; a busy machine paints later. */
const PAST_MS = 1_000;

/** Hooks are faster than the picture: a spinner that is seen right after the agent came to rest is the past. */
export function pastPictures(clock: Clock): {
  heard(state: AgentState, because: string): void;
  is(reading: ScreenReading): boolean;
} {
  let until = 0;
  return {
    heard(state, because) {
      if (because !== 'screen') until = because === 'hook' && canTake(state) ? clock.now() + PAST_MS : 0;
    },
    is: ({ state }) => state === 'working' && clock.now() < until,
  };
}

/** Another dialog stands there, or the agent does something else. A half-painted frame says neither. */
export function isGone(key: string, { dialog, state }: ScreenReading): boolean {
  if (dialog) return dialog.key !== key;
  return state !== undefined && state !== 'asking-permission' && state !== 'asking-question';
}

/** Agents trim, re-wrap and cut what they echo: compare the letters, not the spaces or what cannot be seen. */
export const squeeze = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, '').slice(0, 2000);

/** An echo may hold several messages: one as long as this is not in there by accident. */
const TELLING_LENGTH = 24;

/** Whether the agent says that it was given this message. */
export function echoed(echo: string, message: string): boolean {
  const told = squeeze(echo);
  const given = squeeze(message);
  return given !== '' && (given === told || (given.length >= TELLING_LENGTH && told.includes(given)));
}

/** Who had a key pressed, in the journal's words. */
export function whoAnswered(kind: Answer['by']['kind']): EntryPayload<'input.sent'>['by'] {
  if (kind === 'viewer' || kind === 'agent') return 'human';
  return kind === 'consultant' ? 'consultant' : 'rule';
}

export const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** Why nothing is typed now, and what to do about it. */
export function askedInWords(kind: ScreenDialog['kind'] | undefined, asked: Asked | undefined): string | undefined {
  const id = asked?.id;
  if (kind === undefined) return id && `inquiry ${id} waits for an answer (\`reins answer ${id}\`)`;
  if (kind !== 'other')
    return `a ${kind} dialog is open (${id ? `inquiry ${id}: \`reins answer ${id}\`` : 'see `reins inbox`'})`;
  const inquiry = id ? ` (inquiry ${id})` : '';
  return `something is on the agent’s screen that Reins cannot read${inquiry}; see it with \`reins attach\`, or press keys with \`reins send --keys\``;
}
