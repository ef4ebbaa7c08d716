/**
 * Which cards stand in a list, and in which order: what needs an answer, with those just settled in their old places as one
 * line. While a finger is on the page nothing moves: no card comes, goes or changes its place. Pure; `parts/card-list.tsx` draws.
 */
import type { Card } from '../../contract/page.js';

export interface StandingCard {
  card: Card;
  /** When it was first seen to be settled; absent while it is open. */
  goneAt?: number;
}

export interface AroundCards {
  /** Open ones, first the one whose time runs out first. */
  waiting: readonly Card[];
  /** Those that are settled, or that this page answers right now: they stay a while. */
  isKept: (inquiry: string) => boolean;
  /** A finger or button is down, or somebody writes: nothing may move. */
  held: boolean;
  now: number;
}

/** How long what became of it can be read. */
export const LINGER_MS = 15_000;
/** Settled ones that stand there at once, at most. */
const MOST_GONE = 5;

export function stand(before: readonly StandingCard[], { waiting, isKept, held, now }: AroundCards): StandingCard[] {
  const open = new Map(waiting.map((card) => [card.inquiry.id as string, card]));
  const kept = before.flatMap((one): StandingCard[] => {
    const card = open.get(one.card.inquiry.id);
    if (card !== undefined) return [{ card }];
    const goneAt = one.goneAt ?? now;
    const stays = held || (isKept(one.card.inquiry.id) && now - goneAt < LINGER_MS);
    return stays ? [{ card: one.card, goneAt }] : [];
  });
  if (held) return kept;
  const gone = kept.filter(({ goneAt }) => goneAt !== undefined);
  const tooMany = new Set(gone.slice(0, Math.max(0, gone.length - MOST_GONE)));
  const standing = kept.filter((one) => !tooMany.has(one));
  return inOrder(standing, waiting);
}

/** Open ones in the order of `waiting`; a settled one stays behind the card it stood behind. */
function inOrder(standing: readonly StandingCard[], waiting: readonly Card[]): StandingCard[] {
  const behind = new Map<string, StandingCard[]>();
  let last = '';
  for (const one of standing) {
    if (one.goneAt === undefined) last = one.card.inquiry.id;
    else behind.set(last, [...(behind.get(last) ?? []), one]);
  }
  return [...(behind.get('') ?? []), ...waiting.flatMap((card) => [{ card }, ...(behind.get(card.inquiry.id) ?? [])])];
}

export const sameStanding = (a: readonly StandingCard[], b: readonly StandingCard[]): boolean =>
  a.length === b.length && a.every((one, at) => one.card === b[at]!.card && one.goneAt === b[at]!.goneAt);
