/**
 * Words of a turn while they are written, for whoever follows the session's entries: told whole each time, in steps, bounded, and
 * never put on record. The entry with all of it takes their place.
 */
import type { Clock, Entry } from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import type { Viewer } from './viewer.js';

/** Somebody reads along: more often is not seen. */
const STEP_MS = 100;
/** Of a longer one its end is shown. */
const MOST_CHARACTERS = 64 * 1024;
/** Who reads slowly gets the next one. */
const MOST_QUEUED = 256 * 1024;

export class PartialText {
  readonly #ports: { clock: Clock; viewers: Iterable<Viewer> };
  #text = '';
  #isTold = false;
  #cancel: (() => void) | undefined;

  constructor(ports: { clock: Clock; viewers: Iterable<Viewer>; journal: Pick<Journal, 'subscribe'> }) {
    this.#ports = ports;
    ports.journal.subscribe((entry) => {
      if (this.#text !== '' && isEnd(entry)) this.#clear();
    });
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-MOST_CHARACTERS);
    this.#cancel ??= this.#ports.clock.after(STEP_MS, () => {
      this.#cancel = undefined;
      this.#isTold = true;
      this.#tell();
    });
  }

  #clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#text = '';
    if (this.#isTold) this.#tell();
    this.#isTold = false;
  }

  #tell(): void {
    for (const viewer of this.#ports.viewers) viewer.tellPartial(this.#text, MOST_QUEUED);
  }
}

const isEnd = ({ type, data }: Entry): boolean =>
  (type === 'agent.text' && data.parent === undefined) || type === 'turn.ended' || type === 'agent.ended';
