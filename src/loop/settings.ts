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
  /** Published for this hat when it published nothing in an iteration that succeeded. */
  defaultPublishes?: string;
  /** How long one iteration with this hat may take; the agent's own limit where it is absent. */
  timeoutMs?: number;
}

/** What the config tells of a topic; the agent is told it where the topic matters. */
export interface TopicSettings {
  description?: string;
  /** For the hat that the topic puts on. */
  onTrigger?: string;
  /** For the hat that may publish it. */
  onPublish?: string;
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
  events: Record<string, TopicSettings>;
  /** Rules of the user's that stand in every prompt. */
  guardrails: string[];
  /** Completion counts only after each of these topics was seen. */
  requiredEvents: string[];
  /** Files of the user's that the prompt names: where notes are kept, and where specs are. */
  scratchpad?: string;
  specsDir?: string;
  /** Only the promise itself on the last line counts, nothing around it but bold or backticks. */
  strictPromise: boolean;
  /** So long an outage of the model or the network is waited out. */
  maxOutageMs: number;
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
  guardrails: [],
  requiredEvents: [],
  strictPromise: false,
  maxOutageMs: 7_200_000,
};

/** Settings with every gap filled from the defaults. */
export function loopSettings(given: Pick<LoopSettings, 'prompt' | 'backend'> & Partial<LoopSettings>): LoopSettings {
  const settings = { ...DEFAULTS, ...given };
  return { ...settings, promise: settings.promise.trim() };
}

export function findHat(settings: LoopSettings, id: string | undefined): HatSettings | undefined {
  return id === undefined ? undefined : settings.hats.find((hat) => hat.id === id);
}

/** How the end of the agent's text is judged. */
export const promiseRule = ({ promise, strictPromise }: LoopSettings): { promise: string; strict: boolean } => ({
  promise,
  strict: strictPromise,
});
