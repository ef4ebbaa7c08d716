/** The hats of a config as the loop room sees them, without a session: enough to check and to draw them. */
import type { Config } from '../config/index.js';
import { type LoopSettings, loopSettings } from '../loop/index.js';

export function hatSettings(config: Config): LoopSettings {
  const { event_loop: loop, hats, events, cli } = config;
  return loopSettings({
    prompt: '',
    backend: cli.backend,
    promise: loop.completion_promise,
    startingEvent: loop.starting_event,
    gates: loop.gates.map((gate) => gate.name),
    hats: Object.entries(hats).map(([id, { max_activations: most, ...hat }]) => ({
      id,
      ...hat,
      ...(most === undefined ? {} : { maxActivations: most }),
    })),
    events,
  });
}
