/** The terminal on stdout: its size and its kind. */
import type { Size } from '../contract/index.js';

/** What a terminal has that does not know its own size: CI's, `docker exec -t`. Everyone agrees on this. */
export const USUAL: Size = { cols: 80, rows: 24 };

/** Undefined where stdout is no terminal. One that says 0 rows or columns does not know; nobody has such a window. */
export function windowSize(): Size | undefined {
  if (!process.stdout.isTTY) return undefined;
  const [cols, rows] = process.stdout.getWindowSize();
  return { cols: cols > 0 ? cols : USUAL.cols, rows: rows > 0 ? rows : USUAL.rows };
}

/** Kinds that say nothing about what a terminal can do. */
const NO_KIND = new Set(['', 'unknown', 'network', 'dialup']);

/**
 * TERM of the terminal whose bytes the program will draw on, for its own. Absent where there is none. An agent is not told
 * `dumb`: it would draw nothing that can be read, and our own screen is no dumb one.
 */
export function ownTerm(env: NodeJS.ProcessEnv, whose: 'command' | 'agent' = 'command'): { term?: string } {
  const { TERM = '' } = env;
  const isKind = !NO_KIND.has(TERM) && /^[\w.+-]{1,64}$/.test(TERM) && (whose === 'command' || TERM !== 'dumb');
  return process.stdout.isTTY && isKind ? { term: TERM } : {};
}
