/**
 * One page: a socket of a device that was let in. It is told the whole picture first and then what changes, as far as its device
 * sees it. A page that takes nothing gets nothing: beyond a bound the news is dropped, and once there is room again it gets
 * the whole picture anew. What it sends is checked before anyone looks at it; whoever sends anything else loses the socket.
 */
import type { WebSocket } from 'ws';
import type { Log, SessionRow } from '../contract/index.js';
import { type PageDown, type PageUp, packBytes, unpackBytes } from '../contract/page.js';
import { PageUpMessage } from '../contract/schemas.js';
import type { Where } from '../sessions/index.js';
import { PageChannel } from './channel.js';
import { type KnownDevice, shownDevice } from './device-files.js';
import type { PagePeople, PagePerson } from './presence.js';
import { inScope, shownRow } from './scope.js';
import type { PictureNews, Watching } from './watching.js';

export interface PageLimits {
  /** Bytes on their way above which a page is told nothing more. */
  mostQueued: number;
  pingMs: number;
  /** A page from which nothing came for so long is gone: a phone does not say so. */
  silentMs: number;
  /** One that has taken nothing for so long is given up. */
  crowdedMs: number;
}

export const PAGE_LIMITS: PageLimits = {
  mostQueued: 2 * 1024 * 1024,
  pingMs: 20_000,
  silentMs: 50_000,
  crowdedMs: 60_000,
};

/** Sessions a page follows at once. */
const MOST_CHANNELS = 32;
/** That are being opened at once, also by a page that does not wait for them. */
const MOST_OPENING = 4;
/** Bytes on their way, as often as `mostQueued`, at which a page that takes nothing is given up at once. */
const HOPELESS = 16;
/** Of one message, in bytes: keys are the longest. */
const LONGEST_MESSAGE = 64 * 1024 + 16;
/** Messages within this time: more is no page. */
const FLOOD_MS = 5_000;
const MOST_MESSAGES = 4_000;

/** Codes of a close that pages know. */
export const CLOSE = { wrong: 1008, tooLarge: 1009, revoked: 4401 } as const;

export interface PagePorts {
  where: Where;
  log: Log;
  watching: Watching;
  people: PagePeople;
  hub: { version: string; name: string; started_at: string };
  limits: PageLimits;
  gone(page: OpenPage): void;
}

type OpenWish = Extract<PageUp, { t: 'open' }>;

export class OpenPage implements PagePerson {
  readonly device: KnownDevice;
  readonly #socket: WebSocket;
  readonly #ports: PagePorts;
  readonly #channels = new Map<number, PageChannel>();
  /** Asked for, and not begun: there is no room for what they would say. */
  readonly #wishes = new Map<number, { open: OpenWish; shown?: { since: number | undefined } | undefined }>();
  #opening = 0;
  visible = false;
  touchedAt = Number.NEGATIVE_INFINITY;
  /** Sessions it was told of: of others it hears nothing, not even that they are gone. */
  readonly #told = new Set<string>();
  #isGreeted = false;
  #isStale = false;
  #isCrowded = false;
  #heardAt = Date.now();
  #messages = { since: Date.now(), count: 0 };
  #timer: NodeJS.Timeout;
  #crowdedSince = 0;
  #isGone = false;
  readonly #quiet: () => void;

