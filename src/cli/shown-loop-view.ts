/**
 * `reins run --tui`: the loop, shown as the agent's live terminal with a status line below it. The agent's terminal is
 * one row shorter than ours; its rows are drawn from the host's screen, so that nothing it prints can touch the status
 * line. Keys go to the agent; inquiries are answered in its own dialogs or from anywhere else.
 */
import type { Entry, Screen, Size } from '../contract/index.js';
import type { HostClient, Incoming, Place } from '../link/index.js';
import { connectTo } from '../sessions/start.js';
import { type DetachKey, QUIET } from '../vt/index.js';
import type { Context } from './context.js';
import { hostLost } from './host-lost.js';
import { duration, harmless } from './table.js';
import { keySource } from './view-client.js';
import { USUAL, windowSize } from './window.js';

/** Frames closer together than this are one to the eye. */
const FRAME_MS = 33;

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

export async function shownLoop(context: Context, options: { place: Place; detach: DetachKey }): Promise<number> {
  return new ShownLoop(context, options).run();
}

/** Our own size with the status line taken off. */
export function agentSize(own: Size): Size {
  return { cols: own.cols, rows: Math.max(2, own.rows - 1) };
}

class ShownLoop {
  readonly #context: Context;
  readonly #options: { place: Place; detach: DetachKey };
  #client: HostClient | undefined;
  #finish: (code: number) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #drawing = false;
  #dirty = false;
  #status = { iteration: '', hat: '', state: 'starting', costUsd: 0, since: Date.now() };
  readonly #keys = keySource();

  constructor(context: Context, options: { place: Place; detach: DetachKey }) {
    this.#context = context;
    this.#options = options;
  }

  async run(): Promise<number> {
    const done = new Promise<number>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    const undo = Object.entries(SIGNALS).map(([signal, code]) => {
      const how = signal === 'SIGQUIT' ? 'kill' : 'stop';
      const take = () =>
        void this.#client?.insist('stop', { how, why: signal, signal }).catch(() => this.#finish(code));
      process.on(signal, take);
      return () => process.off(signal, take);
    });
    const clock = setInterval(() => this.#draw(), 1000);
    try {
      this.#client = await connectTo(this.#context, this.#options.place, this.#incoming());
      await this.#client.attach({
        kind: 'run',
        role: 'driver',
        take: true,
        tie: true,
        visible: true,
        bytes: true,
        entries: true,
        answers: 'screen',
        size: agentSize(ownSize()),
        since: { seq: 0 },
      });
      this.#listen();
      this.#context.channels.out('\x1b[?1049h\x1b[2J');
      this.#client.ready();
      return await done;
    } finally {
      clearInterval(clock);
      for (const one of undo) one();
      process.stdout.off('resize', this.#resized);
      if (this.#keys?.isTTY) this.#keys.setRawMode(false);
      this.#keys?.destroy();
      this.#context.channels.out(`\x1b[?1049l${QUIET}`);
      if (this.#summary) this.#context.channels.chrome(harmless(this.#summary));
      this.#client?.close();
    }
  }

  #summary = '';

  #incoming(): Incoming {
    return {
      output: () => this.#draw(),
      snapshot: () => this.#draw(),
      entry: (entry) => this.#entry(entry),
      end: (exit) => this.#finish(exit ?? 0),
      closed: (reason) =>
        void hostLost(this.#context, { session: this.#options.place.id, reason, tie: true }).then(this.#fail),
    };
  }

  #entry(entry: Entry): void {
    if (entry.type === 'iteration.started') {
      const { iteration, max, hat } = entry.data;
      this.#status.iteration = `${iteration}${max ? `/${max}` : ''}`;
      this.#status.hat = hat ?? '';
      this.#status.since = Date.parse(entry.ts);
    } else if (entry.type === 'state.changed') this.#status.state = entry.data.state;
    else if (entry.type === 'iteration.ended') this.#status.costUsd += entry.data.cost_usd ?? 0;
    else if (entry.type === 'session.ended') this.#summary = `${entry.data.outcome}: ${entry.data.reason}`;
    this.#draw();
  }

  #draw(): void {
    this.#dirty = true;
    if (this.#drawing) return;
    this.#drawing = true;
    setTimeout(() => void this.#frame(), FRAME_MS);
  }

  async #frame(): Promise<void> {
    this.#dirty = false;
    try {
      const drawn = await this.#client?.command('screen', { ansi: true });
      if (drawn) this.#paint(drawn);
    } catch {
      // Between two iterations there may be no terminal; the next output draws again.
    }
    this.#drawing = false;
    if (this.#dirty) this.#draw();
  }

  #paint({ lines: plain, ansi = plain.join('\n'), cursor, cols, rows }: Screen): void {
    const lines = ansi.split('\n').slice(0, rows);
    const body = lines.map((line, row) => `\x1b[${row + 1};1H\x1b[0m${line}\x1b[0m\x1b[K`).join('');
    const { iteration, hat, state, costUsd, since } = this.#status;
    const parts = [
      'reins',
      iteration && `iteration ${iteration}`,
      hat,
      state,
      duration((Date.now() - since) / 1000),
      costUsd > 0 && `$${costUsd.toFixed(2)}`,
      `${this.#options.detach.label} detaches`,
    ];
    const text = harmless(` ${parts.filter(Boolean).join(' · ')}`)
      .slice(0, cols)
      .padEnd(cols);
    const bar = `\x1b[${rows + 1};1H\x1b[7m${text}\x1b[0m`;
    const place = `\x1b[${cursor.y + 1};${cursor.x + 1}H${cursor.visible ? '\x1b[?25h' : '\x1b[?25l'}`;
    this.#context.channels.out(`\x1b[?2026h\x1b[?25l${body}${bar}${place}\x1b[?2026l`);
  }

  #listen(): void {
    const keys = this.#keys;
    if (!keys) return;
    if (keys.isTTY) keys.setRawMode(true);
    keys.on('data', (bytes: Buffer) => {
      const { pass, detach } = this.#options.detach.scan(bytes);
      if (pass.length > 0) this.#client?.input(pass);
      if (!detach) return;
      this.#client?.close({ untie: true });
      this.#summary = `detached from ${this.#options.place.id}; it goes on`;
      this.#finish(0);
    });
    keys.on('error', () => undefined); // the terminal went away: SIGHUP tells the same
    keys.resume();
    process.stdout.on('resize', this.#resized);
  }

  readonly #resized = (): void => {
    this.#client?.command('resize', { ...agentSize(ownSize()) }).catch(() => undefined); // it ended meanwhile
    this.#context.channels.out('\x1b[2J');
    this.#draw();
  };
}

const ownSize = (): Size => windowSize() ?? USUAL;
