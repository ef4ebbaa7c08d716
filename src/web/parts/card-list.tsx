/**
 * What needs you, as cards in a list that stands still under a finger: settled ones keep their place as one line for a while, new
 * ones wait until the finger is up. For the rail, for Now, and pinned in a session.
 */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Card } from '../../contract/page.js';
import { phaseOf } from '../model/answers.js';
import { type StandingCard, sameStanding, stand } from '../model/stillness.js';
import { now, rows, settled, waiting } from '../model/store.js';
import { InquiryCard } from './inquiry-card.js';
import { noticeMove } from './shield.js';

export interface CardListProps {
  /** Of one session only. */
  session?: string;
  place?: 'rail' | 'chat';
}

export function CardList({ session, place = 'rail' }: CardListProps) {
  const list = useRef<HTMLUListElement>(null);
  const held = useHeld(list);
  const standing = useSignal<StandingCard[]>(
    stand([], { waiting: mine(waiting.peek(), session), isKept: () => false, held: false, now: 0 }),
  );
  useSignalEffect(() => {
    const next = stand(standing.peek(), {
      waiting: mine(waiting.value, session),
      isKept: (id) => settled.value.has(id) || phaseOf(id).is !== 'open',
      held: held.value,
      now: now.value,
    });
    if (!sameStanding(standing.peek(), next)) standing.value = next;
  });
  useKeptFocus(list);
  useLayoutEffect(() => {
    for (const card of list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? []) noticeMove(card);
  });
  return (
    <ul class="cards" ref={list} data-held={held.value}>
      {standing.value.map(({ card, goneAt }) => (
        <li key={card.inquiry.id}>
          <InquiryCard
            card={card}
            row={rows.value.get(card.inquiry.session)}
            place={place}
            gone={goneAt !== undefined}
          />
        </li>
      ))}
    </ul>
  );
}

const mine = (all: readonly Card[], session: string | undefined): readonly Card[] =>
  session === undefined ? all : all.filter(({ inquiry }) => inquiry.session === session);

/** A tap becomes a click within this time, if it becomes one. */
const AFTER_MS = 350;

/** A finger or button is down anywhere, or somebody writes in the list. */
function useHeld(list: { current: HTMLElement | null }) {
  const held = useSignal(false);
  useEffect(() => {
    let down = false;
    let until = 0;
    const look = (): void => {
      const focus = document.activeElement;
      const writes = focus !== null && list.current?.contains(focus) === true && isField(focus);
      held.value = down || writes || Date.now() < until;
    };
    // A field that goes with its card says nothing when it loses the focus.
    const stop = now.subscribe(look);
    const press = (): void => {
      down = true;
      keepHeights(list.current);
      look();
    };
    // The click comes after the finger is up and the field is left, and must find everything where it was.
    const soon = (): void => {
      until = Date.now() + AFTER_MS;
      setTimeout(look, AFTER_MS + 1);
    };
    const release = (): void => {
      down = false;
      soon();
    };
    // A button that goes with its card is left too, after its click.
    const left = ({ target }: FocusEvent): void => {
      if (target instanceof Element && isField(target)) soon();
    };
    // It has come: who waits for the next card need not wait for the rest of the time.
    const clicked = (): void => {
      until = 0;
      setTimeout(look);
    };
    const options = { capture: true, passive: true } as const;
    addEventListener('click', clicked, options);
    addEventListener('pointerdown', press, options);
    addEventListener('pointerup', release, options);
    addEventListener('pointercancel', release, options);
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', left);
    return () => {
      stop();
      removeEventListener('click', clicked, options);
      removeEventListener('pointerdown', press, options);
      removeEventListener('pointerup', release, options);
      removeEventListener('pointercancel', release, options);
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', left);
    };
  }, [list, held]);
  return held;
}

const isField = (element: Element): boolean =>
  element.matches('textarea, input:not([type=radio]):not([type=checkbox]), dialog, dialog *');

/** A card that is settled under a finger becomes one line, and keeps its room until the finger is up (`data-held`). */
function keepHeights(list: HTMLElement | null): void {
  for (const card of list?.querySelectorAll<HTMLElement>('[data-card]') ?? [])
    card.style.setProperty('--tall', `${card.offsetHeight}px`);
}

/** Who moves by keys is not thrown to the top of the page when a line goes. */
function useKeptFocus(list: { current: HTMLElement | null }): void {
  const last = useRef<number>(-1);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const note = ({ target }: FocusEvent): void => {
      const item = target instanceof Element ? target.closest('.cards > li') : null;
      last.current = item ? [...element.children].indexOf(item) : -1;
    };
    const forget = ({ relatedTarget }: FocusEvent): void => {
      if (relatedTarget instanceof Element && !element.contains(relatedTarget)) last.current = -1;
    };
    element.addEventListener('focusin', note);
    element.addEventListener('focusout', forget);
    return () => {
      element.removeEventListener('focusin', note);
      element.removeEventListener('focusout', forget);
    };
  }, [list]);
  useLayoutEffect(() => {
    if (last.current < 0 || document.activeElement !== document.body) return;
    const cards = list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [];
    cards[Math.min(last.current, cards.length - 1)]?.focus({ preventScroll: true });
  });
}
