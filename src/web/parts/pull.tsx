/** Pull down at the top of a screen for a fresh look; the time of it is said, for a few seconds. */
import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { refreshed } from '../model/refresh.js';
import { now } from '../model/store.js';

/** So far, in px, a finger goes before letting go means it. */
const FAR = 72;
const SHOWN_MS = 6000;

const pulled = signal(0);
const busy = signal(false);
const doneAt = signal(0);

export function usePull(place: RefObject<HTMLElement | null>, deed: () => Promise<void>): void {
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let from: number | undefined;
    const start = ({ touches }: TouchEvent): void => {
      from = touches.length === 1 && element.scrollTop <= 0 && !busy.peek() ? touches[0]!.clientY : undefined;
    };
    const move = ({ touches }: TouchEvent): void => {
      if (from === undefined) return;
      // Further than the finger goes it resists.
      pulled.value = element.scrollTop > 0 ? 0 : Math.max(0, Math.min(FAR * 1.3, (touches[0]!.clientY - from) * 0.6));
    };
    const end = (): void => {
      const isMeant = from !== undefined && pulled.peek() >= FAR;
      from = undefined;
      pulled.value = 0;
      if (!isMeant) return;
      busy.value = true;
      void deed().finally(() => {
        busy.value = false;
        doneAt.value = Date.now();
      });
    };
    element.addEventListener('touchstart', start, { passive: true });
    element.addEventListener('touchmove', move, { passive: true });
    element.addEventListener('touchend', end);
    element.addEventListener('touchcancel', end);
    return () => {
      element.removeEventListener('touchstart', start);
      element.removeEventListener('touchmove', move);
      element.removeEventListener('touchend', end);
      element.removeEventListener('touchcancel', end);
    };
  }, [place, deed]);
}

const time = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

export function Pull() {
  void now.value;
  const recent = doneAt.value > 0 && Date.now() - doneAt.value < SHOWN_MS;
  const words = busy.value
    ? 'looking…'
    : pulled.value >= FAR
      ? 'let go for a fresh look'
      : pulled.value > 0
        ? 'pull further'
        : recent
          ? refreshed.value === 'no'
            ? 'the hub does not answer'
            : `fresh at ${time(refreshed.value ?? 0)}`
          : '';
  return (
    <div class="pull small soft" role="status" style={{ height: `${busy.value || recent ? 32 : pulled.value}px` }}>
      {words}
    </div>
  );
}
