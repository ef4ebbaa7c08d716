/**
 * Lends the person's terminal to the host while nothing of ours has to be drawn on it (link/lending.ts). We keep the raw
 * mode and the signals, and neither write nor read until it is ours again. Where it cannot be lent, nothing changes:
 * bytes and keys pass through us.
 */
import type { ReadStream } from 'node:tty';
import type { LeftModes } from '../contract/index.js';
import type { HostClient, LendingNews } from '../link/index.js';
import type { DetachKey } from '../vt/index.js';
import { terminalName } from './terminal-name.js';

export interface LenderPorts {
  client: HostClient;
  keys: ReadStream | undefined;
  detach: DetachKey;
  /** What the agent has left on the terminal so far, told and learnt. */
  left: { get(): LeftModes; set(left: LeftModes): void };
  /** Whether bytes are shown as they come, and nothing else is on the screen. */
  isPlain(): boolean;
  detached(): void;
}

export class Lender {
  readonly #ports: LenderPorts;
  #state: 'own' | 'offered' | 'lent' | 'asked-back' = 'own';
  #impossible = false;
  #then: (() => void)[] = [];

  constructor(ports: LenderPorts) {
    this.#ports = ports;
    // Keys of another terminal than the one we draw on, or of none: that is ours to bring together.
    this.#impossible = ports.keys !== process.stdin || !process.stdin.isTTY || !process.stdout.isTTY;
  }

  /** The host may have the terminal if it wants. May be called at any time. */
  offer(): void {
    if (this.#state !== 'own' || this.#impossible || !this.#ports.isPlain()) return;
    const terminal = terminalName(process.stdin.fd);
    const drawn = terminalName(process.stdout.fd);
    if (!terminal || terminal.ino !== drawn?.ino || terminal.dev !== drawn.dev) {
      this.#impossible = true;
      return;
    }
    this.#state = 'offered';
    const { client, detach, left } = this.#ports;
    client.lending({ t: 'lend', terminal, detach: detach.name, left: left.get() });
  }

  /** Draws when the terminal is ours: now, or when it has come back. */
  ours(draw: () => void): void {
    if (this.#state === 'own' || this.#state === 'offered') {
      draw();
      return;
    }
    this.#then.push(draw);
    if (this.#state !== 'lent') return;
    this.#state = 'asked-back';
    this.#ports.client.lending({ t: 'return' });
  }

  news(news: LendingNews): void {
    const { client, keys, left, detached } = this.#ports;
    if (news.t === 'left') left.set(news.left);
    else if (news.t === 'lend') {
      if (this.#state !== 'offered') return;
      this.#impossible = !news.ok;
      this.#state = news.ok ? 'lent' : 'own';
      if (!news.ok) return;
      keys?.pause();
      client.lending({ t: 'lent', left: left.get() });
    } else {
      // After `seize`, and before it wrote anything, we have drawn on it ourselves: what it knows is old.
      if (this.#state !== 'own' && news.begun !== false) left.set(news.left);
      this.#back();
      if (news.detach) detached();
      else this.offer();
    }
  }

  /** A host that does not answer cannot give it back: we take it. Should it come to, it is told. */
  seize(): void {
    if (this.#state === 'lent') this.#ports.client.lending({ t: 'return' });
    if (this.#state === 'lent' || this.#state === 'asked-back') this.#back();
  }

  /** The host is gone, and what it knew of the terminal with it. */
  lost(): void {
    if (this.#state === 'lent' || this.#state === 'asked-back') this.#back();
  }

  #back(): void {
    this.#state = 'own';
    this.#ports.keys?.resume();
    for (const draw of this.#then.splice(0)) draw();
  }
}
