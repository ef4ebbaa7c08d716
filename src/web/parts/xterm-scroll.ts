/**
 * What xterm 6 does for every single line that scrolls, done once for all that scroll before the next frame. It moves its scroll
 * bar and shows it (which sets a timer anew) at each line feed, and draws all rows a second time in case something is selected:
 * in a flood that is four fifths of all it does. There is no option for either, so two of its inner functions are
 * wrapped; where another xterm has others, it works as it is, only slower.
 */
import type { Terminal } from '@xterm/xterm';

interface Inner {
  _core?: {
    _viewport?: { _sync?(ydisp?: number): void };
    _selectionService?: { refresh?(isMouse?: boolean): void };
  };
}

export interface CalmScrolling {
  /** Its scroll bar is right now: before somebody scrolls by it. */
  settle(): void;
  close(): void;
}

/** Called once, when the terminal is open. */
export function calmScrolling(terminal: Terminal): CalmScrolling {
  const { _viewport: viewport, _selectionService: selection } = (terminal as unknown as Inner)._core ?? {};
  let due = 0;
  const sync = viewport?._sync?.bind(viewport);
  const settle = (): void => {
    if (due === 0) return;
    cancelAnimationFrame(due);
    due = 0;
    sync?.();
  };
  if (viewport && sync)
    viewport._sync = (ydisp) => {
      // With a place it comes from a frame already.
      if (ydisp !== undefined) sync(ydisp);
      else due ||= requestAnimationFrame(settle);
    };
  const refresh = selection?.refresh?.bind(selection);
  let wasSelected = false;
  if (selection && refresh)
    selection.refresh = (isMouse) => {
      const isSelected = terminal.hasSelection();
      if (isSelected || wasSelected) refresh(isMouse);
      wasSelected = isSelected;
    };
  return { settle, close: () => cancelAnimationFrame(due) };
}
