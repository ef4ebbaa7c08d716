/**
 * The config's words about the loop, in the loop's own words: for a session, and for checking or drawing a config
 * without one. The one place where the two meet; it knows the config's shape only as a type.
 */
import type { Config } from '../config/index.js';
import { wornAgent, wornName } from '../config/worn.js';
import { type HatSettings, type LoopSettings, loopSettings, type TopicSettings } from './settings.js';

/** Everything the config alone says; who works and on what is the session's. */
export function loopSettingsFrom(config: Config): LoopSettings {
  const { event_loop: loop, events, cli } = config;
  // A session of an earlier build has no such words in its spec.
  const core: Partial<Config['core']> = config.core ?? {};
  return loopSettings({
    prompt: '',
    backend: cli.backend,
    promise: loop.completion_promise,
    startingEvent: loop.starting_event,
    maxIterations: loop.max_iterations,
    maxRuntimeMs: loop.max_runtime_seconds * 1000,
    ...(loop.max_cost_usd === undefined ? {} : { maxCostUsd: loop.max_cost_usd }),
    maxConsecutiveFailures: loop.max_consecutive_failures,
    cooldownMs: loop.cooldown_seconds * 1000,
    stallIterations: loop.stall_iterations,
    // A session that an older build began has no word about it.
    maxOutageMs: (loop.max_outage_minutes ?? 120) * 60_000,
    gates: loop.gates.map((gate) => gate.name),
    hats: hatsOf(config),
    events: Object.fromEntries(Object.entries(events).map(([topic, told]) => [topic, topicOf(told)])),
    guardrails: core.guardrails ?? [],
    requiredEvents: loop.required_events ?? [],
    strictPromise: loop.strict_promise ?? false,
    ...(core.scratchpad === undefined ? {} : { scratchpad: core.scratchpad }),
    ...(core.specs_dir === undefined ? {} : { specsDir: core.specs_dir }),
  });
}

function topicOf({ description, on_trigger, on_publish }: Config['events'][string]): TopicSettings {
  return {
    ...(description ? { description } : {}),
    ...(on_trigger ? { onTrigger: on_trigger } : {}),
    ...(on_publish ? { onPublish: on_publish } : {}),
  };
}

function hatsOf(config: Config): HatSettings[] {
  return Object.entries(config.hats).map(([id, hat]) => {
    const { timeoutSecs } = wornAgent(config, id);
    const backend = wornName(config, id);
    return {
      id,
      triggers: hat.triggers,
      publishes: hat.publishes,
      ...(hat.name === undefined ? {} : { name: hat.name }),
      ...(hat.description === undefined ? {} : { description: hat.description }),
      ...(hat.instructions === undefined ? {} : { instructions: hat.instructions }),
      ...(backend === undefined ? {} : { backend }),
      ...(timeoutSecs === undefined ? {} : { timeoutMs: timeoutSecs * 1000 }),
      ...(hat.default_publishes === undefined ? {} : { defaultPublishes: hat.default_publishes }),
      ...(hat.max_activations === undefined ? {} : { maxActivations: hat.max_activations }),
    };
  });
}
