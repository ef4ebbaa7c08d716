/**
 * A started process at its door, from its first byte to the end of everything it started. What the bytes mean is the
 * door's business, when it has to end somebody else's.
 */
import type { Exit } from '../../terminal/index.js';
import type { RunningAgent } from '../agent-process.js';
import type { DoorAtWork } from '../doors/door.js';

export class ProcessRun {
  readonly agent: RunningAgent;
  readonly door: DoorAtWork;
  #holds = 0;

  /** `heard` is called after the door: what it shows may be the echo of a key. */
  constructor(given: { agent: RunningAgent; door: DoorAtWork; heard?: ((chunk: Uint8Array) => void) | undefined }) {
    const { agent, door, heard } = given;
    this.agent = agent;
    this.door = door;
    agent.proc.onOutput((chunk, stream) => {
      door.feed(chunk, stream);
      heard?.(chunk);
      agent.glance();
    });
  }

  /** Several may hold its output at once; the agent goes on when the last lets go. */
  holdOutput(until: Promise<void>): void {
    this.#holds += 1;
    if (this.#holds === 1) this.agent.proc.hold();
    const letGo = () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.agent.proc.release();
    };
    void until.then(letGo, letGo);
  }

  /** Resolves when nothing of it runs; `gone` is called before its leftovers are ended. */
  async over(gone: () => void): Promise<Exit> {
    const exit = await this.agent.exited;
    gone();
    this.door.end();
    await this.agent.sweep();
    return exit;
  }
}
