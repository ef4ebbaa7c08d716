/** A loop that has begun. */
import { Bench, settingsFor } from './loop.cases.js';
import type { LoopSettings } from './settings.js';

export function begun(given: Partial<LoopSettings> = {}): Bench {
  const bench = new Bench(settingsFor(given));
  bench.tell({ kind: 'started' });
  return bench;
}
