/**
 * One session as one page follows it: over a link of its own with the device's right, or from its journal once nobody hosts it.
 * Entries come in the order of their `seq`, none twice and none left out, whatever becomes of the host: when it ends the rest is
 * read from the file, when the session goes on there is another link from there. Every frame to the host is made here, from a
 * request that was checked; none is passed on.
 */
import { join } from 'node:path';
import { allows, asReinsError, type Entry, ReinsError, type SessionRow, type Size } from '../contract/index.js';
import { PAGE_RIGHTS, type PageDown, type PageWrong, type QueuedMessage } from '../contract/page.js';
import { FILES } from '../disk/index.js';
import { readPage } from '../journal/read.js';
import type { HostClient, Place } from '../link/index.js';
import { connectTo, GREETING_MS, isStopped, rowFromFiles, rowOf, type Where } from '../sessions/index.js';
import { cutEntry } from './cut.js';
import type { KnownDevice } from './device-files.js';
import { placeFor, shownEntry, shownRow } from './scope.js';
import { TerminalFeed } from './terminal-feed.js';
import { typed } from './typed.js';

/** Entries that are shown first; older ones are asked for by HTTP. */
const FIRST_ENTRIES = 200;
/** And bytes of these: of a story with long entries, fewer are first. */
const MOST_FIRST = 1024 * 1024;
/** Entries, and bytes of them, in one message. */
const MOST_ENTRIES = 200;
const MOST_BATCH = 256 * 1024;
/** Entries that are made up for. */
const MOST_MISSED = 2_000;
/** A link can break while its host lives. */
const AGAIN_MS = 300;

export interface ChannelPorts {
  where: Where;
  device: KnownDevice;
  ch: number;
  session: string;
  since: number | undefined;
  tell(down: PageDown): void;
  bytes(kind: 'output' | 'snapshot', bytes: Uint8Array, offset: number): void;
  /** The page takes nothing at the moment: its links are held until `breathe`. */
  isCrowded(): boolean;
  /** It is over, and was told so. */
  over(): void;
}

