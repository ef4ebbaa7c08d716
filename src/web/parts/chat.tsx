/**
 * The conversation of a session: opens at its end, reads older entries as one scrolls up, and draws only what is near the view,
 * whatever the length. The place is held by an item, so that nothing jumps when something comes in above or is opened.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChatView } from '../model/chat.js';
import type { ChatItem } from '../model/chat-types.js';
import type { Followed } from '../model/follow.js';
import { placeAt, windowAround, windowAtEnd } from '../model/window.js';
import { count } from '../model/words.js';
import { ChatPiece } from './chat-piece.js';

type HeldPlace = 'end' | { seq: number; offset: number };

const VIEW = { margin: 900, most: 90 };
/** Nearer to the end than this is the end. */
const END_PX = 48;
const OLDER_PX = 1200;
const GUESSES: Partial<Record<ChatItem['kind'], number>> = { text: 120, prompt: 80, inquiry: 60, end: 120, todo: 140 };
const NEWS = new Set<ChatItem['kind']>(['prompt', 'text', 'tool', 'inquiry', 'end']);
/** Where each session was left, while the page lives: Chat and Terminal keep the place. */
const places = new Map<string, HeldPlace>();

/** The item of this entry, or what stands where it was. */
function indexOf(items: readonly ChatItem[], entry: number): number {
  const at = items.findLastIndex(({ seq }) => seq === entry);
  return at >= 0 ? at : items.findLastIndex(({ seq }) => seq <= entry);
}

function usePlaces(session: string): { current: HeldPlace } {
  const place = useRef<HeldPlace>(places.get(session) ?? 'end');
  useEffect(
    () => () => {
      places.delete(session);
      places.set(session, place.current);
      const [oldest] = places.keys();
      if (places.size > 100 && oldest !== undefined) places.delete(oldest);
    },
    [session],
  );
  return place;
}

interface ChatProps {
  followed: Followed;
  chat: ReadonlySignal<ChatView>;
  /** What stands below the last item: words being written, messages on their way. */
  children?: ComponentChildren;
}

export function Chat({ followed, chat, children }: ChatProps) {
  const { items } = chat.value;
  const box = useRef<HTMLElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const heights = useRef(new Map<number, number>());
  const place = usePlaces(followed.session);
  const lastTop = useRef(0);
  const seen = useRef(0);
  const [, redraw] = useState(0);
  const [isAtEnd, setAtEnd] = useState(place.current === 'end');

  const all = {
    count: items.length,
    heightOf: (at: number) => heights.current.get(items[at]!.seq) ?? GUESSES[items[at]!.kind] ?? 48,
  };
  const view = { ...VIEW, height: box.current?.clientHeight || window.innerHeight };
  const at = place.current;
  const shown =
    at === 'end'
      ? windowAtEnd(all, view)
      : windowAround(all, { index: indexOf(items, at.seq), offset: at.offset }, view);
  // Not the last one's: what was told late stands further up.
  if (at === 'end') seen.current = items.reduce((most, { seq }) => Math.max(most, seq), 0);
  const news = at === 'end' ? 0 : items.filter(({ seq, kind }) => seq > seen.current && NEWS.has(kind)).length;

  /** True if something has another height than before. */
  const measure = useCallback((): boolean => {
    let isNew = false;
    for (const row of list.current?.children ?? []) {
      const seq = Number((row as HTMLElement).dataset.seq);
      const { height } = row.getBoundingClientRect();
      if (height > 0 && Math.abs((heights.current.get(seq) ?? 0) - height) > 0.5) {
        heights.current.set(seq, height);
        isNew = true;
      }
    }
    return isNew;
  }, []);

  const hold = useCallback(() => {
    const scroller = box.current;
    if (!scroller) return;
    const held = place.current;
    const row = held === 'end' ? null : list.current?.querySelector<HTMLElement>(`[data-seq="${held.seq}"]`);
    const atRow = row && held !== 'end' ? row.offsetTop + held.offset : undefined;
    const top = held === 'end' ? scroller.scrollHeight - scroller.clientHeight : atRow;
    if (top !== undefined && Math.abs(scroller.scrollTop - top) > 1) scroller.scrollTop = top;
    lastTop.current = scroller.scrollTop;
  }, [place]);

  useLayoutEffect(() => {
    const isNew = measure();
    hold();
    if (isNew) redraw((n) => n + 1);
    // Also without a scroll: the top can be reached faster than older ones come.
    if (lastTop.current < OLDER_PX && followed.more.peek()) void followed.older().catch(() => undefined);
  });

  useEffect(() => {
    const watch = new ResizeObserver(() => {
      measure();
      hold();
    });
    for (const one of [box.current, box.current?.firstElementChild]) if (one) watch.observe(one);
    return () => watch.disconnect();
  }, [measure, hold]);

  const scrolled = (): void => {
    const scroller = box.current;
    // A scroll that was still to be told when the screen had changed.
    if (!scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const wentUp = scrollTop < lastTop.current - 1;
    lastTop.current = scrollTop;
    const isEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    // Only a hand that scrolls up leaves the end: what is added below does not.
    if (isEnd || (place.current === 'end' && !wentUp)) place.current = 'end';
    else if (items.length > 0) {
      const { index, offset } = placeAt(
        all.count,
        all.heightOf,
        scrollTop - (list.current?.offsetTop ?? 0) + shown.before,
      );
      place.current = { seq: items[index]!.seq, offset };
    }
    setAtEnd(place.current === 'end');
    redraw((n) => n + 1);
  };

  const toEnd = (): void => {
    place.current = 'end';
    setAtEnd(true);
    redraw((n) => n + 1);
  };

  return (
    <div class="chat">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="scroller" ref={box} onScroll={scrolled} tabIndex={0} aria-label="Chat">
        <div class="content">
          {followed.more.value ? <p class="older faint">older ones above</p> : null}
          <div style={{ height: `${shown.before}px` }} />
          <ol ref={list}>
            {items.slice(shown.from, shown.to).map((item) => (
              <li key={item.seq} data-seq={item.seq} data-kind={item.kind}>
                <ChatPiece item={item} />
              </li>
            ))}
          </ol>
          <div style={{ height: `${shown.after}px` }} />
          {children}
        </div>
      </section>
      {isAtEnd ? null : (
        <button type="button" class="button to-end" data-do="to-end" onClick={toEnd}>
          ↓ to the end{news > 0 ? ` · ${count(news, 'new one')}` : ''}
        </button>
      )}
      <Spoken items={items} />
    </div>
  );
}

/** The newest words for who does not see them: politely, and never more than a few lines. */
function Spoken({ items }: { items: readonly ChatItem[] }) {
  const first = useRef(items.at(-1)?.seq ?? 0);
  const last = items.findLast(({ kind }) => kind === 'text' || kind === 'end' || kind === 'inquiry');
  const words =
    last === undefined || last.seq <= first.current
      ? ''
      : last.kind === 'text'
        ? last.text
        : last.kind === 'end'
          ? `ended: ${last.reason}`
          : 'asks you';
  return (
    <p class="unseen" aria-live="polite">
      {words.slice(-300)}
    </p>
  );
}
