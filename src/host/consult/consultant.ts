/**
 * Asks another agent for an answer. What it may cost and how often is looked at first, then memory; only then is a pack
 * made and an agent started, privately (`private-run.ts`). Both ends are on record, also of one that was called off or
 * came too late; whoever waits is let go at once, while the agent's whole tree is being ended.
 */
import { join } from 'node:path';
import type { ConsultPlan } from '../../adapters/index.js';
import { makePack, type Pack, type PackFacts, readAnswer } from '../../consult/index.js';
import type { By, Entry, Inquiry } from '../../contract/index.js';
import { forget, stateDir } from '../../disk/index.js';
import type { Journal } from '../../journal/journal.js';
import type { Consulted, ConsultHow } from '../desk-ports.js';
import { ConsultBounds, type ConsultEnd } from './bounds.js';
import { DayCosts } from './day-costs.js';
import { type GatherPorts, gather } from './gather.js';
import { foldersIn, makeFolders, type PrivateEnd, type PrivatePorts, runPrivately } from './private-run.js';
import { ConsultTurns } from './turns.js';
import { type Consulting, consultedId, consultPlan, whoIsConsulted, whyNobody } from './who.js';

export { loadWho } from './who.js';

/** No agent starts and answers in less. */
const LEAST_MS = 2_000;
/** Agents that a session has at work on its questions. */
const MOST_AT_ONCE = 2;
const UNWANTED = 'it is no longer wanted';

export interface ConsultantPorts extends PrivatePorts, Pick<GatherPorts, 'secrets'> {
  journal: Pick<Journal, 'append' | 'page'>;
  /** What the journal held when the session was continued. */
  before: Iterable<Entry>;
  /** What an answer could rest on; gathered from the session, unless a test says it. */
  facts?(inquiry: Inquiry, how: Pick<ConsultHow, 'for'>): Promise<PackFacts>;
  /** An answer that was given before, or why there is to be none. */
  recall?(inquiry: Inquiry): Promise<Consulted | undefined>;
}

interface ConsultCase {
  inquiry: Inquiry;
  how: ConsultHow;
  pack: Pack;
  id: string;
  until: number;
  /** From when it was let in. */
  forMs: number;
}

/** Whether somebody still waits. */
interface Calling {
  signal: AbortSignal;
  gaveUp?: { how: 'late' | 'cancelled'; reason: string };
}

export class Consultant {
  readonly #ports: ConsultantPorts;
  readonly #bounds: ConsultBounds;
  readonly #days: DayCosts;
  readonly #turns: ConsultTurns;
  readonly #running = new Set<Promise<unknown>>();
  readonly #end = new AbortController();
  #who: Promise<Consulting | string> | undefined;
  #isLimitTold = false;
  /** What was proposed for an open inquiry, and by what material: asked for an answer, nobody reads the same again. */
  readonly #proposed = new Map<string, { digest: string; said: Consulted }>();

  constructor(ports: ConsultantPorts) {
    this.#ports = ports;
    this.#bounds = new ConsultBounds(ports.spec.config.consult, ports.before);
    this.#days = new DayCosts({ stateDir: stateDir(ports.env), clock: ports.clock });
    this.#turns = new ConsultTurns(MOST_AT_ONCE, ports.clock);
    // Of a life that was killed.
    forget(join(ports.dir, 'consult'));
  }

  /** Contract: as `DeskPorts.consult`. */
  async consult(inquiry: Inquiry, how: ConsultHow): Promise<Consulted> {
    try {
      return await this.#consult(inquiry, how);
    } catch (error) {
      this.#ports.log.log('error', 'consulting failed', { error });
      return { none: `Reins could not consult anybody: ${(error as Error).message}` };
    }
  }

