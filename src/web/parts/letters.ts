/** How large a terminal's letters are: as fits, at full size, or as two fingers left them. */
import type { DrawnScreen } from './screen.js';

export type Zoom = 'fit' | 'full' | number;

export const FULL_PX = 13;
const LEAST_PX = 3;
const MOST_PX = 28;
/** Smaller than this only to show the whole width, never to show the whole height. */
const READABLE_PX = 10;
const FITS_PX = 14;

/** Sets the letters and answers their size. */
export function setLetters(screen: DrawnScreen, room: { width: number; height: number }, zoom: Zoom): number {
  const set = (px: number): number => {
    const size = Math.max(LEAST_PX, Math.min(MOST_PX, px));
    screen.letters(size);
    return size;
  };
  let px = set(zoom === 'fit' || zoom === 'full' ? FULL_PX : zoom);
  if (zoom !== 'fit') return px;
  // Widths are rounded: what was computed is tried, and taken back a little until it fits.
  for (let tries = 0; tries < 4; tries += 1) {
    const { width, height } = screen.room();
    if (width === 0 || height === 0) return px;
    const byHeight = Math.max((px * room.height) / height, READABLE_PX);
    const fitting = Math.min((px * room.width) / width, byHeight, FITS_PX);
    const isRight = width <= room.width && Math.abs(fitting - px) < 0.2;
    if (isRight) return px;
    px = set(fitting - (tries > 0 ? 0.1 : 0));
  }
  return px;
}
