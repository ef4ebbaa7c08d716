/**
 * What a session says, as streams: its entries, and the bytes of its terminal. Each reader has a link of its own; a slow
 * one is brought up to date from the journal, or by a redraw of the screen. Only the stream of a session that is tied to
 * this program holds the agent back instead, so that not a byte is lost.
 */
import { type AttachRequest, type Entry, ReinsError } from '../contract/index.js';
import type { HostClient, Incoming } from '../link/index.js';
import { type Given, Stream } from './stream.js';

export type Connect = (incoming: Incoming) => Promise<HostClient>;

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

export function readEntries(connect: Connect, since = 0): Given<Entry> {
  return reader<Entry>(connect, { entries: true, bytes: false, since: { seq: since } }, MOST_ENTRIES, (stream) => ({
    entry: (entry) => stream.push(entry),
  }));
}

export function readOutput(connect: Connect, since = 0): Given<OutputPiece> {
  return reader(connect, { entries: false, bytes: true, since: { offset: since } }, MOST_BYTES, pieces);
}

const pieces = (stream: Stream<OutputPiece>): Incoming => ({
  output: (bytes, offset) => stream.push({ bytes, kind: 'output', offset }, bytes.length),
  snapshot: (bytes, offset) => stream.push({ bytes, kind: 'redraw', offset }, bytes.length),
  stderr: (bytes) => stream.push({ bytes, kind: 'stderr' }, bytes.length),
});

function reader<T>(connect: Connect, wants: Wants, most: number, incoming: (stream: Stream<T>) => Incoming): Given<T> {
  let client: HostClient | undefined;
  let isClosed = false;
  const stream = new Stream<T>(
    {
      hold: () => client?.hold(),
      release: () => client?.release(),
      close: () => {
        isClosed = true;
        client?.close();
      },
    },
    most,
  );
  const begin = async (): Promise<void> => {
    client = await connect({
      ...incoming(stream),
      end: () => stream.end(),
      closed: (reason) => stream.end(new ReinsError('HOST_LOST', { reason })),
    });
    if (isClosed) {
      client.close(); // its reader left before it was there
      return;
    }
    await client.attach({ kind: 'api', role: 'watcher', visible: true, answers: 'no', ...wants });
    client.ready();
  };
  begin().catch((error: Error) => stream.end(error));
  return stream;
}

/**
 * The link a session is tied to this program by. It is hidden until its bytes are read for the first time: who does not
 * read them slows nothing.
 */
export class TiedLink {
  #client: HostClient | undefined;
  #stream: Stream<OutputPiece> | undefined;
  #hasEnded = false;

  static async open(connect: Connect): Promise<TiedLink> {
    const tied = new TiedLink();
    await tied.#open(connect);
    return tied;
  }

  async #open(connect: Connect): Promise<void> {
    const to = (stream: () => Stream<OutputPiece> | undefined): Incoming => ({
      output: (bytes, offset) => stream()?.push({ bytes, kind: 'output', offset }, bytes.length),
      snapshot: (bytes, offset) => stream()?.push({ bytes, kind: 'redraw', offset }, bytes.length),
      stderr: (bytes) => stream()?.push({ bytes, kind: 'stderr' }, bytes.length),
    });
    const over = (error?: Error) => {
      this.#hasEnded = true;
      this.#stream?.end(error);
    };
    this.#client = await connect({
      ...to(() => this.#stream),
      end: () => over(),
      closed: (reason) => over(new ReinsError('HOST_LOST', { reason })),
    });
    await this.#client.attach({
      kind: 'api',
      role: 'watcher',
      tie: true,
      visible: false,
      bytes: true,
      entries: false,
      answers: 'no',
      since: { offset: 0 },
    });
    this.#client.ready();
  }

  /** Everything from the start, for the first who reads; undefined while someone does, or when it is over. */
  read(): Given<OutputPiece> | undefined {
    const client = this.#client!;
    if (this.#stream || this.#hasEnded) return undefined;
    this.#stream = new Stream<OutputPiece>(
      {
        hold: () => client.hold(),
        release: () => client.release(),
        close: () => {
          client.release();
          client.visible(false);
          this.#stream = undefined;
        },
      },
      MOST_BYTES,
    );
    client.visible(true);
    return this.#stream;
  }

  /** `untie`: the session lives on without this program. */
  close(how: { untie: boolean }): void {
    this.#client?.close(how.untie ? { untie: true } : {});
  }
}