  /** Nothing is asked any more; resolves when nothing of it runs. */
  async close(): Promise<void> {
    this.#end.abort('the session ended');
    await Promise.allSettled(this.#running);
  }

  async #consult(inquiry: Inquiry, how: ConsultHow): Promise<Consulted> {
    const remembered = await this.#ports.recall?.(inquiry);
    if (remembered) return remembered;
    const proposed = await this.#alreadySaid(inquiry, how);
    if (proposed) return proposed;
    const called = AbortSignal.any([how.signal, this.#end.signal]);
    const leave = await this.#turns.take(this.#until(how) - LEAST_MS, called);
    if (!leave) return { none: called.aborted ? UNWANTED : 'others were being consulted all the time' };
    try {
      const one = await this.#prepare(inquiry, how);
      if ('none' in one) leave();
      return 'none' in one ? one : await this.#ask(one, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** By the very same pack; where anything in it has changed since, it is asked anew. */
  async #alreadySaid(inquiry: Inquiry, how: ConsultHow): Promise<Consulted | undefined> {
    const proposed = this.#proposed.get(inquiry.id);
    if (!proposed || how.for !== 'answer') return undefined;
    const pack = await this.#packed(inquiry, how);
    return typeof pack !== 'string' && pack.digest === proposed.digest ? proposed.said : undefined;
  }

  #until({ deadlineAt }: ConsultHow): number {
    const whole = this.#ports.clock.now() + this.#ports.spec.config.consult.timeout_secs * 1000;
    return Math.min(whole, deadlineAt ?? whole);
  }

  /** What is asked, counted and paid for; or why nobody is. */
  async #prepare(inquiry: Inquiry, how: ConsultHow): Promise<ConsultCase | { none: string }> {
    const { clock, spec } = this.#ports;
    const why = this.#bounds.enter();
    if (why !== undefined) return this.#limited(why);
    const made = await this.#packed(inquiry, how);
    const until = this.#until(how);
    const forMs = until - clock.now();
    const late = forMs < LEAST_MS ? 'there is too little time left to consult anybody' : undefined;
    const none = typeof made === 'string' ? made : (late ?? (this.#closed(how) ? UNWANTED : undefined));
    if (none !== undefined) {
      this.#bounds.left();
      return { none };
    }
    this.#bounds.began();
    const id = `${spec.id}.c${this.#bounds.count}`;
    const tooDear = this.#days.begin(id, spec.config.consult.max_cost_usd_per_day);
    if (tooDear === undefined) return { inquiry, how, pack: made as Pack, id, until, forMs };
    this.#bounds.dropped();
    return this.#limited(tooDear);
  }

  /** Nothing is begun, so nothing else would say why: on record once, unless that it is switched off is there already. */
  #limited(why: string): { none: string } {
    if (!this.#isLimitTold && !this.#bounds.isOff) {
      this.#isLimitTold = true;
      this.#ports.journal.append('notice', {
        level: 'warn',
        code: 'consult.limit',
        text: `No other agent is asked any more: ${why}.`,
      });
    }
    return { none: why };
  }

  /** Or why there is none. */
  async #packed(inquiry: Inquiry, how: ConsultHow): Promise<Pack | string> {
    try {
      const pack = makePack(await this.#facts(inquiry, how));
      return pack.refused ?? pack;
    } catch (error) {
      this.#ports.log.log('error', 'a pack could not be made', { error });
      return `Reins could not consult anybody: ${(error as Error).message}`;
    }
  }

  async #facts(inquiry: Inquiry, how: ConsultHow): Promise<PackFacts> {
    return (await this.#ports.facts?.(inquiry, how)) ?? gather(this.#ports, inquiry, how);
  }

  /**
   * Limits that are reached or why nobody can be asked, and the model that would be. Nothing is started for it: an agent
   * that the session does not run and that was not asked yet is not looked for.
   */
  async standing(): Promise<{ away: string[]; model?: string }> {
    const { spec, dir, env } = this.#ports;
    const { consult } = spec.config;
    const isKnown = this.#who !== undefined || spec.agent?.adapter === consultedId(spec);
    const who = await (isKnown ? this.#whom(env) : whyNobody(spec));
    const plan = who && typeof who !== 'string' ? consultPlan(who, foldersIn(dir, `${spec.id}.c0`)) : undefined;
    const why = [
      this.#bounds.why,
      this.#days.why(consult.max_cost_usd_per_day),
      typeof who === 'string' ? who : undefined,
      plan && 'refused' in plan ? plan.reason : undefined,
    ];
    const model = plan && !('refused' in plan) ? plan.model : consult.model;
    return { away: why.filter((one) => one !== undefined), ...(model === undefined ? {} : { model }) };
  }

  #closed({ signal }: ConsultHow): boolean {
    return signal.aborted || this.#end.signal.aborted;
  }

