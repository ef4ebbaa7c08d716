/**
 * Gives the user's terminal back as it was. An agent that is killed, or a viewer that detaches, leaves modes behind:
 * mouse reports, keyboard modes, a hidden cursor, the alternate screen, a title. The sieve says here what it lets pass;
 * what must be counted (keyboard modes and titles are kept on stacks that may hold the user's own) is counted here.
 */
import type { LeftModes } from '../contract/index.js';
import { ALTERNATE, QUIET, undoOf } from './modes.js';

/** Terminals keep about ten titles. */
const MOST_TITLES = 8;
/** More colours than a palette has are put back all at once. */
const MOST_NAMES = 400;
const MOST_KEYBOARDS = 16;

export class Restore {
  #away = new Set<string>();
  /** Kitty keyboard modes on the stacks of the usual and of the alternate screen. */
  #keyboards: [number, number] = [0, 0];
  #titles = 0;
  #changes = 0;

  /** Grows whenever `left` changes. */
  get changes(): number {
    return this.#changes;
  }

  /** What was put on the terminal and must be taken off again. */
  get left(): Omit<LeftModes, 'held'> {
    return { away: [...this.#away], keyboards: [...this.#keyboards], titles: this.#titles };
  }

  /** Goes on from what another one has seen. */
  adopt({ away, keyboards, titles }: Omit<LeftModes, 'held'>): void {
    this.#away = new Set(away.filter((name) => name === ALTERNATE || undoOf(name) !== '').slice(0, MOST_NAMES));
    this.#keyboards = [count(keyboards[0], MOST_KEYBOARDS), count(keyboards[1], MOST_KEYBOARDS)];
    this.#titles = count(titles, MOST_TITLES);
  }

  /** One thing was switched away from, or back to, what a terminal begins with. */
  put(name: string, where: 'away' | 'home'): void {
    if (isBlind(name) || this.#away.has(name) === (where === 'away')) return;
    this.#changes += 1;
    if (where === 'home') this.#away.delete(name);
    else this.#away.add(this.#away.size < MOST_NAMES ? name : 'palette');
  }

  /** All of a kind are as a terminal begins with. */
  homeAll(beginning: string): void {
    for (const name of this.#away) if (name.startsWith(beginning)) this.put(name, 'home');
  }

  /** What to write so that the user's keyboard mode is safe below whatever is set now. */
  keyboardBase(): string {
    const screen = this.#screen;
    if (this.#keyboards[screen] > 0) return '';
    this.#keyboards[screen] = 1;
    this.#changes += 1;
    return '\x1b[>0u';
  }

  keyboardPushed(): boolean {
    if (this.#keyboards[this.#screen] >= MOST_KEYBOARDS) return false;
    this.#keyboards[this.#screen] += 1;
    this.#changes += 1;
    return true;
  }

  /** How many of so many may be taken off: never the user's. */
  keyboardPopped(wanted: number): number {
    const screen = this.#screen;
    const taken = Math.min(wanted, this.#keyboards[screen]);
    this.#keyboards[screen] -= taken;
    if (taken > 0) this.#changes += 1;
    return taken;
  }

  /** What to write before a title is set: the user's is kept below it. */
  titleBase(): string {
    return this.#titles === 0 && this.titlePushed() ? '\x1b[22;0t' : '';
  }

  titlePushed(): boolean {
    if (this.#titles >= MOST_TITLES) return false;
    this.#titles += 1;
    this.#changes += 1;
    return true;
  }

  titlePopped(): boolean {
    if (this.#titles === 0) return false;
    this.#titles -= 1;
    this.#changes += 1;
    return true;
  }

  /** What to write when leaving. */
  bytes(): string {
    const [usual, alternate] = this.#keyboards;
    const isAlternate = this.#away.has(ALTERNATE);
    const undo = [...this.#away].map(undoOf).join('');
    return [
      isAlternate ? `${pop(alternate)}\x1b[?1049l` : '',
      pop(usual),
      undo,
      '\x1b[23;0t'.repeat(this.#titles),
      QUIET,
    ].join('');
  }

  get #screen(): 0 | 1 {
    return this.#away.has(ALTERNATE) ? 1 : 0;
  }
}

/** Taken back in any case: nobody need be told each time a cursor is hidden. */
const isBlind = (name: string): boolean => name !== ALTERNATE && QUIET.includes(undoOf(name));

const pop = (keyboards: number): string => (keyboards > 0 ? `\x1b[<${keyboards}u` : '');

/** From another process: a number, and no more than we would have let pass. */
const count = (value: unknown, most: number): number =>
  typeof value === 'number' && value > 0 ? Math.min(most, Math.floor(value)) : 0;
