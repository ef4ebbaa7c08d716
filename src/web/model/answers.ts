/**
 * The answers this page is about to give or has given, one per inquiry, wherever its card is shown. An answer is settled by its
 * host once: sent again after a cut it does no harm, and "already answered by this device" is what one wanted to hear.
 */
import { effect, type Signal, signal } from '@preact/signals';
import type { Card } from '../../contract/page.js';
import { type AnswerDraft, type AnswerGiven, answerOf, type Deed, draftOf } from './answering.js';
import { ask, HubError, Unreached } from './api.js';
import { cards, connection, device, now, settled } from './store.js';

/** Where an answer is on its way. */
export type AnswerPhase =
  | { is: 'open' }
  | { is: 'sending'; deed: Deed }
  /** Nothing came back: the hub may or may not have it. */
  | { is: 'unsent'; deed: Deed; args: AnswerGiven }
  /** It was another inquiry by then: shown anew, to be answered anew. */
  | { is: 'changed' }
  | { is: 'refused'; message: string; hint: string }
  | { is: 'given'; deed: Deed; at: string; kept: boolean; continue?: string }
  | { is: 'elsewhere'; message: string };

export interface Answering {
  /** As it is shown; an answer is to exactly this. */
  card: Card;
  draft: AnswerDraft;
  phase: AnswerPhase;
}

const known = new Map<string, Signal<Answering>>();
/** Settled ones that are remembered, for what still shows them. */
const MOST_KNOWN = 100;

const fresh = (card: Card): Answering => ({ card, draft: draftOf(card), phase: { is: 'open' } });

/** What is being answered on this card. A card of another digest is another thing: what was chosen is gone, and said to be. */
export function answering(card: Card): Signal<Answering> {
  const { id } = card.inquiry;
  const found = known.get(id);
  if (found === undefined) {
    const made = signal(fresh(card));
    known.set(id, made);
    for (const [old] of known) if (known.size > MOST_KNOWN && !cards.peek().has(old)) known.delete(old);
    return made;
  }
  const was = found.peek();
  if (was.card !== card && was.phase.is !== 'given' && was.phase.is !== 'elsewhere') {
    const same = was.card.digest === card.digest;
    found.value = same ? { ...was, card } : { ...fresh(card), phase: { is: 'changed' } };
  }
  return found;
}

export const phaseOf = (inquiry: string): AnswerPhase => known.get(inquiry)?.value.phase ?? { is: 'open' };

const put = (id: string, next: Partial<Answering>): void => {
  const found = known.get(id);
  if (found !== undefined) found.value = { ...found.peek(), ...next };
};

export function redraft(id: string, change: (draft: AnswerDraft) => AnswerDraft): void {
  const found = known.get(id);
  if (found === undefined || isUnderway(found.peek().phase)) return;
  const { phase, draft } = found.peek();
  // What was wrong with the last try is not said about the next.
  put(id, { draft: change(draft), phase: phase.is === 'refused' ? { is: 'open' } : phase });
}

const isUnderway = ({ is }: AnswerPhase): boolean => is === 'sending' || is === 'given' || is === 'elsewhere';

/** Contract: one at a time for an inquiry; never throws, what comes of it is in `phase`. */
export async function give(id: string, deed: Deed): Promise<void> {
  const found = known.get(id);
  if (found === undefined || isUnderway(found.peek().phase)) return;
  const { card, draft } = found.peek();
  const made = answerOf(card, draft, deed);
  if ('wrong' in made) put(id, { phase: { is: 'refused', message: made.wrong, hint: '' } });
  else await send(id, deed, made.args);
}

/** The same answer once more, after nothing came back. */
export async function sendAgain(id: string): Promise<void> {
  const phase = known.get(id)?.peek().phase;
  if (phase?.is === 'unsent') await send(id, phase.deed, phase.args);
}

async function send(id: string, deed: Deed, args: AnswerGiven): Promise<void> {
  put(id, { phase: { is: 'sending', deed } });
  try {
    const { kept = false, continue: line } = await ask('answer', { id, args });
    given(id, deed, { kept, ...(line === undefined ? {} : { continue: line }) });
  } catch (error) {
    if (error instanceof Unreached) put(id, { phase: { is: 'unsent', deed, args } });
    else if (error instanceof HubError) await refused(id, deed, error);
    else throw error;
  }
}

function given(id: string, deed: Deed, facts: { kept: boolean; continue?: string }): void {
  const found = known.get(id);
  if (found === undefined) return;
  const { card } = found.peek();
  // Nothing of what was typed stays in memory longer than it is needed.
  const at = new Date(now.peek()).toISOString();
  found.value = { card, draft: draftOf(card), phase: { is: 'given', deed, at, ...facts } };
  globalThis.navigator?.vibrate?.(20);
}

async function refused(id: string, deed: Deed, error: HubError): Promise<void> {
  const { code, status, message, hint } = error;
  if (code === 'ANSWERED_ALREADY') {
    if (isByMe(id, message)) given(id, deed, { kept: false });
    else put(id, { phase: { is: 'elsewhere', message: afterColon(message) } });
  } else if (status === 404 || status === 410) put(id, { phase: { is: 'elsewhere', message: 'it is no longer open' } });
  else if (status === 409) await lookAgain(id, error);
  else put(id, { phase: { is: 'refused', message, hint } });
}

/** "inquiry k7f2m9qd.1 is no longer open: answered by phone" */
const afterColon = (message: string): string => message.slice(message.indexOf(': ') + (message.includes(': ') ? 2 : 1));

function isByMe(id: string, message: string): boolean {
  const me = device.peek()?.name;
  return me !== undefined && (settled.peek().get(id)?.by === me || message.endsWith(`answered by ${me}`));
}

/** Refused because it is another by now: it is shown as it is, and asked about anew. */
async function lookAgain(id: string, { message, hint }: HubError): Promise<void> {
  try {
    const card = await ask('card', { id });
    const was = known.get(id)?.peek().card;
    if (was?.digest === card.digest) put(id, { phase: { is: 'refused', message, hint } });
    else put(id, { ...fresh(card), phase: { is: 'changed' } });
    if (cards.peek().has(id)) cards.value = new Map(cards.peek()).set(id, card);
  } catch {
    put(id, { phase: { is: 'refused', message, hint } }); // the next look tells
  }
}

/** What could not be sent goes by itself once the hub is there again. */
export function watchUnsent(): void {
  let was = connection.peek().state;
  effect(() => {
    const { state } = connection.value;
    if (state === 'live' && was !== 'live') for (const id of known.keys()) void sendAgain(id);
    was = state;
  });
}