  /** Who waits is answered when the agent is done, or as soon as it is late or called off: its end is seen to all the same. */
  #ask(one: ConsultCase, over: () => void): Promise<Consulted> {
    const { clock } = this.#ports;
    const stop = new AbortController();
    const calling: Calling = { signal: stop.signal };
    const off = AbortSignal.any([one.how.signal, this.#end.signal]);
    return new Promise((resolve) => {
      const giveUp = (how: 'late' | 'cancelled', reason: string) => {
        calling.gaveUp ??= { how, reason };
        stop.abort(reason);
        resolve({ none: reason });
      };
      const late = () => giveUp('late', `the consultant had no answer after ${this.#seconds(one.forMs)} s`);
      const cancelTimer = clock.after(one.until - clock.now(), late);
      const called = () => giveUp('cancelled', String(off.reason));
      off.addEventListener('abort', called, { once: true });
      const work = this.#run(one, calling).finally(() => {
        cancelTimer();
        off.removeEventListener('abort', called);
        this.#running.delete(work);
        over();
      });
      this.#running.add(work);
      work.then(resolve, (error: Error) => resolve({ none: error.message }));
    });
  }

  async #run(one: ConsultCase, calling: Calling): Promise<Consulted> {
    const { spec, dir, journal, clock, env } = this.#ports;
    const { inquiry, how, pack, id } = one;
    const began = clock.now();
    const who = await this.#whom(env);
    const folders = makeFolders(dir, id);
    try {
      const plan = typeof who === 'string' ? { refused: 'no-door' as const, reason: who } : consultPlan(who, folders);
      const about = {
        consultation: id,
        inquiry: inquiry.id,
        adapter: consultedId(spec),
        ...('refused' in plan || plan.model === undefined ? {} : { model: plan.model }),
        for: how.for,
      };
      const { digest, bytes, sources } = pack;
      journal.append('consultation.started', {
        ...about,
        pack: { digest, bytes, sources: sources.length },
        until: one.until,
      });
      const end = await this.#privately(who, plan, { ...one, folders, ...calling });
      const { garbage, ...outcome } = this.#outcome(one, end, calling);
      const ended = { ...about, ...outcome, ...this.#cost(end, clock.now() - began) };
      this.#record(id, ended, garbage);
      const said = consultedOf(ended, plan);
      const isSaid = ended.how === 'suggested' || ended.how === 'none';
      if (how.for === 'suggestion' && isSaid) this.#proposed.set(inquiry.id, { digest, said });
      return said;
    } finally {
      forget(folders.root);
    }
  }

  /** One that could not be found is looked for again: it may have been installed meanwhile. */
  async #whom(env: ConsultantPorts['env']): Promise<Consulting | string> {
    const { spec, clock } = this.#ports;
    this.#who ??= whoIsConsulted(spec, { env, clock });
    const who = await this.#who;
    if (typeof who === 'string') this.#who = undefined;
    return who;
  }

  async #privately(
    who: Consulting | string,
    plan: ReturnType<typeof consultPlan>,
    one: ConsultCase & Calling & { folders: ReturnType<typeof makeFolders> },
  ): Promise<PrivateEnd & { ran: boolean }> {
    if (typeof who === 'string') return { reason: who, ran: false };
    if ('refused' in plan) return { reason: plan.reason, ran: false };
    if (one.signal.aborted) return { reason: String(one.signal.reason), ran: false };
    const { adapter, path } = who;
    const { id, folders, signal, pack } = one;
    const order = { id, adapter, path, plan, folders, signal, prompt: pack.prompt };
    return { ...(await runPrivately(this.#ports, order)), ran: true };
  }

  /** What came of it; one that was called off or late has no answer, whatever it still said. */
  #outcome(
    one: ConsultCase,
    end: PrivateEnd,
    { gaveUp }: Calling,
  ): Pick<ConsultEnd, 'how' | 'reason' | 'verdict' | 'confidence' | 'cites'> & { garbage?: true } {
    if (gaveUp) return gaveUp;
    if (end.text === undefined) return { how: 'failed', reason: end.reason ?? 'it failed' };
    const { min_confidence: minConfidence, free_text: freeText } = this.#ports.spec.config.consult;
    const read = readAnswer(end.text, { inquiry: one.inquiry, pack: one.pack, minConfidence, freeText });
    if ('none' in read) return { how: 'none', reason: read.none, ...(read.garbage ? { garbage: true } : {}) };
    return { how: one.how.for === 'suggestion' ? 'suggested' : 'answered', ...read };
  }

  #cost(
    end: PrivateEnd & { ran: boolean },
    ms: number,
  ): Pick<ConsultEnd, 'seconds' | 'cost_usd' | 'input_tokens' | 'output_tokens'> {
    return {
      seconds: end.ran ? Math.max(0.001, ms / 1000) : 0,
      ...(end.costUsd === undefined ? {} : { cost_usd: end.costUsd }),
      ...(end.inputTokens === undefined ? {} : { input_tokens: end.inputTokens }),
      ...(end.outputTokens === undefined ? {} : { output_tokens: end.outputTokens }),
    };
  }

  #record(id: string, ended: ConsultEnd, garbage?: true): void {
    const { journal } = this.#ports;
    journal.append('consultation.ended', ended);
    this.#days.end(id, ended.seconds === 0 ? 0 : ended.cost_usd);
    const off = this.#bounds.ended(ended, garbage);
    if (off !== undefined) journal.append('notice', { level: 'warn', code: 'consult.off', text: sentence(off) });
  }

  #seconds(ms: number): number {
    return Math.round(ms / 100) / 10;
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function consultedOf(ended: ConsultEnd, plan: ReturnType<typeof consultPlan>): Consulted {
  const { verdict, confidence, cites, reason, adapter } = ended;
  if (verdict === undefined) return { none: reason ?? ended.how };
  const model = (plan as ConsultPlan).model;
  const by: By = { kind: 'consultant', adapter, ...(model === undefined ? {} : { model }) };
  return {
    verdict,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(cites === undefined ? {} : { cites }),
  };
}

export const createConsultant = (ports: ConsultantPorts): Consultant => new Consultant(ports);
