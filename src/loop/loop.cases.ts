/** For the loop's tests: settings with no pauses, a journal in memory, and a way to feed facts and look at what came. */
import type { Entry } from '../contract/index.js';
import type { Effect, Fact, FactOf } from './facts.js';
import { fold } from './fold.js';
import { reduce } from './reduce.js';
import { type HatSettings, type LoopSettings, loopSettings } from './settings.js';
import { initialState, type LoopState } from './state.js';

export const T0 = 1_700_000_000_000;

export const settingsFor = (given: Partial<LoopSettings> = {}): LoopSettings =>
  loopSettings({ prompt: 'Do the work.', backend: 'practice', ...given });

export const hat = (id: string, given: Partial<HatSettings> = {}): HatSettings => ({
  id,
  triggers: [],
  publishes: [],
  ...given,
});

/** plan → build → review, and back to build when the review finds something. */
export const threeHats: HatSettings[] = [
  hat('planner', { triggers: ['task.start'], publishes: ['plan.ready'], instructions: 'Plan it.' }),
  hat('builder', { triggers: ['plan.ready', 'review.failed'], publishes: ['build.done'], backend: 'codex' }),
  hat('reviewer', { triggers: ['build.*'], publishes: ['review.failed'] }),
];

type Loose<F> = F extends Fact ? Omit<F, 'at'> & { at?: number } : never;
export type LooseFact = Loose<Fact>;

export class Bench {
  state: LoopState;
  journal: Entry[];
  at: number;
  readonly settings: LoopSettings;

  constructor(settings: LoopSettings, journal: Entry[] = []) {
    this.settings = settings;
    this.journal = journal;
    this.state = journal.length > 0 ? fold(journal, settings) : initialState(settings);
    this.at = journal.length > 0 ? Date.parse(journal.at(-1)!.ts) : T0;
  }

  write(type: string, data: unknown): void {
    const head = { v: 1, seq: this.journal.length + 1, ts: new Date(this.at).toISOString(), session: 'k7f2m9qd' };
    this.journal.push(JSON.parse(JSON.stringify({ ...head, type, data })) as Entry);
  }

  /** As the host does it: its own entry first, then what the loop says, then the end. */
  tell(loose: LooseFact): Effect[] {
    this.at = Math.max(this.at, loose.at ?? 0);
    const fact = { ...loose, at: this.at } as Fact;
    if (fact.kind === 'started' && !this.state.live)
      this.write('session.started', { continues: this.journal.length > 0 });
    if (fact.kind === 'iteration-ended' && this.#isNews(fact)) this.write('agent.ended', agentEnded(fact));
    const { state, entries, effects } = reduce(this.state, fact);
    this.state = state;
    for (const entry of entries) this.write(entry.type, entry.data);
    const end = effects.find((effect) => effect.do === 'finish');
    if (end)
      this.write('session.ended', { outcome: end.outcome, exit_code: end.exitCode, reason: end.reason, counts: {} });
    return effects;
  }

  /** The agent's process ended, in the iteration that runs. */
  ends(
    exit: 'ok' | 'failed' | 'timed-out' | 'stopped' = 'ok',
    more: Partial<FactOf<'iteration-ended'>> = {},
  ): Effect[] {
    return this.tell({ kind: 'iteration-ended', iteration: this.state.iteration, exit, ...more });
  }

  claims(): Effect[] {
    return this.ends('ok', { claim: { claimed: true, reason: 'claimed in the last line' } });
  }

  gates(...oks: boolean[]): Effect[] {
    const results = oks.map((ok, index) => ({
      gate: this.settings.gates[index] ?? 'other',
      ok,
      exitCode: ok ? 0 : 1,
      seconds: 1,
      ...(ok ? {} : { tail: 'it broke' }),
    }));
    return this.tell({ kind: 'gates-ran', iteration: this.state.iteration, results });
  }

  entries<T extends Entry['type']>(type: T): Extract<Entry, { type: T }>['data'][] {
    return this.journal.filter((entry) => entry.type === type).map((entry) => entry.data) as never;
  }

  /** Only a running agent has an end that the host would journal. */
  #isNews(fact: FactOf<'iteration-ended'>): boolean {
    const { phase, current, ended, live } = this.state;
    return live && !ended && (phase === 'working' || phase === 'stopping') && current?.iteration === fact.iteration;
  }
}

function agentEnded(fact: FactOf<'iteration-ended'>): unknown {
  const { costUsd, inputTokens, outputTokens } = fact;
  return {
    exit_code: 0,
    ok: fact.exit === 'ok',
    cost_usd: costUsd,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
  };
}

export function started(effects: Effect[]): Extract<Effect, { do: 'start' }> {
  const start = effects.find((effect) => effect.do === 'start');
  if (!start) throw new Error(`no start among ${JSON.stringify(effects)}`);
  return start;
}

export function finished(effects: Effect[]): Extract<Effect, { do: 'finish' }> {
  const end = effects.find((effect) => effect.do === 'finish');
  if (!end) throw new Error(`no finish among ${JSON.stringify(effects)}`);
  return end;
}
