/**
 * The one socket of the page: a ticket, then a WebSocket that names it. It comes back by itself with growing pauses, counts its
 * tries where everybody sees them, and is tried at once when the person asks, the network returns or the page is seen again.
 * Who follows a session (`follow.ts`) has a channel here, opened anew after each hello.
 */
import { PAGE_PROTOCOL, type PageDown, type PageUp, unpackBytes } from '../../contract/page.js';
import { ask, HubError } from './api.js';
import { connection, device, learn, online, setConnection } from './store.js';

export interface Channel {
  /** A hello has come: say what is wanted, from where it was left. */
  opened(): void;
  heard(message: PageDown & { ch?: number }): void;
  bytes(kind: 'output' | 'snapshot', bytes: Uint8Array, offset: number): void;
  /** The socket is gone; `opened` comes again. */
  lost(): void;
}

/** Pauses before the 1st, 2nd, … try; the last one goes on. A third is left to chance, so that pages do not come at once. */
const PAUSES_MS = [300, 1000, 2000, 4000, 8000, 15_000, 30_000];
/** So many tries without an answer are called offline: it is tried further. */
const OFFLINE_AFTER = 5;
/** The hub pings more often than this; silence for longer is a dead connection that nobody was told of. */
const SILENCE_MS = 50_000;
/** Seen again after being hidden: what was not heard from for so long is tried anew at once (phones freeze sockets). */
const STALE_MS = 25_000;
const SLOW_MS = 15_000;

let socket: WebSocket | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let guard: ReturnType<typeof setTimeout> | undefined;
let lastHeard = 0;
let attempt = 0;
let ready = false;
const channels = new Map<number, Channel>();
let nextChannel = 1;

export function addChannel(channel: Channel): number {
  const ch = nextChannel++;
  channels.set(ch, channel);
  if (ready) channel.opened();
  return ch;
}

export const dropChannel = (ch: number): void => {
  channels.delete(ch);
  say({ t: 'close', ch });
};

export const isReady = (): boolean => ready;

/** Sights only: what must not be lost goes by HTTP. False if nobody is there to hear it. */
export function say(message: PageUp): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

export function sayBytes(packed: Uint8Array): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(packed as Uint8Array<ArrayBuffer>);
  return true;
}

const over = (): boolean => ['unpaired', 'revoked'].includes(connection.peek().state);

/** Tries now, whatever the pause says. */
export function connectNow(): void {
  if (socket !== undefined && socket.readyState <= WebSocket.OPEN && ready) return;
  clearTimeout(timer);
  void connect();
}

/** Begins anew after a pairing, or when the socket may be dead without having said so. */
export function reconnect(): void {
  setConnection({ state: 'connecting', tries: 0 });
  hangUp();
  connectNow();
}

function hangUp(): void {
  const old = socket;
  socket = undefined;
  clearTimeout(guard);
  if (ready) {
    ready = false;
    for (const channel of channels.values()) channel.lost();
  }
  old?.close();
}

async function connect(): Promise<void> {
  const mine = ++attempt;
  hangUp();
  setConnection({ tries: connection.peek().tries + 1 });
  try {
    const { ticket } = await ask('ticket', { signal: AbortSignal.timeout(SLOW_MS) });
    if (mine !== attempt) return;
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
    const opening = new WebSocket(address, [PAGE_PROTOCOL, ticket]);
    socket = opening;
    opening.binaryType = 'arraybuffer';
    opening.onopen = () => say({ t: 'hello', visible: document.visibilityState === 'visible' });
    opening.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket === opening) hear(data);
    };
    opening.onclose = () => {
      if (socket === opening) failed();
    };
    watchSilence(SLOW_MS);
  } catch (error) {
    if (mine !== attempt) return;
    if (error instanceof HubError && error.status === 401) {
      letOut(error.code);
      return;
    }
    failed();
  }
}

/** Known before and unknown now: it was let out. Whoever was never in has to pair. */
function letOut(code: string): void {
  const was = connection.peek().state;
  if (was === 'revoked') return;
  setConnection({ state: device.peek() !== undefined || code === 'DEVICE_REVOKED' ? 'revoked' : 'unpaired', tries: 0 });
}

function failed(): void {
  hangUp();
  if (over()) return;
  const { tries } = connection.peek();
  const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]! * (0.67 + Math.random() * 0.33);
  setConnection({
    state: !online.peek() || tries >= OFFLINE_AFTER ? 'offline' : 'reconnecting',
    nextAt: Date.now() + pause,
  });
  clearTimeout(timer);
  timer = setTimeout(() => void connect(), pause);
}

function watchSilence(after: number): void {
  clearTimeout(guard);
  guard = setTimeout(failed, after);
}

function hear(data: string | ArrayBuffer): void {
  lastHeard = Date.now();
  watchSilence(SILENCE_MS);
  if (typeof data !== 'string') {
    const packed = unpackBytes(new Uint8Array(data));
    if (packed !== undefined && packed.kind !== 'keys')
      channels.get(packed.ch)?.bytes(packed.kind, packed.bytes, packed.offset);
    return;
  }
  const message = JSON.parse(data) as PageDown;
  if (message.t === 'ping') say({ t: 'pong' });
  else if (message.t === 'revoked') revoked(message.at);
  else if (learn(message)) {
    if (message.t === 'hello') welcomed();
  } else if ('ch' in message && message.ch !== undefined) channels.get(message.ch)?.heard(message);
}

function welcomed(): void {
  // A picture told anew on the same socket: its channels are as they were.
  if (ready) return;
  ready = true;
  setConnection({ state: 'live', tries: 0 });
  for (const channel of channels.values()) channel.opened();
}

function revoked(at: string): void {
  setConnection({ state: 'revoked', since: Date.parse(at) || Date.now(), tries: 0 });
  clearTimeout(timer);
  hangUp();
}

/** Begins, and comes back whenever there is a reason to believe that it works now. */
export function begin(): void {
  addEventListener('online', () => {
    online.value = true;
    if (!over()) connectNow();
  });
  addEventListener('offline', () => {
    online.value = false;
    if (!over()) failed();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || over()) return;
    if (!ready) connectNow();
    else if (Date.now() - lastHeard > STALE_MS) {
      hangUp();
      connectNow();
    }
  });
  void connect();
}
