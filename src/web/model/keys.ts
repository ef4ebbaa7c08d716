/**
 * Keys of the whole page, for who sits at a keyboard. None of them works while something is typed or a terminal has the focus; what
 * belongs to a card (`a s d e`) or a session is theirs. `?` lists them all.
 */
import { signal } from '@preact/signals';
import { go, route } from './routes.js';

export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['g n', 'Now'],
  ['g s', 'sessions'],
  ['g f', 'new session'],
  ['g ,', 'settings'],
  ['j k', 'next, previous'],
  ['o', 'open it'],
  ['a', 'allow'],
  ['s', 'allow for this session'],
  ['d', 'deny'],
  ['e', 'edit, where the agent permits it'],
  ['1 2', 'chat, terminal'],
  ['c', 'write a message'],
  ['.', 'interrupt the turn'],
  ['/', 'find a session'],
  ['Ctrl ]', 'leave the terminal'],
  ['?', 'this list'],
];

export const keysShown = signal(false);

/** After `g`, the second key comes within this time or counts for itself. */
const PAIR_MS = 1200;
const GOES: Record<string, string> = { n: '/', s: '/sessions', f: '/new', ',': '/settings' };

/**
 * Whether keys are somebody else's: a field, or anything that says so (`data-keys="own"`, as a terminal does). A dialog that was just
 * closed keeps the focus until the next frame: keys are not its own any more.
 */
export function typing(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable], .xterm, dialog[open], [data-keys="own"]',
    ) !== null
  );
}

const items = (): HTMLElement[] => {
  const cards = [...document.querySelectorAll<HTMLElement>('[data-card]:not([data-over="true"])')];
  const own = [...document.querySelectorAll<HTMLElement>('.main a[data-session]')];
  const list = [...document.querySelectorAll<HTMLElement>('.left a[data-session]')];
  return [...cards, ...(own.length > 0 ? own : list)];
};

function move(by: 1 | -1): void {
  const all = items();
  const at = all.findIndex((item) => item.contains(document.activeElement));
  const next = all[at === -1 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  if (!next.hasAttribute('href') && !next.hasAttribute('tabindex')) next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

function open(): void {
  const item = items().find((one) => one.contains(document.activeElement));
  const link = item?.matches('a') ? item : item?.querySelector<HTMLElement>('[data-do="open"]');
  link?.click();
}

function find(): void {
  if (document.querySelector('[data-find]') === null) go('/sessions');
  // Drawn in the next frame if it was not there.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-find]')?.focus());
}

let pending = 0;

/** True if it meant something here. */
function pressed(key: string): boolean {
  const second = Date.now() - pending < PAIR_MS;
  pending = 0;
  const target = second ? GOES[key] : undefined;
  if (target !== undefined) {
    go(target);
    return true;
  }
  switch (key) {
    case 'g':
      pending = Date.now();
      return true;
    case 'j':
    case 'k':
      move(key === 'j' ? 1 : -1);
      return true;
    case 'o':
      open();
      return true;
    case '/':
      find();
      return true;
    case '?':
      keysShown.value = !keysShown.value;
      return true;
    case 'Escape':
      if (!keysShown.value) return false;
      keysShown.value = false;
      return true;
    default:
      return false;
  }
}

export function watchKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing(event.target) || route.peek().view === 'pair') return;
    if (pressed(event.key)) event.preventDefault();
  });
}
