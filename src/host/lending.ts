/**
 * A link whose viewer may lend its terminal. While it does, output goes straight to that terminal and its keys come
 * straight from it, and the viewer's program has no part in either: half the way, and half the work. Everything else
 * stays on the link. Bytes meanwhile on their way between the two owners wait here, so that they keep their order.
 */
import type { Clock, Frame, LeftModes, Up } from '../contract/index.js';
import type { Link } from '../link/serve.js';
import { type DetachKey, detachKey, type Rights, redrawn, Sieve } from '../vt/index.js';
import { LentTerminal } from './lent-terminal.js';

type ByteFrame = Extract<Frame, { kind: 'output' | 'snapshot' }>;

export interface LendingPorts {
  clock: Clock;
  /** The bytes are good only during the call. */
  keys(bytes: Uint8Array): void;
  /** What the agent may do to this viewer's terminal, now. */
  rights(): Rights;
}

export class Lending implements Link {
  readonly #link: Link;
  readonly #ports: LendingPorts;
  /** `offered`: opened, but the viewer has not let go yet. */
  #state: 'own' | 'offered' | 'lent' | 'returning' = 'own';
  #terminal: LentTerminal | undefined;
  #detach: DetachKey | undefined;
  readonly #sieve: Sieve;
  #held: ByteFrame[] = [];
  #heldBytes = 0;
  #drains: (() => void)[] = [];
  #returned: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(link: Link, ports: LendingPorts) {
    this.#link = link;
    this.#ports = ports;
    this.#sieve = new Sieve(ports.rights);
    link.onDrain(() => this.#drained());
    link.onClose(() => {
      this.#terminal?.close();
      this.#held = [];
      this.#heldBytes = 0;
    });
  }

  send(frame: Frame): void {
    if (this.#state === 'own' || (frame.kind !== 'output' && frame.kind !== 'snapshot')) this.#link.send(frame);
    else if (this.#state === 'lent') this.#show(frame);
    else {
      this.#held.push(frame);
      this.#heldBytes += frame.bytes.length;
    }
  }

  get queued(): number {
    return this.#link.queued + this.#heldBytes + (this.#terminal?.queued ?? 0);
  }

  /** What the viewer says about its terminal. */
  told(json: Extract<Up, { t: 'lend' | 'lent' | 'return' }>): void {
    if (json.t === 'lend') this.#offered(json);
    else if (json.t === 'lent') this.#begin(json.left);
    else void this.giveBack({ detach: false });
  }

  /** Resolves when the terminal is the viewer's again, with everything on it that was sent before. */
  giveBack(how: { detach: boolean } = { detach: false }): Promise<void> {
    if (this.#state === 'offered') this.#giveBack({ ...how, begun: false });
    else if (this.#state === 'lent') {
      this.#state = 'returning';
      this.#returned = this.#terminal!.finish().then(() => this.#giveBack(how));
    }
    return this.#returned;
  }

  onFrame(call: (frame: Frame) => void): void {
    this.#link.onFrame(call);
  }

  onClose(call: (reason: string) => void): void {
    this.#link.onClose(call);
  }

  onDrain(call: () => void): void {
    this.#drains.push(call);
  }

  hold(): void {
    this.#link.hold();
  }

  release(): void {
    this.#link.release();
  }

  close(reason?: string): void {
    this.#isClosed = true;
    this.#terminal?.close();
    this.#link.close(reason);
  }

  #offered({ terminal, detach, left }: Extract<Up, { t: 'lend' }>): void {
    if (this.#state !== 'own' || this.#isClosed) return;
    try {
      this.#detach = detachKey(detach, this.#ports.clock);
      this.#terminal = new LentTerminal(terminal, this.#ports.clock);
    } catch {
      // In a container, another user's, no such device: the viewer goes on by itself, only slower.
      this.#link.send({ kind: 'json', json: { t: 'lend', ok: false } });
      return;
    }
    this.#sieve.adopt(left);
    this.#state = 'offered';
    this.#link.send({ kind: 'json', json: { t: 'lend', ok: true } });
  }

  #begin(left: LeftModes | undefined): void {
    if (this.#state !== 'offered') return;
    this.#state = 'lent';
    // What we had sent before the offer came was shown by the viewer: it alone knows what that left behind.
    if (left) this.#sieve.adopt(left);
    this.#terminal!.onDrain(() => this.#drained());
    this.#terminal!.onKeys((bytes) => this.#keys(bytes));
    for (const frame of this.#takeHeld()) this.#show(frame);
  }

  #giveBack({ detach, begun = true }: { detach: boolean; begun?: boolean }): void {
    this.#terminal?.close();
    this.#terminal = undefined;
    this.#state = 'own';
    this.#link.send({ kind: 'json', json: { t: 'returned', left: this.#sieve.left, detach, begun } });
    for (const frame of this.#takeHeld()) this.#link.send(frame);
    this.#drained();
  }

  #keys(bytes: Uint8Array): void {
    if (this.#state !== 'lent') return;
    const { pass, detach } = this.#detach!.scan(bytes);
    if (pass.length > 0) this.#ports.keys(pass);
    if (detach) void this.giveBack({ detach: true });
  }

  #show(frame: ByteFrame): void {
    const { changes } = this.#sieve;
    const passed = this.#sieve.pass(frame.kind === 'snapshot' ? redrawn(frame.bytes) : frame.bytes);
    // Told first: should we die in between, the viewer takes back what was never there, which harms nobody.
    if (this.#sieve.changes !== changes) {
      this.#link.send({ kind: 'json', json: { t: 'left', left: this.#sieve.left } });
    }
    if (passed.length > 0) this.#terminal!.write(passed);
  }

  #takeHeld(): ByteFrame[] {
    this.#heldBytes = 0;
    return this.#held.splice(0);
  }

  #drained(): void {
    if (this.queued === 0) for (const call of this.#drains) call();
  }
}
