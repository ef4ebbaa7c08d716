/**
 * Whether a host answers: one that was stopped, or is stuck, takes connections and commands and says nothing. Asked now and
 * then while somebody wants to know; whatever it says counts.
 */

const ASK_EVERY_MS = 1000;
/** A host that is merely busy answers sooner. */
export const SILENT_MS = 3000;

export interface PulsePorts {
  /** Whether its words could not reach us anyway. */
  isDeaf(): boolean;
  ask(): void;
}

export class Pulse {
  readonly #ports: PulsePorts;
  readonly #calls = new Set<(answers: boolean) => void>();
  #timer: NodeJS.Timeout | undefined;
  #askedAt: number | undefined;
  #isSilent = false;

  constructor(ports: PulsePorts) {
    this.#ports = ports;
  }

  listen(call: (answers: boolean) => void): () => void {
    this.#calls.add(call);
    this.#timer ??= setInterval(() => this.#look(), ASK_EVERY_MS);
    this.#look();
    if (this.#isSilent) call(false);
    return () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.close();
    };
  }

  /** It said something. */
  heard(): void {
    this.#askedAt = undefined;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    for (const call of this.#calls) call(true);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = Date.now();
    if (this.#ports.isDeaf()) this.#askedAt = undefined;
    else if (this.#askedAt === undefined) {
      this.#askedAt = now;
      this.#ports.ask();
    } else if (!this.#isSilent && now - this.#askedAt >= SILENT_MS) {
      this.#isSilent = true;
      for (const call of this.#calls) call(false);
    }
  }
}
