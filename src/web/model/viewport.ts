/**
 * How much room there is: which layout fits, and what the on-screen keyboard leaves (`--seen`, for browsers that lay it over the
 * page instead of making the page smaller).
 */
import { signal } from '@preact/signals';

/** `wide`: list, session and rail; `middle`: list and one pane; `phone`: one pane and a bar below. */
export const layout = signal<'wide' | 'middle' | 'phone'>('phone');

/** Room for the chat and the terminal of a session side by side. */
export const beside = signal(false);

const both = matchMedia('(min-width: 1600px)');
const wide = matchMedia('(min-width: 1180px)');
const middle = matchMedia('(min-width: 760px)');
/** Less than this is the browser's own bars, not a keyboard. */
const KEYBOARD_PX = 120;

/** So little height that a card gives up its air. */
const SHORT_PX = 560;

function fits(): void {
  beside.value = both.matches;
  layout.value = wide.matches ? 'wide' : middle.matches ? 'middle' : 'phone';
}

function seen(): void {
  const view = window.visualViewport;
  const root = document.documentElement;
  root.toggleAttribute('data-short', Math.min(window.innerHeight, view?.height ?? Infinity) < SHORT_PX);
  if (!view) return;
  // Pinched: what is seen is a piece of the page, which keeps its size.
  const keyboard = view.scale <= 1.01 && window.innerHeight - view.height > KEYBOARD_PX;
  root.toggleAttribute('data-keyboard', keyboard);
  if (keyboard) {
    root.style.setProperty('--seen', `${Math.floor(view.height)}px`);
    // The browser scrolled the page to show the field; the page itself has just become smaller, so it stays at its top.
    if (view.offsetTop > 0) scrollTo(0, 0);
  } else root.style.removeProperty('--seen');
}

export function watchRoom(): void {
  fits();
  seen();
  both.addEventListener('change', fits);
  wide.addEventListener('change', fits);
  middle.addEventListener('change', fits);
  window.visualViewport?.addEventListener('resize', seen);
  window.visualViewport?.addEventListener('scroll', seen);
}