  constructor(socket: WebSocket, device: KnownDevice, ports: PagePorts) {
    this.#socket = socket;
    this.device = device;
    this.#ports = ports;
    this.#quiet = ports.watching.listen((news) => this.#news(news));
    this.#timer = setInterval(() => this.#tick(), ports.limits.pingMs);
    socket.on('message', (data, isBinary) => this.#message(data as Buffer, isBinary));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#leave());
  }

  get name(): string {
    return this.device.name;
  }

  get right(): KnownDevice['right'] {
    return this.device.right;
  }

  sees(row: SessionRow): boolean {
    return inScope(this.device, row);
  }

  /** To this page, whatever the picture is. */
  tell(down: PageDown): void {
    if (this.#isGreeted) this.#send(JSON.stringify(down));
  }

  /** Told, and from here on deaf: who was let out may still send keys until the socket is closed. */
  revoke(at: string): void {
    if (this.#isGone) return;
    this.#write(JSON.stringify({ t: 'revoked', at } satisfies PageDown));
    this.close(CLOSE.revoked, 'let out');
  }

  close(code: number = CLOSE.wrong, reason = ''): void {
    this.#socket.close(code, reason);
    // Whoever does not answer the goodbye is not waited for.
    setTimeout(() => this.#socket.terminate(), 1_000).unref();
    this.#leave();
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    clearInterval(this.#timer);
    this.#quiet();
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    this.#wishes.clear();
    this.#ports.people.remove(this);
    this.#ports.gone(this);
  }

  #tick(): void {
    const { silentMs, crowdedMs } = this.#ports.limits;
    const now = Date.now();
    const isStuck = this.#isCrowded && now - this.#crowdedSince > crowdedMs;
    if (now - this.#heardAt > silentMs || isStuck) this.#socket.terminate();
    else if (!this.#isCrowded) this.#send('{"t":"ping"}');
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (this.#isGone) return;
    const now = Date.now();
    this.#heardAt = now;
    if (now - this.#messages.since > FLOOD_MS) this.#messages = { since: now, count: 0 };
    this.#messages.count += 1;
    if (this.#isOver(now)) return;
    if (this.#messages.count > MOST_MESSAGES) this.#refuse('too many messages');
    else if (data.length > LONGEST_MESSAGE) this.close(CLOSE.tooLarge, 'too long');
    else if (isBinary) this.#keys(data);
    else this.#text(data);
  }

  /** The hub looks now and then; its time is over to the moment, for what it says and for what it is told. */
  #isOver(now: number): boolean {
    const { expires_at } = this.device;
    if (expires_at === undefined || Date.parse(expires_at) > now) return false;
    this.revoke(expires_at);
    return true;
  }

  #text(data: Buffer): void {
    let up: PageUp;
    try {
      up = PageUpMessage.parse(JSON.parse(data.toString('utf8'))) as PageUp;
    } catch {
      this.#refuse('no message of a page');
      return;
    }
    if (up.t !== 'hello' && !this.#isGreeted) this.#refuse('no hello');
    else this.#up(up);
  }

  #refuse(why: string): void {
    this.#ports.log.log('warn', 'a page was cut off', { device: this.device.id, why });
    this.close(CLOSE.wrong, why);
  }

  #keys(data: Buffer): void {
    const read = this.#isGreeted ? unpackBytes(data) : undefined;
    if (read?.kind !== 'keys') {
      this.#refuse('no bytes of a page');
      return;
    }
    this.#sign(this.visible, true);
    this.#channels.get(read.ch)?.keys(read.bytes);
  }

  #up(up: PageUp): void {
    switch (up.t) {
      case 'hello':
        if (this.#isGreeted) break;
        this.visible = up.visible;
        this.touchedAt = up.visible ? Date.now() : this.touchedAt;
        void this.#greet();
        break;
      case 'here':
        this.#sign(up.visible, up.touched);
        break;
      case 'open':
        this.#open(up);
        break;
      case 'close':
        this.#channels.get(up.ch)?.close();
        this.#channels.delete(up.ch);
        this.#wishes.delete(up.ch);
        break;
      case 'terminal': {
        const wish = this.#wishes.get(up.ch);
        if (wish) wish.shown = up.shown ? { since: up.since } : undefined;
        this.#channels.get(up.ch)?.terminal(up.shown, up.since);
        break;
      }
      case 'drawn':
        this.#channels.get(up.ch)?.drawn(up.bytes);
        break;
      case 'take':
        this.#channels.get(up.ch)?.take();
        break;
      case 'fit':
        this.#channels.get(up.ch)?.fit(up.size);
        break;
      case 'pong':
        break;
    }
  }

  #sign(visible: boolean, touched: boolean): void {
    this.#ports.people.sign(this, { visible, touchedAt: touched ? Date.now() : this.touchedAt });
  }

  async #greet(): Promise<void> {
    await this.#ports.watching.ready;
    if (this.#isGone) return;
    this.#isGreeted = true;
    this.#picture();
    this.#ports.people.add(this);
  }

  /** Everything as it is now; what comes later changes it. */
  #picture(): void {
    const { hub, watching } = this.#ports;
    this.#isStale = false;
    this.#told.clear();
    const { rows, cards } = watching.seenBy(this.device);
    for (const { id } of rows) this.#told.add(id);
    const { env } = this.#ports.where;
    const device = shownDevice(env, this.device, this.device.id);
    this.tell({ t: 'hello', hub, device, rows, cards, now: new Date().toISOString() });
    for (const [session, since] of watching.silent) {
      if (this.#told.has(session)) this.tell({ t: 'silent', session, silent: true, since });
    }
  }

  #news(news: PictureNews): void {
    if (!this.#isGreeted) return;
    if (news.t === 'row') {
      for (const channel of this.#channels.values()) if (channel.session === news.row.id) channel.row(news.row);
      if (!this.sees(news.row)) return;
      this.#told.add(news.row.id);
    } else {
      const session = news.t === 'card' ? news.card.inquiry.session : news.session;
      if (!this.#told.has(session)) return;
    }
    if (this.#isCrowded) this.#isStale = true;
    else this.tell(news.t === 'row' ? { t: 'row', row: shownRow(this.#ports.where, this.device, news.row) } : news);
  }

  #open(open: OpenWish): void {
    const { ch } = open;
    this.#channels.get(ch)?.close();
    this.#channels.delete(ch);
    this.#wishes.delete(ch);
    if (this.#channels.size + this.#wishes.size >= MOST_CHANNELS) {
      const why = { code: 'USAGE', message: `this page follows ${MOST_CHANNELS} sessions already` };
      this.tell({ t: 'closed', ch, why });
      return;
    }
    this.#wishes.set(ch, { open });
    this.#openNext();
  }

  #openNext(): void {
    for (const [ch, { open, shown }] of this.#wishes) {
      if (this.#isGone || this.#isCrowded || this.#opening >= MOST_OPENING) return;
      this.#wishes.delete(ch);
      this.#begin(open);
      if (shown) this.#channels.get(ch)?.terminal(true, shown.since);
    }
  }

  #begin({ ch, session, since }: OpenWish): void {
    const channel: PageChannel = new PageChannel({
      where: this.#ports.where,
      device: this.device,
      ch,
      session,
      since,
      tell: (down) => this.tell(down),
      bytes: (kind, bytes, offset) => this.#send(packBytes(kind, ch, bytes, offset)),
      isCrowded: () => this.#isCrowded,
      over: () => {
        if (this.#channels.get(ch) === channel) this.#channels.delete(ch);
      },
    });
    this.#channels.set(ch, channel);
    this.#opening += 1;
    void channel.opened.finally(() => {
      this.#opening -= 1;
      this.#openNext();
    });
  }

  #send(data: string | Uint8Array): void {
    if (!this.#isGone && !this.#isOver(Date.now())) this.#write(data);
  }

  #write(data: string | Uint8Array): void {
    if (this.#isGone || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(data, () => this.#drained());
    if (this.#socket.bufferedAmount > this.#ports.limits.mostQueued * HOPELESS) this.#socket.terminate();
    if (this.#isCrowded || this.#socket.bufferedAmount <= this.#ports.limits.mostQueued) return;
    this.#isCrowded = true;
    this.#crowdedSince = Date.now();
  }

  #drained(): void {
    if (!this.#isCrowded || this.#isGone || this.#socket.bufferedAmount > this.#ports.limits.mostQueued / 4) return;
    this.#isCrowded = false;
    if (this.#isStale) this.#picture();
    for (const channel of this.#channels.values()) channel.breathe();
    this.#openNext();
  }
}
