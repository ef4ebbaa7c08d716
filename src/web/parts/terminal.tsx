/**
 * The terminal of a session in the page. It opens as one who watches: no size changes, no key is sent, until somebody takes the
 * keys. Bytes come only while it is seen.
 */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { allows } from '../../contract/page.js';
import type { Composing } from '../model/composing.js';
import type { Followed } from '../model/follow.js';
import { loadAnew } from '../model/newer.js';
import { NO_STICKY, type QuickKey, type Sticky, used, withSticky } from '../model/quick-keys.js';
import { layout } from '../model/viewport.js';
import { CommandLine } from './command-line.js';
import { FULL_PX, setLetters, type Zoom } from './letters.js';
import { QuickKeys } from './quick-keys.js';
import type { DrawnScreen } from './screen.js';
import { watchTouches } from './touching.js';

const encoder = new TextEncoder();
/** Fingers only, or a narrow page: keys that are not there are shown. */
const needsKeys = (): boolean => layout.value === 'phone' || matchMedia('(pointer: coarse)').matches;

interface TerminalProps {
  followed: Followed;
  composing: Composing | undefined;
  /** Ctrl-]: back to the page. */
  onLeave: () => void;
}

export function TerminalPane({ followed, composing, onLeave }: TerminalProps) {
  const pane = useRef<HTMLDivElement>(null);
  const mount = useRef<HTMLDivElement>(null);
  const screen = useRef<DrawnScreen>(undefined);
  const zoom = useRef<Zoom>('fit');
  const sticky = useSignal<Sticky>(NO_STICKY);
  const [px, setPx] = useState(0);
  const [isAtEnd, setAtEnd] = useState(true);
  const [hint, setHint] = useState(false);
  const [wrong, setWrong] = useState(false);
  const drives = followed.driver.value !== null && followed.driver.value === followed.you.value;
  const size = followed.size.value;
  const isOver = followed.row.value?.state === 'ended';
  const isWithout = followed.live.value && size === null;
  const driving = useRef(drives);
  driving.current = drives;
  const leave = useRef(onLeave);
  leave.current = onLeave;

  const letter = useCallback(() => {
    const around = pane.current;
    if (!around || !screen.current) return;
    setPx(setLetters(screen.current, { width: around.clientWidth, height: around.clientHeight }, zoom.current));
    around.scrollTop = around.scrollHeight;
  }, []);

  const type = useCallback(
    (data: string) => {
      if (!driving.current) return setHint(true);
      followed.terminal.keys(encoder.encode(withSticky(data, sticky.peek())));
      sticky.value = used(sticky.peek());
    },
    [followed, sticky],
  );

  useEffect(() => {
    const around = pane.current;
    const inner = mount.current;
    if (isOver || isWithout || !around || !inner) return;
    let over = false;
    const ends: (() => void)[] = [];
    void import('./screen.js').then(
      ({ openScreen }) => {
        if (over) return;
        const drawn = openScreen(inner, followed.size.peek() ?? { cols: 80, rows: 24 }, {
          keys: type,
          bytes: (bytes) => driving.current && followed.terminal.keys(bytes),
          drawn: (bytes) => followed.terminal.drawn(bytes),
          leave: () => leave.current(),
          scrolled: setAtEnd,
        });
        screen.current = drawn;
        letter();
        const { color, backgroundColor } = getComputedStyle(around);
        drawn.colours({ background: backgroundColor, foreground: color, cursor: color });
        const sink = {
          snapshot: (bytes: Uint8Array) => {
            // Letters are measured by drawing them in several sizes: not at each redraw of a flood.
            if (drawn.snapshot(bytes, followed.size.peek())) letter();
          },
          output: (bytes: Uint8Array) => drawn.output(bytes),
        };
        // Nobody looks at a page in the background.
        const seen = (): void =>
          document.visibilityState === 'visible' ? followed.terminal.show(sink) : followed.terminal.hide();
        seen();
        document.addEventListener('visibilitychange', seen);
        const watch = new ResizeObserver(letter);
        watch.observe(around);
        const letGo = watchTouches(around, {
          scroll: (lines) => drawn.scroll(lines),
          pinch: (factor, isDone) => {
            const from =
              zoom.current === 'fit' || zoom.current === 'full' ? (pinched.current ?? FULL_PX) : zoom.current;
            const next = from * factor;
            setPx(setLetters(drawn, { width: 0, height: 0 }, next));
            if (isDone) zoom.current = next;
          },
          doubleTap: () => {
            zoom.current = zoom.current === 'fit' ? 'full' : 'fit';
            letter();
          },
          lineHeight: () => drawn.room().height / Math.max(1, followed.size.peek()?.rows ?? 24),
        });
        ends.push(
          letGo,
          () => watch.disconnect(),
          () => document.removeEventListener('visibilitychange', seen),
        );
      },
      () => setWrong(true),
    );
    return () => {
      over = true;
      for (const end of ends) end();
      followed.terminal.hide();
      screen.current?.close();
      screen.current = undefined;
    };
  }, [followed, letter, type, isOver, isWithout]);

  const pinched = useRef<number>(undefined);
  pinched.current = px || undefined;

  useEffect(() => {
    if (size) screen.current?.resize(size);
    letter();
  }, [size, letter]);

  const press = (key: QuickKey): void => {
    type((screen.current?.application() ? key.application : undefined) ?? key.bytes ?? '');
  };
  const fitToMe = (): void => {
    const around = pane.current;
    if (!around || !screen.current) return;
    followed.terminal.fit(screen.current.fitting({ width: around.clientWidth, height: around.clientHeight }, FULL_PX));
  };
  const types = allows(followed.may.value, 'type');
  if (isOver || isWithout)
    return (
      <p class="no-terminal soft" data-no-terminal={isOver ? 'over' : 'none'}>
        {isOver ? (
          <>
            It has ended. What its terminal showed, if it had one, is played by{' '}
            <code>reins replay {followed.session}</code>
          </>
        ) : (
          'It has no terminal: Reins speaks with this agent by a protocol. All it says and does is in the chat.'
        )}
      </p>
    );
  return (
    <div class="terminal" data-driver={drives ? 'you' : 'other'}>
      <div class="terminal-pane" ref={pane} data-size={size ? `${size.cols}x${size.rows}` : undefined}>
        <div class="terminal-mount" ref={mount} />
      </div>
      {isAtEnd ? null : (
        <button type="button" class="button to-end" data-do="terminal-end" onClick={() => screen.current?.toEnd()}>
          ↓ to the end
        </button>
      )}
      <Driving
        followed={followed}
        drives={drives}
        hint={hint && !drives}
        about={size ? `${size.cols}x${size.rows}${px > 0 ? ` at ${Math.round((100 * px) / FULL_PX)} %` : ''}` : ''}
        onTake={() => {
          setHint(false);
          followed.terminal.take();
          screen.current?.focus();
        }}
        onFit={fitToMe}
      />
      {wrong ? (
        <p class="no-terminal bad">
          The terminal could not be loaded: the hub did not answer, or has a newer page.{' '}
          <button type="button" class="button small" data-do="load-anew" onClick={loadAnew}>
            Load the page anew
          </button>
        </p>
      ) : null}
      {types && needsKeys() && composing ? (
        <>
          <CommandLine session={followed.session} composing={composing} />
          <QuickKeys sticky={sticky} disabled={!drives} onKey={press} onKeyboard={() => screen.current?.focus()} />
        </>
      ) : null}
    </div>
  );
}

interface DrivingProps {
  followed: Followed;
  drives: boolean;
  hint: boolean;
  about: string;
  onTake: () => void;
  onFit: () => void;
}

function Driving({ followed, drives, hint, about, onTake, onFit }: DrivingProps) {
  const who =
    followed.driver.value === null ? 'nobody drives' : `${followed.driverName.value ?? 'another viewer'} drives`;
  const types = allows(followed.may.value, 'type');
  return (
    <div class="driving" data-hint={hint || undefined} role="status">
      <span class="cut">
        {drives ? 'you drive' : `watching · ${who}`}
        {hint ? ': your keys go nowhere' : ''} <span class="faint">{about}</span>
      </span>
      {types && !drives ? (
        <button type="button" class="button small" data-do="take" onClick={onTake}>
          Take the keys
        </button>
      ) : null}
      {drives ? (
        <button type="button" class="button small quiet" data-do="fit" onClick={onFit}>
          Fit to me
        </button>
      ) : null}
    </div>
  );
}
