/**
 * The bytes of one terminal on their way to one page. They flow only while the terminal is shown, and never further ahead of
 * what the page has drawn than a window: beyond it the host is told to stop, and the page gets the screen anew once it has
 * caught its breath. So a flood costs neither memory here nor time there.
 */
import type { HostClient } from '../link/index.js';

/** Bytes that a page was sent and has not said it drew. */
const WINDOW = 512 * 1024;

export interface TerminalFeedPorts {
  send(kind: 'output' | 'snapshot', bytes: Uint8Array, offset: number): void;
  /** The page takes nothing at the moment. */
  isCrowded(): boolean;
  wrong(error: unknown): void;
}

export class TerminalFeed {
  readonly #ports: TerminalFeedPorts;
  #client: HostClient | undefined;
  #hasScreen = false;
  #isShown = false;
  /** It was shown over this link before: the host goes on from there, unless it is asked for all of it. */
  #wasShown = false;
  /** What comes before the next redraw is of no use. */
  #waits = false;
  /** It has to be drawn anew, when there is room. */
  #isBehind = false;
  #undrawn = 0;
  #offset: number | undefined;

  constructor(ports: TerminalFeedPorts) {
    this.#ports = ports;
  }

  /** Another link, or none. What the page shows stays; it is drawn anew if it is shown. */
  link(client: HostClient | undefined, hasScreen = false): void {
    this.#client = client;
    this.#hasScreen = hasScreen;
    this.#wasShown = false;
    this.#waits = false;
    this.#isBehind = false;
    this.#undrawn = 0;
    if (client && this.#isShown) this.#begin();
  }

  show(since?: number): void {
    const knows = since !== undefined && since === this.#offset && !this.#isBehind;
    this.#isShown = true;
    this.#undrawn = 0;
    this.#isBehind = false;
    if (this.#client) this.#begin(knows);
  }

  hide(): void {
    this.#isShown = false;
    this.#client?.visible(false);
  }

  drawn(bytes: number): void {
    this.#undrawn = Math.max(0, this.#undrawn - bytes);
    this.breathe();
  }

  /** There may be room again. */
  breathe(): void {
    if (!this.#isBehind || !this.#isShown || this.#undrawn > WINDOW / 4 || this.#ports.isCrowded()) return;
    this.#isBehind = false;
    this.#begin();
  }

  output(bytes: Uint8Array, offset: number): void {
    // The very beginning needs no redraw before it.
    if (offset === 0) this.#waits = false;
    if (!this.#isShown || this.#waits) return;
    if (this.#undrawn + bytes.length > WINDOW || this.#ports.isCrowded()) this.#fallBehind();
    else this.#send('output', bytes, offset);
  }

  snapshot(bytes: Uint8Array, offset: number): void {
    if (!this.#isShown) return;
    this.#waits = false;
    if (this.#ports.isCrowded()) this.#fallBehind();
    else this.#send('snapshot', bytes, offset);
  }

  #send(kind: 'output' | 'snapshot', bytes: Uint8Array, offset: number): void {
    this.#undrawn += bytes.length;
    this.#offset = kind === 'output' ? offset + bytes.length : offset;
    this.#ports.send(kind, bytes, offset);
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#waits = true;
    this.#client?.visible(false);
  }

  #begin(knows = false): void {
    const client = this.#client!;
    const isAnew = this.#wasShown && !knows;
    // Over plain pipes there is no screen to be drawn: what is held comes as it was.
    this.#waits = isAnew && this.#hasScreen;
    this.#wasShown = true;
    client.visible(true);
    if (isAnew) client.command('redraw').catch(this.#ports.wrong);
  }
}
