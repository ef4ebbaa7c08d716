/**
 * Signs of a person, told to the hub: the page is seen, and was touched just now. Said on change, and with touches at most every
 * ten seconds; who looks at a page in the background is not there (decision of `presence` is the hub's).
 */
import { effect } from '@preact/signals';
import { say } from './socket.js';
import { connection, tick } from './store.js';

const TOUCH_MS = 10_000;
let saidAt = 0;

const visible = (): boolean => document.visibilityState === 'visible';

function touched(): void {
  if (Date.now() - saidAt < TOUCH_MS || !visible()) return;
  if (say({ t: 'here', visible: true, touched: true })) saidAt = Date.now();
}

export function watchPerson(): void {
  for (const sign of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
    addEventListener(sign, touched, { passive: true, capture: true });
  document.addEventListener('visibilitychange', () => {
    say({ t: 'here', visible: visible(), touched: false });
    if (visible()) tick();
  });
  let clock: ReturnType<typeof setInterval> | undefined;
  const run = (): void => {
    clearInterval(clock);
    if (visible()) clock = setInterval(tick, 1000);
  };
  document.addEventListener('visibilitychange', run);
  run();
  effect(() => {
    // A new socket knows nothing of the last touch.
    if (connection.value.state === 'live') saidAt = 0;
  });
}
