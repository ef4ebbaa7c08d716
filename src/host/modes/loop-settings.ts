/** The config's words about the loop, as the loop room wants them. */
import { readFileSync } from 'node:fs';
import { type LoopSettings, loopSettings } from '../../loop/index.js';
import type { SessionSpec } from '../spec.js';

export function loopSettingsOf(spec: SessionSpec): LoopSettings {
  const { event_loop: loop, hats, events } = spec.config;
  return loopSettings({
    prompt: spec.prompt_file ? readFileSync(spec.prompt_file, 'utf8') : '',
    backend: spec.agent!.adapter,
    once: spec.once,
    promise: loop.completion_promise,
    startingEvent: loop.starting_event,
    maxIterations: loop.max_iterations,
    maxRuntimeMs: loop.max_runtime_seconds * 1000,
    ...(loop.max_cost_usd === undefined ? {} : { maxCostUsd: loop.max_cost_usd }),
    maxConsecutiveFailures: loop.max_consecutive_failures,
    cooldownMs: loop.cooldown_seconds * 1000,
    stallIterations: loop.stall_iterations,
    gates: loop.gates.map((gate) => gate.name),
    hats: Object.entries(hats).map(([id, hat]) => ({
      id,
      triggers: hat.triggers,
      publishes: hat.publishes,
      ...(hat.name === undefined ? {} : { name: hat.name }),
      ...(hat.description === undefined ? {} : { description: hat.description }),
      ...(hat.instructions === undefined ? {} : { instructions: hat.instructions }),
      ...(hat.backend === undefined ? {} : { backend: hat.backend }),
      ...(hat.max_activations === undefined ? {} : { maxActivations: hat.max_activations }),
    })),
    events: Object.fromEntries(
      Object.entries(events).map(([topic, event]) => [
        topic,
        event.description === undefined ? {} : { description: event.description },
      ]),
    ),
  });
}
