/**
 * One session as the page follows it: its entries in order without a gap or a double, also over a lost connection (resumed by
 * `seq`), the text that is being written, the queue, who drives, and the bytes of its terminal while that is shown.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { May, PageDown, PageWrong, QueuedMessage } from '../../contract/page.js';
import { packBytes } from '../../contract/page.js';
import type { Entry } from '../../contract/schemas/entry.js';
import { ask } from './api.js';
import { addChannel, dropChannel, say, sayBytes } from './socket.js';
import { catching, device, rows, type SessionRow } from './store.js';

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** Who draws the terminal. */
export interface TerminalSink {
  /** Bytes that redraw the screen as it is: what was drawn before is void. */
  snapshot(bytes: Uint8Array): void;
  output(bytes: Uint8Array): void;
}

export interface Followed {
  session: string;
  row: ReadonlySignal<SessionRow | undefined>;
  entries: ReadonlySignal<readonly Entry[]>;
  /** There are older ones. */
  more: ReadonlySignal<boolean>;
  older(): Promise<void>;
  live: ReadonlySignal<boolean>;
  /** How many entries are still to come before it is live. */
  behind: ReadonlySignal<number>;
  partial: ReadonlySignal<string>;
  queue: Signal<readonly QueuedMessage[]>;
  driver: ReadonlySignal<string | null>;
  driverName: ReadonlySignal<string | undefined>;
  you: ReadonlySignal<string | undefined>;
  size: ReadonlySignal<TerminalSize | null>;
  may: ReadonlySignal<May>;
  paused: ReadonlySignal<boolean>;
  wrong: ReadonlySignal<PageWrong | undefined>;
  terminal: {
    show(sink: TerminalSink): void;
    hide(): void;
    keys(bytes: Uint8Array): void;
    take(): void;
    fit(size: TerminalSize): void;
    drawn(bytes: number): void;
  };
  close(): void;
}

/** Entries held at most: whoever reads further back asks again. */
const MOST_ENTRIES = 6000;
const KEPT_ENTRIES = 4000;
const OLDER_PAGE = 200;

