/**
 * What only the start of a host needed is given back, when the start is over: a session then waits for hours, and there are
 * many of them. V8 keeps what it compiled until several collections found it unused, and a process that rests has none.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Code that nothing runs just now goes with the next collection; wanted again, it is compiled again. */
const FLUSHING = ['stress-flush-code', 'flush-baseline-code'];

export function giveBack(): void {
  for (const flag of ['expose-gc', ...FLUSHING]) setFlagsFromString(`--${flag}`);
  try {
    // Only a context that is made now has it.
    const collect: unknown = runInNewContext('globalThis.gc');
    if (typeof collect === 'function') collect();
  } finally {
    for (const flag of ['expose-gc', ...FLUSHING]) setFlagsFromString(`--no-${flag}`);
  }
}
