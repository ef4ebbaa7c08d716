/**
 * Buttons never move under a finger: for 300 ms after a card appears, changes or is moved by what happens around it, it takes no
 * answer (`data-shield`, which says why). Nobody reads and decides within that time. A press that came too early is told of, so
 * that nobody waits for an answer that was never given.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const SHIELD_MS = 300;
/** Less is a line that wraps otherwise by a hair, not another place. */
const MOVED_PX = 4;

/** Long enough to be read. */
const TOLD_MS = 2500;
const SWALLOWED = 'reins-swallowed';

type ShieldReason = 'new' | 'changed' | 'moved';
const WORDS: Record<ShieldReason, string> = {
  new: 'It just came: press again',
  changed: 'It changed: press again',
  moved: 'It moved: press again',
};

const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();
const places = new WeakMap<HTMLElement, { top: number; bottom: number }>();

function raiseShield(element: HTMLElement, why: ShieldReason): void {
  clearTimeout(timers.get(element));
  element.dataset.shield = why;
  timers.set(
    element,
    setTimeout(() => delete element.dataset.shield, SHIELD_MS),
  );
}

export const isShielded = (element: Element): boolean => element.closest('[data-shield]') !== null;

/** Within what scrolls, so that a person's own scrolling is no move. */
function placeOf(element: HTMLElement): { top: number; bottom: number } {
  const { top, bottom } = element.getBoundingClientRect();
  const list = element.closest('.cards')?.getBoundingClientRect().top ?? 0;
  return { top: top - list, bottom: bottom - list };
}

/** Looks whether it still is where it was. */
export function noticeMove(element: HTMLElement): void {
  const was = places.get(element);
  const is = placeOf(element);
  places.set(element, is);
  if (was === undefined) return;
  if (Math.abs(was.top - is.top) > MOVED_PX || Math.abs(was.bottom - is.bottom) > MOVED_PX)
    raiseShield(element, 'moved');
}

/** `key`: what makes it another thing. */
export function useShield(ref: RefObject<HTMLElement | null>, key: string): void {
  const known = useRef(false);
  useLayoutEffect(() => {
    if (ref.current) raiseShield(ref.current, known.current ? 'changed' : 'new');
    known.current = true;
  }, [key]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // Told of before the frame is drawn: nobody can press in between.
    const sizes = new ResizeObserver(() => noticeMove(element));
    sizes.observe(element);
    const list = element.closest('.cards');
    if (list) sizes.observe(list);
    return () => sizes.disconnect();
  }, [ref]);
}

/** What answers at once. Choosing, unfolding and opening a sheet can be undone: they need no shield. */
const ANSWERS = '[data-do="allow"], [data-do="allow-session"], [data-do="answer"], [data-do="take"], [type="submit"]';

/** For `onClickCapture`: a press that came too early does nothing at all. */
export function shieldClick(event: MouseEvent): void {
  const { target } = event;
  if (!(target instanceof Element) || !isShielded(target)) return;
  if (target.closest(ANSWERS) === null) return;
  event.preventDefault();
  event.stopPropagation();
  tellSwallowed(target);
}

/** What lies under a shield was pressed. */
export function tellSwallowed(pressed: Element): void {
  pressed.closest('[data-shield]')?.dispatchEvent(new Event(SWALLOWED));
}

/** The sign for it, for a moment: words to be shown and read out, or none. */
export function useSwallowed(ref: RefObject<HTMLElement | null>): string {
  const [words, setWords] = useState('');
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const told = (): void => {
      clearTimeout(timer);
      setWords(WORDS[element.dataset.shield as ShieldReason] ?? WORDS.moved);
      timer = setTimeout(() => setWords(''), TOLD_MS);
    };
    element.addEventListener(SWALLOWED, told);
    return () => {
      clearTimeout(timer);
      element.removeEventListener(SWALLOWED, told);
    };
  }, [ref]);
  return words;
}
