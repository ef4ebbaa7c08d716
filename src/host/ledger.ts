/**
 * The tripwire's ledger: what was allowed, what was called, what ran. Pure. An allow covers one run of one call: by the
 * agent's own id of the call where the gate had one, else by tool and input. What ran must be what was allowed. A failed
 * call counts as run unless the agent's own record proves otherwise, or the kind of tool changes nothing when it fails.
 */
import type { Answer, EntryPayload, Inquiry } from '../contract/index.js';
import { isQuestion, leavesNothing, ranAsAllowed, sameCall } from './ledger-match.js';

export type Why = EntryPayload<'ungated'>['why'];

export interface SeenCall {
  call: string;
  tool: string;
  input: unknown;
  parent?: string;
}

export interface SeenResult {
  call: string;
  ok: boolean;
  ran?: boolean;
  tool?: string;
  input?: unknown;
}

/** `uncovered`: only rules can still speak for it, and not even they where it was denied. */
export type Finding = { is: 'quiet' } | { is: 'uncovered'; why: Why; of: SeenCall; inquiry?: string };

interface Record {
  inquiry: Pick<Inquiry, 'id' | 'tool' | 'input' | 'call'>;
  state: 'open' | 'allowed' | 'denied' | 'vanished';
  /** What may run: the input as it was asked, or as somebody changed it. */
  input: unknown;
  used: boolean;
}

const QUIET: Finding = { is: 'quiet' };
/** A turn has a handful of calls under way; an agent that never ends its calls must not fill our memory. */
const MOST = 1000;

export class Ledger {
  #records: Record[] = [];
  readonly #calls = new Map<string, SeenCall>();
  readonly #ended = new Set<string>();

  opened({ id, kind, tool, input, call }: Inquiry): void {
    if (kind !== 'run') return;
    const inquiry = { id, ...(tool === undefined ? {} : { tool }), input, ...(call === undefined ? {} : { call }) };
    this.#records.push({ inquiry, state: 'open', input, used: false });
    if (this.#records.length <= MOST) return;
    const spent = this.#records.findIndex((record) => record.used || record.state !== 'open');
    this.#records.splice(Math.max(spent, 0), 1);
  }

  answered({ inquiry, verdict }: Answer): void {
    const record = this.#record(inquiry);
    if (!record) return;
    record.state = verdict.kind === 'allow' ? 'allowed' : 'denied';
    if (verdict.kind === 'allow' && verdict.input !== undefined) record.input = verdict.input;
  }

  /** The agent no longer waits. `answered`: a key press says that somebody answered in its own dialog. */
  closed(inquiry: string, answered: boolean): void {
    const record = this.#record(inquiry);
    if (record?.state === 'open') record.state = answered ? 'allowed' : 'vanished';
  }

  /** A key answered it before anybody said that it is closed: it covers the run that showed it, and no other. */
  pressed(inquiry: string, run: 'began' | 'ended'): void {
    const record = this.#record(inquiry);
    if (!record) return;
    record.state = 'allowed';
    record.used = run === 'ended';
  }

  called(call: SeenCall): void {
    this.#ended.delete(call.call);
    this.#calls.delete(call.call);
    this.#calls.set(call.call, call);
    if (this.#calls.size > MOST) this.#calls.delete(this.#calls.keys().next().value!);
  }

  /** It runs already; what it comes to is told later. */
  began(call: string): Finding {
    const of = this.#calls.get(call);
    return of ? this.#judge(of, { of, ended: false }) : QUIET;
  }

  /**
   * `strict`: whoever tells of results tells of every call first, so one nobody heard of is not to be trusted. One that
   * names its tool is no old news either.
   */
  returned(result: SeenResult, strict: boolean): Finding {
    const { call, tool } = result;
    const known = this.#calls.get(call);
    this.#calls.delete(call);
    if (!known && ((!strict && tool === undefined) || this.#ended.has(call))) return QUIET;
    this.#ended.add(call);
    if (this.#ended.size > MOST) this.#ended.delete(this.#ended.values().next().value!);
    const of = known ?? { call, tool: tool ?? 'unknown', input: undefined };
    return this.#judge(of, { of: { ...of, ...inputOf(result, of) }, ended: true, result });
  }

  #judge(asked: SeenCall, run: { of: SeenCall; ended: boolean; result?: SeenResult }): Finding {
    const { of, ended, result } = run;
    if (isQuestion(of.tool)) return QUIET;
    const failed = result !== undefined && !result.ok && result.ran !== true;
    const record = this.#find(asked, failed);
    if (record && ended) spend(record);
    if (result?.ran === false) return QUIET;
    if (record?.state === 'allowed') {
      const same = result?.input === undefined || ranAsAllowed(of.tool, record.input, result.input);
      if (ended) record.input = undefined;
      return same ? QUIET : { is: 'uncovered', why: 'changed', of, inquiry: record.inquiry.id };
    }
    // A no of ours, and a failure that may well be that no.
    if (failed && (record?.state === 'denied' || leavesNothing(of.tool))) return QUIET;
    if (!record) return { is: 'uncovered', why: 'unasked', of };
    const why = { open: 'unanswered', denied: 'denied', vanished: 'vanished' } as const;
    return { is: 'uncovered', why: why[record.state], of, inquiry: record.inquiry.id };
  }

  /** The record that speaks for this call; a failure is first looked for among what was refused. */
  #find(call: SeenCall, failed: boolean): Record | undefined {
    const unused = this.#records.filter((record) => !record.used);
    const named = unused.filter(({ inquiry }) => inquiry.call !== undefined && inquiry.call === call.call);
    // A no to this very call is never outvoted by another answer about it.
    if (named.length > 0) return pick(named, ['denied', 'allowed', 'vanished', 'open']);
    const alike = unused.filter(({ inquiry }) => inquiry.call === undefined && sameCall(inquiry, call));
    return pick(alike, failed ? ['denied', 'vanished', 'allowed', 'open'] : ['allowed', 'open', 'vanished', 'denied']);
  }

  #record(inquiry: string): Record | undefined {
    return this.#records.findLast((record) => record.inquiry.id === inquiry);
  }
}

const pick = (records: Record[], order: Record['state'][]): Record | undefined =>
  order.flatMap((state) => records.filter((record) => record.state === state))[0];

/** One that is still asked stays: its answer may yet come, and is then about nothing. */
function spend(record: Record): void {
  record.used = record.state !== 'open';
}

const inputOf = (result: SeenResult, of: SeenCall): { input: unknown } => ({ input: result.input ?? of.input });
