/**
 * Fingers on a terminal: two of them scroll its history or change the size of its letters, a double tap changes between fitting
 * the width and full size. One finger moves the picture, as everywhere; where there is nothing to move it scrolls the history.
 */
export interface Touching {
  scroll(lines: number): void;
  /** Factor since the fingers came down. */
  pinch(factor: number, isDone: boolean): void;
  doubleTap(): void;
  lineHeight(): number;
}

const DOUBLE_TAP_MS = 320;
const TAP_PX = 12;
/** Fingers that move apart by less only scroll. */
const PINCH_PX = 24;

const apart = ({ touches }: TouchEvent): number =>
  Math.hypot(touches[0]!.clientX - touches[1]!.clientX, touches[0]!.clientY - touches[1]!.clientY);
const height = ({ touches }: TouchEvent): number =>
  [...touches].reduce((sum, { clientY }) => sum + clientY, 0) / Math.max(1, touches.length);

export function watchTouches(element: HTMLElement, on: Touching): () => void {
  let start: { apart: number; y: number; fingers: number; x: number; moved: boolean } | undefined;
  let rest = 0;
  let pinching = false;
  let factor = 1;
  let lastTap = 0;

  const down = (event: TouchEvent): void => {
    const fingers = event.touches.length;
    start = {
      apart: fingers === 2 ? apart(event) : 0,
      y: height(event),
      x: event.touches[0]!.clientX,
      fingers,
      moved: false,
    };
    rest = 0;
    pinching = false;
    factor = 1;
    if (fingers === 2) event.preventDefault();
  };
  const move = (event: TouchEvent): void => {
    if (!start || event.touches.length !== start.fingers) return;
    const y = height(event);
    if (Math.abs(y - start.y) > TAP_PX || Math.abs(event.touches[0]!.clientX - start.x) > TAP_PX) start.moved = true;
    if (start.fingers === 2) {
      event.preventDefault();
      const now = apart(event);
      if (pinching || Math.abs(now - start.apart) > PINCH_PX) {
        pinching = true;
        factor = now / Math.max(1, start.apart);
        on.pinch(factor, false);
        return;
      }
    } else if (start.fingers !== 1 || element.scrollHeight > element.clientHeight + 1) return;
    rest += start.y - y;
    start.y = y;
    const lines = Math.trunc(rest / on.lineHeight());
    if (lines === 0) return;
    rest -= lines * on.lineHeight();
    on.scroll(lines);
  };
  const up = (event: TouchEvent): void => {
    if (pinching) on.pinch(factor, true);
    const isTap = start?.fingers === 1 && !start.moved && event.touches.length === 0;
    if (isTap && event.timeStamp - lastTap < DOUBLE_TAP_MS) {
      event.preventDefault();
      lastTap = 0;
      on.doubleTap();
    } else if (isTap) lastTap = event.timeStamp;
    if (event.touches.length === 0) start = undefined;
    pinching = false;
  };
  element.addEventListener('touchstart', down, { passive: false });
  element.addEventListener('touchmove', move, { passive: false });
  element.addEventListener('touchend', up);
  element.addEventListener('touchcancel', up);
  return () => {
    element.removeEventListener('touchstart', down);
    element.removeEventListener('touchmove', move);
    element.removeEventListener('touchend', up);
    element.removeEventListener('touchcancel', up);
  };
}
