/**
 * What the loop needs to know, in its own plain words; the host converts the config into it. Times are milliseconds,
 * an absent limit is no limit. The gates' commands stay with the host: the loop only knows their names.
 */
export interface HatSettings {
  id: string;
  name?: string;
  description?: string;
  /** Topics or globs (`build.*`) that put this hat on. */
  triggers: string[];
  /** Topics or globs this hat may publish; everything else it publishes is dropped with a notice. */
  publishes: string[];
  instructions?: string;
  backend?: string;
  maxActivations?: number;
}

export interface LoopSettings {
  /** The user's words. */
  prompt: string;
  /** One iteration and no more: its success is the session's, no promise needed. */
  once: boolean;
  /** The agent a hat without a backend of its own runs on. */
  backend: string;
  promise: string;
  startingEvent: string;
  maxIterations?: number;
  maxRuntimeMs?: number;
  maxCostUsd?: number;
  maxConsecutiveFailures?: number;
  cooldownMs: number;
  /** The first pause after a failure; it doubles with each further one. */
  backoffMs: number;
  /** So many iterations in a row without a changed tree or an accepted event end the loop; 0 is never. */
  stallIterations: number;
  gates: string[];
  /** In the order of the config: it decides between triggers that are equally specific. */
  hats: HatSettings[];
  events: Record<string, { description?: string }>;
}

/** The contract's defaults (section 6), and ours where it names none. */
const DEFAULTS: Omit<LoopSettings, 'prompt' | 'backend'> = {
  once: false,
  promise: 'LOOP_COMPLETE',
  startingEvent: 'task.start',
  maxIterations: 100,
  maxRuntimeMs: 14_400_000,
  maxConsecutiveFailures: 5,
  cooldownMs: 0,
  // One second: five failures in a row are reported within half a minute, an overloaded provider still gets a breath.
  backoffMs: 1000,
  // Five, as in the config: people were hurt by loops that called honest reading "stale" after two or three rounds.
  stallIterations: 5,
  gates: [],
  hats: [],
  events: {},
};

/** Settings with every gap filled from the defaults. */
export function loopSettings(given: Pick<LoopSettings, 'prompt' | 'backend'> & Partial<LoopSettings>): LoopSettings {
  const settings = { ...DEFAULTS, ...given };
  return { ...settings, promise: settings.promise.trim() };
}

export function findHat(settings: LoopSettings, id: string | undefined): HatSettings | undefined {
  return id === undefined ? undefined : settings.hats.find((hat) => hat.id === id);
}
