/** A card pushed to the left by a finger opens the reason of a deny. Nothing is answered by it, and there is none to allow. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isShielded } from './shield.js';

/** As far as this, and it is meant. */
const FAR_PX = 72;
/** Less is a tap that trembles; more upward than sideways is a scroll. */
const BEGIN_PX = 12;

export function useSwipe(ref: RefObject<HTMLElement | null>, onSwipe: () => void): void {
  const swiped = useRef(onSwipe);
  swiped.current = onSwipe;
  useEffect(() => {
    const card = ref.current;
    if (!card) return;
    let from: { x: number; y: number; id: number } | undefined;
    let moving = false;
    const letGo = (): void => {
      from = undefined;
      moving = false;
      card.style.removeProperty('--swipe');
      delete card.dataset.swipe;
    };
    const down = ({ pointerType, isPrimary, clientX, clientY, pointerId, target }: PointerEvent): void => {
      const field = target instanceof Element && target.closest('input, textarea, dialog') !== null;
      if (pointerType === 'touch' && isPrimary && !field) from = { x: clientX, y: clientY, id: pointerId };
    };
    const move = ({ clientX, clientY, pointerId }: PointerEvent): void => {
      if (from?.id !== pointerId) return;
      const [dx, dy] = [clientX - from.x, Math.abs(clientY - from.y)];
      if (!moving && dy > BEGIN_PX) letGo();
      if (!moving && (dy > BEGIN_PX || dx > -BEGIN_PX)) return;
      moving = true;
      card.style.setProperty('--swipe', `${Math.max(-120, Math.min(0, dx))}px`);
      card.dataset.swipe = dx < -FAR_PX ? 'far' : 'near';
    };
    const up = (): void => {
      const isFar = card.dataset.swipe === 'far' && !isShielded(card);
      letGo();
      if (isFar) swiped.current();
    };
    card.addEventListener('pointerdown', down);
    card.addEventListener('pointermove', move);
    card.addEventListener('pointerup', up);
    card.addEventListener('pointercancel', letGo);
    return () => {
      card.removeEventListener('pointerdown', down);
      card.removeEventListener('pointermove', move);
      card.removeEventListener('pointerup', up);
      card.removeEventListener('pointercancel', letGo);
    };
  }, [ref]);
}
