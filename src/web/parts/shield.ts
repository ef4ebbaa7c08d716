/**
 * Buttons never move under a finger: for 300 ms after a card appears, changes or is moved by what happens around it, it takes no
 * answer (`data-shield`). Nobody reads and decides within that time.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const SHIELD_MS = 300;
/** Less is a line that wraps otherwise by a hair, not another place. */
const MOVED_PX = 4;

const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();
const places = new WeakMap<HTMLElement, { top: number; bottom: number }>();

export function raiseShield(element: HTMLElement): void {
  clearTimeout(timers.get(element));
  element.dataset.shield = '';
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
  if (Math.abs(was.top - is.top) > MOVED_PX || Math.abs(was.bottom - is.bottom) > MOVED_PX) raiseShield(element);
}

/** `key`: what makes it another thing. */
export function useShield(ref: RefObject<HTMLElement | null>, key: string): void {
  useLayoutEffect(() => {
    if (ref.current) raiseShield(ref.current);
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
}
