/**
 * Who is pushed what, and when. It looks at the picture as it is, not at what happens: an inquiry that waits and a device that
 * may answer it, wants to hear of it, was not told and shows no sign of a person make a message, whether it opened now, while the hub
 * was down, in quiet hours or while somebody was still there. What is settled is told to those who were told of it.
 */
import { createHash } from 'node:crypto';
import { allows, type Clock, type Log, type SessionRow } from '../../contract/index.js';
import type { Card, DeviceScope, PageDown, PushMessage } from '../../contract/page.js';
import type { Redact } from '../../log/index.js';
import { isQuiet } from '../../notify/index.js';
import { isGone, type PushJob, PushLanes } from './lanes.js';
import { askedMessage, rowMessage, settledMessage, testMessage } from './message.js';
import type { PushedTags } from './pushed.js';
import type { PushReceipt, PushSender } from './sender.js';
import type { PushKind, Subscriptions } from './subscriptions.js';

/** What all sessions are now (watching.ts). */
export interface PushPicture {
  readonly rows: ReadonlyMap<string, SessionRow>;
  readonly cards: ReadonlyMap<string, Card>;
}

export interface PusherPorts {
  clock: Clock;
  log: Log;
  redact: Redact;
  picture: PushPicture;
  subscriptions: Subscriptions;
  pushed: PushedTags;
  /** Ends that were told, or were not for telling. */
  ends: PushedTags;
  sender: PushSender;
  /** Nobody is called. */
  isOff: boolean;
  /** Who is let in now. */
  devices(): readonly PushDevice[];
  /** The one check of scope. */
  sees(device: PushDevice, row: SessionRow): boolean;
  /** A page of this device is shown, and was touched a moment ago. */
  isHere(device: string): boolean;
  /** Somebody can be fetched now who could not be before, or the other way round. */
  callableChanged(): void;
}

/** A device that was let in. */
export type PushDevice = DeviceScope & { id: string; name: string };

type PushRowKind = Extract<PushKind, 'ended' | 'limit' | 'died'>;

/** Whoever sits at another page answers sooner; what is settled at once is not worth a message. */
const SPARE_MS = 20_000;
const SETTLE_MS = 1_500;
/** While something waits for somebody to leave, or for quiet hours to be over. */
const LOOK_MS = 5_000;
/** Inquiries told to one device in so much time; the others wait, and are on the page. */
const [MOST_TOLD, BURST_MS] = [20, 10 * 60_000];
/** As the row of such a session says. */
const DIED = 'its host died';
const DAY_SECS = 24 * 60 * 60;
/** What ended longer ago while no hub ran is no news: it is on the page. */
const NEWS_MS = DAY_SECS * 1000;

export class Pusher {
  readonly #ports: PusherPorts;
  readonly #lanes: PushLanes;
  /** What waits to be sent or is on its way: `inquiry device`. */
  readonly #sending = new Map<string, { off: AbortController; isBegun: boolean }>();
  readonly #toldAt = new Map<string, number[]>();
  readonly #rows = new Map<string, { isEnded: boolean; limit: string | undefined }>();
  #isReady = false;
  #isClosed = false;
  #cancelLook: () => void = () => undefined;

