/**
 * A card by keys: a allows or answers, d opens the reason of a deny, s allows for the session, e edits, Enter opens; j and k, which
 * move between cards, are the page's (`model/keys.ts`).
 * A key presses the button of the card that has the focus, so it respects whatever the button respects; without a focus it only
 * chooses the first card, for a stray key must not answer anything. None of it in a field or a terminal.
 */
import { typing } from '../model/keys.js';
import { isShielded, tellSwallowed } from './shield.js';

const DEEDS: Record<string, string> = {
  a: '[data-do="allow"], [data-do="answer"], [data-do="next"]',
  s: '[data-do="allow-session"]',
  d: '[data-do="deny"], [data-do="else"]',
};

/** Editing has no button on the card itself: the card is told. */
const EDIT = 'reins-edit';

export function onEditKey(card: HTMLElement | null, edit: () => void): () => void {
  card?.addEventListener(EDIT, edit);
  return () => card?.removeEventListener(EDIT, edit);
}

const railCards = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('[data-place="rail"][data-card]:not([data-over="true"])'),
];

function isBusyElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  return typing(event.target) || document.querySelector('dialog[open]') !== null;
}

/** The card that has the focus, also when what was in it is settled by now. */
const focused = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('[data-place="rail"][data-card]') ?? null;

function choose(card: HTMLElement | undefined): void {
  card?.focus();
  card?.scrollIntoView({ block: 'nearest' });
}

function press(key: string): void {
  const card = focused();
  if (card === null) choose(railCards()[0]);
  if (card === null) return;
  if (isShielded(card)) {
    tellSwallowed(card);
    return;
  }
  if (key === 'e') card.dispatchEvent(new Event(EDIT));
  const button = card.querySelector<HTMLButtonElement>(DEEDS[key] ?? 'none');
  button?.click();
}

function onKey(event: KeyboardEvent): void {
  if (isBusyElsewhere(event)) return;
  const { key } = event;
  if ((key === 'e' || Object.hasOwn(DEEDS, key)) && !event.repeat) press(key);
  else if (key === 'Enter' && event.target === focused())
    focused()?.querySelector<HTMLElement>('[data-do="open"]')?.click();
  else return;
  event.preventDefault();
}

/** Contract: what it returns ends it. */
export function watchCardKeys(): () => void {
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