export class PageChannel {
  readonly #ports: ChannelPorts;
  /** The first opening is done, however it went, or waits for a host that does not answer: others need not wait for that. */
  readonly opened: Promise<void>;
  #isOpened: () => void = () => undefined;
  readonly #feed: TerminalFeed;
  #client: HostClient | undefined;
  /** The last entry that was sent, or is about to be. */
  #seq: number | undefined;
  #batch: Entry[] = [];
  #batchBytes = 0;
  #isGathering = false;
  #you = '';
  #driver: string | null = null;
  /** Of viewers, as far as the entries of this page tell. */
  readonly #names = new Map<string, string>();
  #isOpening = true;
  #asksQueue = false;
  #isHeld = false;
  #isClosed = false;
  /** The end up to which its files were read. */
  #endRead: string | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(ports: ChannelPorts) {
    this.#ports = ports;
    this.#seq = ports.since;
    this.#feed = new TerminalFeed({
      send: (kind, bytes, offset) => ports.bytes(kind, bytes, offset),
      isCrowded: () => ports.isCrowded(),
      wrong: (error) => this.#wrong(error),
    });
    this.opened = new Promise((resolve) => {
      const late = setTimeout(resolve, GREETING_MS);
      this.#isOpened = () => {
        clearTimeout(late);
        resolve();
      };
    });
    // Once whoever made it has it: it may be over at once.
    void Promise.resolve()
      .then(() => this.#open())
      .finally(this.#isOpened);
  }

  get session(): string {
    return this.#ports.session;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    this.#feed.link(undefined);
    this.#client?.close();
    this.#client = undefined;
  }

  /** What all pages are told of this session: one that ended may go on, and end again before anybody saw it live. */
  row(row: SessionRow): void {
    const isNews = row.state !== 'ended' || row.ended_at !== this.#endRead;
    if (isNews && !this.#client && !this.#isOpening) void this.#open();
  }

  terminal(shown: boolean, since: number | undefined): void {
    if (shown) this.#feed.show(since);
    else this.#feed.hide();
  }

  drawn(bytes: number): void {
    this.#feed.drawn(bytes);
  }

  /** The page can take more again. */
  breathe(): void {
    if (this.#isHeld) this.#client?.release();
    this.#isHeld = false;
    this.#feed.breathe();
  }

  keys(bytes: Uint8Array): void {
    const pressed = typed(bytes);
    if (pressed.length === 0) return;
    if (!this.#may('keys', 'to type')) return;
    if (this.#client && this.#driver === this.#you) this.#client.input(pressed);
    else this.#tellDriver();
  }

  take(): void {
    if (this.#may('take', 'to take the keys')) this.#command((client) => client.command('take'));
  }

  /** Only who drives, and asked for it: nobody else is redrawn. */
  fit({ cols, rows }: Size): void {
    if (!this.#may('fit', 'to set the size')) return;
    if (this.#driver !== this.#you) this.#wrong(new ReinsError('NOT_DRIVER', { driver: this.#driver ?? 'nobody' }));
    else this.#command((client) => client.command('resize', { cols, rows }));
  }

  #may(message: keyof typeof PAGE_RIGHTS, what: string): boolean {
    const { right } = this.#ports.device;
    const need = PAGE_RIGHTS[message];
    if (allows(right, need)) return true;
    this.#wrong(new ReinsError('RIGHT_MISSING', { what, need, may: right, why: '' }));
    return false;
  }

  #command(run: (client: HostClient) => Promise<unknown>): void {
    const { session } = this.#ports;
    if (this.#client) run(this.#client).catch((error: unknown) => this.#wrong(error));
    else this.#wrong(new ReinsError('SESSION_ENDED', { session }));
  }

  async #open(): Promise<void> {
    const { where, device, session, ch } = this.#ports;
    this.#isOpening = true;
    clearTimeout(this.#again);
    try {
      // Anew each time: a session outside its scope is one that never was.
      const place = placeFor(where, device, session);
      if (!place) throw new ReinsError('NO_SUCH_SESSION', { session });
      if (isStopped(place)) this.#isOpened();
      if (place.alive) await this.#follow(place);
      else await this.#read(place);
    } catch (error) {
      const known = asReinsError(error);
      const isGone = known.code === 'SESSION_ENDED' || known.code === 'HOST_LOST';
      // It ended while it was opened: its file tells the rest, once its host is really gone.
      if (isGone) this.#later();
      else if (!this.#isClosed) {
        this.#ports.tell({ t: 'closed', ch, why: wrongOf(known) });
        this.close();
        this.#ports.over();
      }
    } finally {
      this.#isOpening = false;
    }
  }

  async #follow(place: Place): Promise<void> {
    const { where, device, ch } = this.#ports;
    let isOver = false;
    const ended = () => {
      if (isOver || this.#client !== client) return;
      isOver = true;
      this.#lost();
    };
    const client: HostClient = await connectTo(
      where,
      place,
      {
        entry: (entry) => this.#entry(entry),
        output: (bytes, offset) => this.#feed.output(bytes, offset),
        stderr: () => undefined,
        snapshot: (bytes, offset) => this.#feed.snapshot(bytes, offset),
        size: (size) => this.#ports.tell({ t: 'size', ch, size }),
        driver: (driver) => {
          this.#driver = driver;
          this.#tellDriver();
        },
        partial: (text) => this.#ports.tell({ t: 'partial', ch, text }),
        paused: (paused) => this.#ports.tell({ t: 'paused', ch, paused }),
        live: () => {
          this.#flush();
          this.#ports.tell({ t: 'live', ch });
        },
        end: ended,
        closed: ended,
      },
      { may: device.right, device: device.name },
    );
    this.#client = client;
    if (this.#isClosed) {
      client.close();
      return;
    }
    try {
      if (this.#seq !== undefined) await this.#skip(client, this.#seq);
      const first = this.#seq === undefined ? await client.command('entries', { limit: FIRST_ENTRIES }) : undefined;
      const seq = this.#seq ?? first?.entries.at(-1)?.seq ?? 0;
      const attached = await client.attach({
        kind: 'web',
        name: device.name,
        role: 'watcher',
        visible: false,
        bytes: true,
        entries: true,
        // Whether a person is at a page, the hub says for all of them.
        answers: 'no',
        since: { seq },
      });
      if (this.#isClosed) return;
      this.#you = attached.viewer;
      this.#driver = attached.driver;
      const { driver, viewer: you, size, cursor } = attached;
      const row = shownRow(where, device, attached.session);
      const queue = await client.command('queue').catch(() => []);
      if (this.#isClosed) return;
      this.#ports.tell({ t: 'opened', ch, row, may: device.right, driver, you, size, seq: cursor.seq, queue });
      if (first) this.#first(first.entries, first.more);
      this.#feed.link(client, size !== null);
      client.ready();
    } catch (error) {
      this.#client = undefined;
      client.close();
      throw error;
    }
  }

  /** A page that was away for long begins at the end: it sees the hole, and asks for older ones when it wants them. */
  async #skip(client: HostClient, seq: number): Promise<void> {
    const last = (await client.command('entries', { limit: 1 })).entries[0]?.seq ?? 0;
    if (last - seq > MOST_MISSED) this.#seq = undefined;
  }

  /** The host is gone, in order or not. */
  #lost(): void {
    this.#flush();
    this.#client = undefined;
    this.#driver = null;
    this.#isHeld = false;
    this.#feed.link(undefined);
    if (!this.#isClosed && !this.#isOpening) void this.#open();
  }

  #later(): void {
    if (this.#isClosed) return;
    this.#again = setTimeout(() => {
      if (!this.#client && !this.#isOpening) void this.#open();
    }, AGAIN_MS);
  }

  /** Nobody hosts it: what its files say. */
  async #read(place: Place): Promise<void> {
    const { where, ch } = this.#ports;
    const found = (await rowOf(where, place)) ?? rowFromFiles(place, '');
    if (this.#isClosed) return;
    if (!found) throw new ReinsError('NO_SUCH_SESSION', { session: place.id });
    this.#endRead = found.ended_at;
    const row = shownRow(where, this.#ports.device, found);
    const file = join(place.dir, FILES.journal);
    const last = readPage(file, { limit: 1 }).entries[0]?.seq ?? 0;
    const { right: may } = this.#ports.device;
    this.#ports.tell({ t: 'opened', ch, row, may, driver: null, you: '', size: null, seq: last, queue: [] });
    if (this.#seq === undefined) {
      const { entries, more } = readPage(file, { limit: FIRST_ENTRIES });
      this.#first(entries, more);
    } else {
      for (let more = true; more && !this.#isClosed; ) {
        const page = readPage(file, { since: this.#seq, limit: MOST_ENTRIES });
        for (const entry of page.entries) this.#entry(entry);
        more = page.more;
        this.#flush();
        // Others have their turn, and a slow page its time.
        if (more) await new Promise((resolve) => setTimeout(resolve, this.#ports.isCrowded() ? 200 : 0));
      }
    }
    if (!this.#isClosed) this.#ports.tell({ t: 'live', ch });
  }

  #first(entries: Entry[], more: boolean): void {
    for (const entry of entries) this.#note(entry);
    const shown: Entry[] = [];
    let room = MOST_FIRST;
    for (const entry of entries.toReversed()) {
      const { entry: fit, bytes } = this.#cut(entry);
      room -= bytes;
      if (room < 0) break;
      shown.unshift(fit);
    }
    this.#seq = entries.at(-1)?.seq ?? 0;
    const isMore = more || shown.length < entries.length;
    this.#ports.tell({ t: 'entries', ch: this.#ports.ch, entries: shown, more: isMore });
  }

  #entry(entry: Entry): void {
    if (this.#seq !== undefined && entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    this.#note(entry);
    if (/^message\./.test(entry.type)) this.#tellQueue();
    const { entry: fit, bytes } = this.#cut(entry);
    this.#batch.push(fit);
    this.#batchBytes += bytes;
    if (this.#batch.length >= MOST_ENTRIES || this.#batchBytes >= MOST_BATCH) this.#flush();
    else if (!this.#isGathering) {
      this.#isGathering = true;
      // What one turn brings goes together.
      setImmediate(() => {
        this.#isGathering = false;
        this.#flush();
      });
    }
  }

  #cut(entry: Entry): ReturnType<typeof cutEntry> {
    return cutEntry(shownEntry(this.#ports.where, this.#ports.device, entry));
  }

  #flush(): void {
    if (this.#batch.length === 0 || this.#isClosed) return;
    const entries = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#ports.tell({ t: 'entries', ch: this.#ports.ch, entries });
    if (!this.#client || this.#isHeld || !this.#ports.isCrowded()) return;
    // The host keeps it: this viewer falls behind there, and is brought up to date from the journal.
    this.#isHeld = true;
    this.#client.hold();
  }

  #note(entry: Entry): void {
    if (entry.type === 'viewer.left') this.#names.delete(entry.data.viewer);
    if (entry.type !== 'viewer.attached') return;
    const { viewer, name, who, kind } = entry.data;
    this.#names.set(viewer, name ?? (who?.kind === 'device' ? who.name : kind === 'run' ? 'its run' : 'a terminal'));
  }

  /** However many changes came meanwhile, asked once more. */
  #tellQueue(): void {
    const client = this.#client;
    if (!client || this.#asksQueue) return;
    this.#asksQueue = true;
    setImmediate(() => {
      this.#asksQueue = false;
      const tell = (queue: QueuedMessage[]) => {
        if (!this.#isClosed) this.#ports.tell({ t: 'queue', ch: this.#ports.ch, queue });
      };
      // A host of an older build has none.
      client.command('queue').then(tell, () => undefined);
    });
  }

  #tellDriver(): void {
    const driver = this.#driver;
    const name = driver === null ? undefined : this.#names.get(driver);
    this.#ports.tell({ t: 'driver', ch: this.#ports.ch, driver, ...(name === undefined ? {} : { name }) });
  }

  #wrong(error: unknown): void {
    if (this.#isClosed) return;
    this.#ports.tell({ t: 'wrong', ch: this.#ports.ch, wrong: wrongOf(asReinsError(error)) });
  }
}

const wrongOf = ({ code, message, hint }: ReinsError): PageWrong => ({
  code,
  message,
  ...(hint ? { hint } : {}),
});
