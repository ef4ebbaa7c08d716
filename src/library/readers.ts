/**
 * What a session says, as streams: its entries, and the bytes of its terminal. Each reader has a link of its own; a slow
 * one is brought up to date from the journal, or by a redraw of the screen. Only the stream of a session that is tied to
 * this program holds the agent back instead, so that not a byte is lost.
 */
import { type AttachRequest, type Entry, ReinsError } from '../contract/index.js';
import type { HostClient, Incoming } from '../link/index.js';
import { type Given, Stream } from './stream.js';

export type Connect = (incoming: Incoming) => Promise<HostClient>;

/** What a session that is over left on record, after this entry. */
export type PastEntries = (since: number) => Iterable<Entry>;

export interface OutputPiece {
  bytes: Uint8Array;
  /** `redraw`: bytes that draw the screen as it is now, because this reader was too slow for what came before. */
  kind: 'output' | 'stderr' | 'redraw';
  /** Of the first byte, counted from the start of the session; not for a separate standard error. */
  offset?: number;
}

/** Entries, and bytes, that wait for a slow reader before the link is held. */
const MOST_ENTRIES = 256;
const MOST_BYTES = 256 * 1024;

type Wants = Pick<AttachRequest, 'bytes' | 'entries' | 'since'>;

/** Of a session that is over, and of a host that went away, the rest from its journal: who asks late misses nothing. */
export function readEntries(connect: Connect, past: PastEntries, since = 0): Given<Entry> {
  let last = since;
  let isOver = false;
  const noted = (entry: Entry): Entry => {
    last = entry.seq;
    if (entry.type === 'session.ended' || entry.type === 'session.started') isOver = entry.type === 'session.ended';
    return entry;
  };
  function* rest(): Generator<Entry> {
    for (const entry of past(last)) yield noted(entry);
  }
  return reader<Entry>(connect, {
    wants: { entries: true, bytes: false, since: { seq: since } },
    most: MOST_ENTRIES,
    incoming: (stream) => ({ entry: (entry) => stream.push(noted(entry)) }),
    record: { rest, isWhole: () => isOver },
  });
}

export function readOutput(connect: Connect, since = 0): Given<OutputPiece> {
  return reader(connect, {
    wants: { entries: false, bytes: true, since: { offset: since } },
    most: MOST_BYTES,
    incoming: pieces,
  });
}

const pieces = (stream: Stream<OutputPiece>): Incoming => ({
  output: (bytes, offset) => stream.push({ bytes, kind: 'output', offset }, bytes.length),
  snapshot: (bytes, offset) => stream.push({ bytes, kind: 'redraw', offset }, bytes.length),
  stderr: (bytes) => stream.push({ bytes, kind: 'stderr' }, bytes.length),
});

interface ReaderAsk<T> {
  wants: Wants;
  most: number;
  incoming(stream: Stream<T>): Incoming;
  /** Where nobody tells any more: what was not told yet, and whether that was all there will be. */
  record?: { rest(): Iterable<T>; isWhole(): boolean };
}

const GONE = new Set(['SESSION_ENDED', 'HOST_LOST']);

