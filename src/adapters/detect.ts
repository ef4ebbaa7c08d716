/**
 * Which agents are on this machine, and in which version: the only file of this room that touches the OS. All programs
 * found on PATH are asked for `--version` at the same time, each in a process group of its own; the answer is given as
 * soon as the highest priority is certain, and what still runs is killed with all it started.
 */
import { type Clock, ReinsError, systemClock } from '../contract/index.js';
import type { Adapter } from './adapter.js';
import { onPath } from './on-path.js';
import { type Probe, probeVersion } from './probe.js';
import { adapterNamed, adapters } from './registry.js';

export interface FoundAgent {
  adapter: string;
  path: string;
  /** The first line `--version` printed, bounded; empty if it was not asked or said nothing. */
  version: string;
}

export interface Missing {
  adapter: string;
  reason: string;
}

export interface DetectOptions {
  /** Adapter ids, best first; the seeds' order if absent. */
  order?: readonly string[];
  /** `adapters.<id>.enabled`; all if absent. */
  enabled?: (id: string) => boolean;
  env: Record<string, string | undefined>;
  /** Relative entries of PATH are looked up from here. */
  cwd?: string;
  /** Per program; if absent, an agent asked for by its name has more time than one that is looked for. */
  timeoutMs?: number;
  clock?: Clock;
  /** `cli.command`, for the custom adapter. */
  customCommand?: string;
}

/** Gemini needs 1.6 s on a quiet machine. */
const DEFAULT_TIMEOUT_MS = 5000;
/** There is no second choice for an agent that was named: on a busy machine it is waited for. */
const NAMED_TIMEOUT_MS = 30_000;

/** claude, kiro, gemini, codex, amp. */
export const defaultOrder: readonly string[] = adapters
  .filter((adapter) => adapter.priority !== undefined)
  .sort((a, b) => a.priority! - b.priority!)
  .map((adapter) => adapter.id);

export function isFound(one: FoundAgent | Missing): one is FoundAgent {
  return 'path' in one;
}

/** Asks each program at most once in its life; `close` ends whatever still runs. */
export class Detector {
  readonly #options: DetectOptions;
  readonly #asked = new Map<string, { answer: Promise<FoundAgent | Missing>; probe?: Probe }>();

  constructor(options: DetectOptions) {
    this.#options = options;
  }

  /** One agent, whatever its priority and whether it is enabled or not: the user named it. */
  one(id: string): Promise<FoundAgent | Missing> {
    return this.#once(id, NAMED_TIMEOUT_MS);
  }

  #once(id: string, patienceMs: number): Promise<FoundAgent | Missing> {
    const known = this.#asked.get(id);
    if (known) return known.answer;
    const asked = this.#ask(id, this.#options.timeoutMs ?? patienceMs);
    this.#asked.set(id, asked);
    return asked.answer;
  }

  /** The best agent there is, and what was looked at before it was found. */
  async first(): Promise<{ found?: FoundAgent; missing: Missing[] }> {
    const { order = defaultOrder, enabled = () => true } = this.#options;
    const wanted = order.filter((id) => enabled(id));
    const answers = wanted.map((id) => ({ id, answer: this.#once(id, DEFAULT_TIMEOUT_MS) }));
    const missing: Missing[] = order
      .filter((id) => !enabled(id))
      .map((id) => ({ adapter: id, reason: `switched off (adapters.${id}.enabled)` }));
    for (const { answer } of answers) {
      const one = await answer;
      if (isFound(one)) {
        this.close();
        return { found: one, missing };
      }
      missing.push(one);
    }
    return { missing };
  }

  /** Everything in the order, for `doctor`. */
  all(): Promise<(FoundAgent | Missing)[]> {
    return Promise.all((this.#options.order ?? defaultOrder).map((id) => this.#once(id, DEFAULT_TIMEOUT_MS)));
  }

  /** Ends what still runs, and forgets it: asked again, it is asked anew. */
  close(): void {
    for (const [id, { probe }] of this.#asked) {
      if (probe && !probe.settled()) {
        this.#asked.delete(id);
        probe.cancel();
      }
    }
  }

  #ask(id: string, timeoutMs: number): { answer: Promise<FoundAgent | Missing>; probe?: Probe } {
    const { env, cwd, clock = systemClock } = this.#options;
    const adapter = adapterNamed(id);
    const no = (reason: string) => ({ answer: Promise.resolve({ adapter: id, reason }) });
    if (!adapter) return no('Reins does not know it');
    const command = adapter.id === 'custom' ? this.#options.customCommand : adapter.command;
    if (!command) return no('the custom backend requires a command');
    const path = onPath(command, { env, ...(cwd === undefined ? {} : { cwd }) });
    if (path === undefined) return no(`${command} is not on PATH`);
    // Nobody knows what `--version` does to an unknown program, and our own needs no asking.
    if (adapter.priority === undefined) return { answer: Promise.resolve({ adapter: id, path, version: '' }) };
    const probe = probeVersion({ path, env, timeoutMs, clock });
    const answer = probe.answer.then((said) =>
      'version' in said
        ? { adapter: id, path, version: said.version }
        : { adapter: id, reason: `${path} --version ${said.failure}` },
    );
    return { answer, probe };
  }
}

/** The best agent there is; for more than one question use a `Detector`, which remembers. */
export async function detect(options: DetectOptions): Promise<{ found?: FoundAgent; missing: Missing[] }> {
  const detector = new Detector(options);
  try {
    return await detector.first();
  } finally {
    detector.close();
  }
}

/** One agent by its id. */
export function findOne(id: string, options: DetectOptions): Promise<FoundAgent | Missing> {
  return new Detector(options).one(id);
}

/** The error for an agent that was asked for by name. */
export function notFound({ adapter: id, reason }: Missing): ReinsError {
  const adapter: Pick<Adapter, 'label' | 'command' | 'install'> | undefined = adapterNamed(id);
  if (!adapter) {
    return new ReinsError('BACKEND_UNKNOWN', { backend: id, known: adapters.map((one) => one.id).join(', ') });
  }
  if (reason.endsWith('is not on PATH')) {
    const command = adapter.command || reason.replace(/ is not on PATH$/, '');
    return new ReinsError('AGENT_NOT_FOUND', { agent: adapter.label, command, install: adapter.install });
  }
  if (!adapter.command) return new ReinsError('CUSTOM_NEEDS_COMMAND');
  return new ReinsError('AGENT_UNSTARTABLE', { agent: adapter.label, reason, fix: `install it: ${adapter.install}` });
}

/** The error for `auto` when nothing was found: every agent that was looked at, with why and how to get it. */
export function noneFound(missing: readonly Missing[]): ReinsError {
  const install = missing.map(({ adapter: id }) => {
    const adapter = adapters.find((one) => one.id === id);
    return `${adapter?.label ?? id}: ${adapter?.install ?? ''}`;
  });
  return new ReinsError('AGENT_NONE_FOUND', {
    checked: missing.map(({ adapter, reason }) => `${adapter} (${reason})`).join(', '),
    install: `install one of them, or name yours with --backend:\n  ${install.join('\n  ')}`,
  });
}