export function follow(session: string): Followed {
  const entries = signal<readonly Entry[]>([]);
  const more = signal(false);
  const live = signal(false);
  const behind = signal(0);
  const partial = signal('');
  const queue = signal<readonly QueuedMessage[]>([]);
  const driver = signal<string | null>(null);
  const driverName = signal<string | undefined>(undefined);
  const you = signal<string | undefined>(undefined);
  const size = signal<TerminalSize | null>(null);
  const toldMay = signal<May | undefined>(undefined);
  // Until the hub has said what may be done here (a silent host is never opened): what the device may, known now or in a moment.
  const may = computed<May>(() => toldMay.value ?? device.value?.right ?? 'none');
  const paused = signal(false);
  const wrong = signal<PageWrong | undefined>(undefined);
  /** For one that is not in the picture: ended long ago. */
  const toldRow = signal<SessionRow | undefined>(undefined);
  let target = 0;
  let sink: TerminalSink | undefined;
  /** The next byte of output that this page has not seen; undefined before a snapshot. */
  let offset: number | undefined;
  let fetching: Promise<void> | undefined;
  let closed = false;

  const last = (): number => entries.peek().at(-1)?.seq ?? 0;
  const showTerminal = (): void => {
    if (sink === undefined) return;
    say({ t: 'terminal', ch, shown: true, ...(offset === undefined ? {} : { since: offset }) });
  };
  const opened = (): void => {
    const since = last();
    say({ t: 'open', ch, session, ...(since > 0 ? { since } : {}) });
    showTerminal();
  };

  function added(fresh: readonly Entry[], older: boolean | undefined): void {
    const have = last();
    const after = fresh.filter(({ seq }) => seq > have);
    if (have === 0) more.value = older ?? (fresh[0]?.seq ?? 1) > 1;
    if (after.length === 0) return;
    if (have > 0 && after[0]!.seq > have + 1) {
      // What lies between was never sent: begin again at the end rather than show a journal with a hole.
      entries.value = [];
      say({ t: 'close', ch });
      opened();
      return;
    }
    let all = have === 0 ? after : [...entries.peek(), ...after];
    if (all.length > MOST_ENTRIES) {
      all = all.slice(-KEPT_ENTRIES);
      more.value = true;
    }
    entries.value = all;
    if (live.peek()) return;
    behind.value = Math.max(0, target - last());
    catching.value = have === 0 ? 0 : behind.peek();
  }

  function heard(message: PageDown): void {
    switch (message.t) {
      case 'opened':
        target = message.seq;
        toldRow.value = message.row;
        driver.value = message.driver;
        you.value = message.you;
        size.value = message.size;
        toldMay.value = message.may;
        queue.value = message.queue;
        wrong.value = undefined;
        behind.value = last() === 0 ? 0 : Math.max(0, message.seq - last());
        catching.value = behind.peek();
        break;
      case 'entries':
        added(message.entries, message.more);
        break;
      case 'live':
        live.value = true;
        behind.value = 0;
        catching.value = 0;
        break;
      case 'partial':
        partial.value = message.text;
        break;
      case 'queue':
        queue.value = message.queue;
        break;
      case 'driver':
        driver.value = message.driver;
        driverName.value = message.name;
        break;
      case 'size':
        size.value = message.size;
        break;
      case 'paused':
        paused.value = message.paused;
        break;
      case 'closed':
        live.value = message.why === null;
        wrong.value = message.why ?? undefined;
        partial.value = '';
        break;
      case 'wrong':
        wrong.value = message.wrong;
        break;
      default:
    }
  }

  function drew(kind: 'output' | 'snapshot', bytes: Uint8Array, at: number): void {
    if (kind === 'snapshot') {
      offset = at;
      sink?.snapshot(bytes);
      return;
    }
    const seen = Math.max(0, (offset ?? at) - at);
    offset = at + Math.max(bytes.length, seen);
    if (seen < bytes.length) sink?.output(bytes.subarray(seen));
  }

  async function fetchOlder(): Promise<void> {
    const first = entries.peek()[0]?.seq;
    if (first === undefined || first <= 1) {
      more.value = false;
      return;
    }
    const page = await ask('entries', { id: session, args: { before: first, limit: OLDER_PAGE } });
    if (closed || entries.peek()[0]?.seq !== first) return;
    batch(() => {
      entries.value = [...page.entries.filter(({ seq }) => seq < first), ...entries.peek()];
      more.value = page.more;
    });
  }

  const ch = addChannel({
    opened: () => queueMicrotask(() => !closed && opened()),
    heard: (message) => batch(() => heard(message)),
    bytes: drew,
    lost: () => {
      catching.value = 0;
      live.value = false;
      partial.value = '';
    },
  });

  return {
    session,
    row: computed(() => rows.value.get(session) ?? toldRow.value),
    entries,
    more,
    older() {
      fetching ??= fetchOlder().finally(() => {
        fetching = undefined;
      });
      return fetching;
    },
    live,
    behind,
    partial,
    queue,
    driver,
    driverName,
    you,
    size,
    may,
    paused,
    wrong,
    terminal: {
      show(to) {
        sink = to;
        offset = undefined;
        showTerminal();
      },
      hide() {
        sink = undefined;
        say({ t: 'terminal', ch, shown: false });
      },
      keys: (bytes) => void sayBytes(packBytes('keys', ch, bytes)),
      take: () => void say({ t: 'take', ch }),
      fit: (wanted) => void say({ t: 'fit', ch, size: wanted }),
      drawn: (bytes) => void say({ t: 'drawn', ch, bytes }),
    },
    close() {
      if (closed) return;
      closed = true;
      catching.value = 0;
      dropChannel(ch);
    },
  };
}