function reader<T>(connect: Connect, { wants, most, incoming, record }: ReaderAsk<T>): Given<T> {
  let client: HostClient | undefined;
  let isClosed = false;
  let caughtUp: Promise<void> | undefined;
  let goOn: () => void = () => undefined;
  const stream = new Stream<T>(
    {
      hold: () => {
        caughtUp = new Promise((resolve) => {
          goOn = resolve;
        });
        client?.hold();
      },
      release: () => {
        goOn();
        client?.release();
      },
      close: () => {
        isClosed = true;
        goOn();
        client?.close();
      },
    },
    most,
  );
  const finish = async (error: Error): Promise<void> => {
    if (!record || !(error instanceof ReinsError && GONE.has(error.code))) return stream.end(error);
    for (const item of record.rest()) {
      if (isClosed) return;
      stream.push(item);
      await caughtUp;
    }
    stream.end(record.isWhole() ? undefined : error);
  };
  let isOver = false;
  const over = (error: Error): void => {
    if (isOver) return; // what was asked of it fails as well when a link breaks
    isOver = true;
    finish(error).catch((unread: Error) => stream.end(unread));
  };
  const begin = async (): Promise<void> => {
    client = await connect({
      ...incoming(stream),
      end: () => stream.end(),
      closed: (reason) => over(new ReinsError('HOST_LOST', { reason })),
    });
    if (isClosed) {
      client.close(); // its reader left before it was there
      return;
    }
    await client.attach({ kind: 'api', role: 'watcher', visible: true, answers: 'no', ...wants });
    client.ready();
  };
  begin().catch(over);
  return stream;
}

/**
 * The link a session is tied to this program by. Its bytes are kept from the first on, so that who begins to read a little later,
 * or when it is over, has them too; but not for ever: once as much waits as a reader may be behind, it is hidden until
 * somebody reads. Who does not read slows nothing.
 */
export class TiedLink {
  #client!: HostClient;
  /** What is kept, or read; none after a reader has left. */
  #stream: Stream<OutputPiece> | undefined = this.#newStream();
  #isRead = false;
  #isShown = true;
  /** False from when it was hidden until it was brought up to date. */
  #isWhole = true;
  #hasEnded = false;

  static async open(connect: Connect, session: string): Promise<TiedLink> {
    const tied = new TiedLink();
    await tied.#open(connect, session);
    return tied;
  }

  async #open(connect: Connect, session: string): Promise<void> {
    const over = (error?: Error) => {
      this.#hasEnded = true;
      this.#stream?.end(error);
    };
    const given = (piece: OutputPiece) => {
      if (this.#isShown) this.#isWhole = true;
      this.#stream?.push(piece, piece.bytes.length);
    };
    this.#client = await connect({
      output: (bytes, offset) => given({ bytes, kind: 'output', offset }),
      snapshot: (bytes, offset) => given({ bytes, kind: 'redraw', offset }),
      stderr: (bytes) => given({ bytes, kind: 'stderr' }),
      // Hidden, it was not given all: who reads the first of it must not take that for the whole.
      end: () => over(this.#isWhole ? undefined : new ReinsError('SESSION_ENDED', { session })),
      closed: (reason) => over(new ReinsError('HOST_LOST', { reason })),
    });
    await this.#client.attach({
      kind: 'api',
      role: 'watcher',
      tie: true,
      visible: true,
      bytes: true,
      entries: false,
      answers: 'no',
      since: { offset: 0 },
    });
    this.#client.ready();
  }

  #newStream(): Stream<OutputPiece> {
    return new Stream<OutputPiece>(
      {
        hold: () => (this.#isRead ? this.#client.hold() : this.#show(false)),
        release: () => this.#client.release(),
        close: () => {
          if (this.#hasEnded) return; // what is kept is still read
          this.#client.release();
          this.#show(false);
          this.#stream = undefined;
          this.#isRead = false;
        },
      },
      MOST_BYTES,
    );
  }

  #show(isShown: boolean): void {
    if (this.#isShown === isShown || this.#hasEnded) return;
    this.#isShown = isShown;
    if (!isShown) this.#isWhole = false;
    this.#client.visible(isShown);
  }

  /** Everything from the start, for the first who reads; undefined while someone does, or when it was read to its end. */
  read(): Given<OutputPiece> | undefined {
    if (this.#isRead) return undefined;
    if (!this.#hasEnded) this.#stream ??= this.#newStream();
    if (!this.#stream) return undefined;
    this.#isRead = true;
    this.#show(true);
    return this.#stream;
  }

  /** `untie`: the session lives on without this program. */
  close(how: { untie: boolean }): void {
    this.#client.close(how.untie ? { untie: true } : {});
  }
}