  constructor(ports: PusherPorts) {
    this.#ports = ports;
    this.#lanes = new PushLanes({
      clock: ports.clock,
      log: ports.log,
      gone: (device) => this.unsubscribed(device),
      send: (job, signal) => this.#send(job, signal),
    });
  }

  /** The picture is whole: what was told and no longer waits was settled while nobody looked. */
  ready(): void {
    const { pushed, picture } = this.#ports;
    this.#isReady = true;
    for (const row of picture.rows.values()) {
      this.#rows.set(row.id, factsOf(row));
      if (isNews(row, this.#ports.clock.now())) this.#ended(row);
    }
    for (const inquiry of pushed.tags()) if (!picture.cards.has(inquiry)) this.#settled({ inquiry, how: 'answered' });
    this.look();
  }

  told(news: Extract<PageDown, { t: 'row' | 'forgotten' | 'silent' | 'card' | 'settled' }>): void {
    if (!this.#isReady) return;
    if (news.t === 'card') this.look();
    else if (news.t === 'row') this.#row(news.row);
    else if (news.t === 'forgotten') this.#rows.delete(news.session);
    else if (news.t === 'settled') {
      const { inquiry, how, by } = news;
      const on = this.#ports.devices().find(({ name }) => name === by)?.name;
      this.#settled({ inquiry, how, ...(by === undefined ? {} : { by }), ...(on === undefined ? {} : { on }) });
    }
  }

  /** Devices that can be called now, for who asks whether somebody can be fetched. */
  callable(): PushDevice[] {
    return this.#ports.devices().filter(({ id }) => this.#wants(id, 'inquiry') && !this.#isQuiet(id));
  }

  /** A device was let out, or its rights changed. */
  devicesChanged(): void {
    this.#ports.subscriptions.readAgain();
    const known = new Set(this.#ports.devices().map(({ id }) => id));
    this.#lanes.keepOnly(known);
    this.#ports.callableChanged();
    this.look();
  }

  /** What is over when it begins to listen is no news to it. */
  subscribed(device: string): void {
    const { picture, clock, ends } = this.#ports;
    for (const row of picture.rows.values()) if (isNews(row, clock.now())) ends.add(endOf(row), device);
    this.#ports.callableChanged();
    this.look();
  }

  unsubscribed(device: string): void {
    this.#ports.subscriptions.remove(device);
    this.#lanes.drop(device);
    this.#ports.callableChanged();
  }

  /** Now, once, whatever the hour: somebody waits for the receipt. */
  async test(device: PushDevice): Promise<PushReceipt> {
    const subscription = this.#ports.subscriptions.get(device.id);
    if (!subscription) return { trouble: 'this device has no subscription', again: false };
    const message = this.#whole(device, testMessage(device.name));
    const receipt = await this.#send({ subscription, message, ttlSecs: 60 }, new AbortController().signal);
    if (isGone(receipt)) this.unsubscribed(device.id);
    return receipt;
  }

  look(): void {
    if (!this.#isReady || this.#isClosed) return;
    this.#cancelLook();
    const waits = [...this.#ports.picture.cards.values()].map((card) => this.#lookAt(card));
    const nextMs = Math.min(...waits);
    this.#cancelLook = Number.isFinite(nextMs) ? this.#ports.clock.after(nextMs, () => this.look()) : () => undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await this.#lanes.close();
  }

  /** When to look at it again: infinity for who has been told, or never will be. */
  #lookAt(card: Card): number {
    const { clock, picture, devices, isHere, pushed } = this.#ports;
    const { inquiry } = card;
    const row = picture.rows.get(inquiry.session);
    // Another agent is asked, or an answer is about to be told.
    if (!row || inquiry.stage === 'consulting' || inquiry.answer || inquiry.lost) return Number.POSITIVE_INFINITY;
    const age = clock.now() - Date.parse(inquiry.opened_at);
    if (inquiry.stage === undefined && age < SETTLE_MS) return SETTLE_MS;
    const able = devices().filter((device) => this.#mayAnswer(device, row));
    const isSpared = able.some(({ id }) => isHere(id)) && age < SPARE_MS;
    let again = Number.POSITIVE_INFINITY;
    for (const device of able.filter(({ id }) => this.#wants(id, 'inquiry'))) {
      const key = `${inquiry.id} ${device.id}`;
      if (pushed.has(inquiry.id, device.id) || this.#sending.has(key)) continue;
      if (isSpared || isHere(device.id) || this.#isQuiet(device.id) || this.#isCrowded(device.id)) again = LOOK_MS;
      else this.#ask(card, row, device);
    }
    return again;
  }

  #ask(card: Card, row: SessionRow, device: PushDevice): void {
    const { pushed, redact, clock, subscriptions } = this.#ports;
    const { id } = card.inquiry;
    const key = `${id} ${device.id}`;
    const state = { off: new AbortController(), isBegun: false };
    this.#sending.set(key, state);
    this.#toldAt.set(device.id, [...(this.#toldAt.get(device.id) ?? []), clock.now()]);
    const taken = this.#lanes.add({
      device: device.id,
      subscription: subscriptions.get(device.id)!,
      message: this.#whole(device, askedMessage(card, row, redact)),
      ttlSecs: this.#ttlOf(card),
      signal: state.off.signal,
      begun: () => {
        state.isBegun = true;
      },
      // Also where it failed in the end: nothing is tried for ever.
      over: () => {
        this.#sending.delete(key);
        pushed.add(id, device.id);
      },
    });
    if (!taken) this.#sending.delete(key);
  }

  #settled(end: Parameters<typeof settledMessage>[0]): void {
    const { pushed, picture, devices, redact, subscriptions } = this.#ports;
    const told = pushed.take(end.inquiry);
    const row = picture.rows.get(end.inquiry.split('.')[0]!);
    for (const device of devices()) {
      const key = `${end.inquiry} ${device.id}`;
      const sending = this.#sending.get(key);
      sending?.off.abort();
      this.#sending.delete(key);
      const subscription = subscriptions.get(device.id);
      // What is on its way may arrive. Whoever answered it there has seen what came of it.
      const isTold = told.has(device.id) || sending?.isBegun === true;
      if (!isTold || !subscription || device.name === end.on) continue;
      const message = this.#whole(device, settledMessage(end, row, redact));
      this.#lanes.add({ device: device.id, subscription, message, ttlSecs: DAY_SECS });
    }
  }

  #row(row: SessionRow): void {
    const before = this.#rows.get(row.id);
    const now = factsOf(row);
    this.#rows.set(row.id, now);
    if (now.limit !== undefined && now.limit !== before?.limit) this.#tell('limit', row);
    if (now.isEnded && before?.isEnded === false) this.#ended(row);
    if (before === undefined) this.look();
  }

  /** Now, or while no hub ran: each device hears of an end once. */
  #ended(row: SessionRow): void {
    const { devices, ends, subscriptions } = this.#ports;
    // A person who stopped it knows.
    if (row.outcome === 'stopped') return;
    const to = devices().filter(({ id }) => subscriptions.get(id) !== undefined && !ends.has(endOf(row), id));
    if (to.length === 0) return;
    // Before it is sent: a hub that dies in between tells nobody twice.
    ends.add(endOf(row), ...to.map(({ id }) => id));
    this.#tell(row.detail === DIED || row.left !== undefined ? 'died' : 'ended', row, to);
  }

  #tell(kind: PushRowKind, row: SessionRow, to: readonly PushDevice[] = this.#ports.devices()): void {
    const { sees, isHere, redact, subscriptions } = this.#ports;
    for (const device of to) {
      if (!this.#wants(device.id, kind) || !sees(device, row) || isHere(device.id) || this.#isQuiet(device.id))
        continue;
      const message = this.#whole(device, rowMessage(kind, row, redact));
      this.#lanes.add({ device: device.id, subscription: subscriptions.get(device.id)!, message, ttlSecs: DAY_SECS });
    }
  }

  #mayAnswer(device: PushDevice, row: SessionRow): boolean {
    return allows(device.right, 'answer') && this.#ports.sees(device, row);
  }

  #wants(device: string, kind: PushKind): boolean {
    return !this.#ports.isOff && this.#ports.subscriptions.get(device)?.kinds.includes(kind) === true;
  }

  #isQuiet(device: string): boolean {
    const quiet = this.#ports.subscriptions.get(device)?.quiet;
    return quiet !== undefined && isQuiet(`${quiet.from}-${quiet.to}`, this.#ports.clock.now(), quiet.zone);
  }

  #isCrowded(device: string): boolean {
    const now = this.#ports.clock.now();
    const recent = (this.#toldAt.get(device) ?? []).filter((at) => now - at < BURST_MS);
    this.#toldAt.set(device, recent);
    return recent.length >= MOST_TOLD;
  }

  #ttlOf({ inquiry: { until, next, deadline_at } }: Card): number {
    const ends = [deadline_at, next === 'defer' ? undefined : until].flatMap((at) => (at ? [Date.parse(at)] : []));
    const left = (Math.min(...ends) - this.#ports.clock.now()) / 1000;
    return Number.isFinite(left) ? Math.min(DAY_SECS, Math.max(10, Math.ceil(left))) : DAY_SECS;
  }

  #whole(device: PushDevice, unsent: Omit<PushMessage, 'v' | 'badge' | 'at'>): PushMessage {
    const { picture, clock } = this.#ports;
    const badge = [...picture.cards.values()].filter(({ inquiry }) => {
      const row = picture.rows.get(inquiry.session);
      return row !== undefined && this.#mayAnswer(device, row);
    }).length;
    return { v: 1, ...unsent, badge, at: new Date(clock.now()).toISOString() };
  }

  #send(job: Pick<PushJob, 'subscription' | 'message' | 'ttlSecs'>, signal: AbortSignal): Promise<PushReceipt> {
    const { message, ttlSecs } = job;
    const { endpoint, keys } = job.subscription;
    const topic = createHash('sha256').update(message.tag).digest('base64url').slice(0, 32);
    const urgency = message.kind === 'inquiry' || message.kind === 'test' ? 'high' : 'normal';
    const payload = JSON.stringify(message);
    return this.#ports.sender.send({ endpoint, keys, payload, ttlSecs, urgency, topic }, signal);
  }
}

const isNews = ({ state, ended_at, started_at }: SessionRow, now: number): boolean =>
  state === 'ended' && now - Date.parse(ended_at ?? started_at) < NEWS_MS;

/** One that goes on and ends again has ended twice. */
const endOf = ({ id, ended_at, started_at }: SessionRow): string => `${id} ${ended_at ?? started_at}`;

function factsOf(row: SessionRow): { isEnded: boolean; limit: string | undefined } {
  const isLimited = row.state !== 'ended' && row.limited === true;
  return { isEnded: row.state === 'ended', limit: isLimited ? (row.until ?? 'unknown') : undefined };
}
