/**
 * What an agent's terminal shows now, small: for a page that nobody can read from outside, so that a person sees what waits before they
 * go there. Asked for only while it is seen, and one look after the other; until the first came it is what stood there when it was asked.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../model/api.js';
import { seenText } from '../model/visible.js';

const EVERY_MS = 2000;
/** More of a screen would not be read at this size. */
const MOST_COLS = 160;
const MOST_ROWS = 60;

interface PictureProps {
  session: string;
  /** As it stood when it was asked about. */
  first: string;
}

export function LivePicture({ session, first }: PictureProps) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useSignal(small(first.split('\n')));
  const is = useSignal<'first' | 'live' | 'old'>('first');
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isSeen = false;
    const gone = new AbortController();
    const look = async (): Promise<void> => {
      clearTimeout(timer);
      if (!isSeen || document.visibilityState !== 'visible' || gone.signal.aborted) return;
      const shot = await ask('screen', { id: session, args: {}, signal: gone.signal }).catch(() => undefined);
      if (gone.signal.aborted) return;
      if (shot) lines.value = small(shot.lines);
      is.value = shot ? 'live' : is.peek() === 'first' ? 'first' : 'old';
      clearTimeout(timer);
      timer = setTimeout(() => void look(), EVERY_MS);
    };
    const seen = new IntersectionObserver(([entry]) => {
      isSeen = entry?.isIntersecting === true;
      void look();
    });
    const back = (): void => void look();
    seen.observe(element);
    document.addEventListener('visibilitychange', back);
    return () => {
      gone.abort();
      clearTimeout(timer);
      seen.disconnect();
      document.removeEventListener('visibilitychange', back);
    };
  }, [session, lines, is]);
  const cols = Math.max(40, ...lines.value.map((line) => line.length));
  return (
    <div class="picture" ref={ref} data-is={is.value} role="img" aria-label="What its terminal shows now">
      <pre style={{ '--cols': cols }}>{lines.value.map((line) => seenText(line)).join('\n')}</pre>
    </div>
  );
}

/** Without the empty rows around it. */
function small(all: readonly string[]): string[] {
  const from = all.findIndex((line) => line.trim() !== '');
  const to = all.findLastIndex((line) => line.trim() !== '');
  return (from < 0 ? [] : all.slice(from, to + 1)).slice(-MOST_ROWS).map((line) => line.trimEnd().slice(0, MOST_COLS));
}
