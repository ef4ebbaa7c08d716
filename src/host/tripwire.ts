/**
 * The tripwire: every tool call that any door sees to have run must have an allow on record. The record is the journal
 * (inquiries and their answers), the rules that would have allowed the call, or a key that somebody pressed in the
 * agent's own dialog about it. One call without any of these is told to the host, once, which ends the agent.
 */
import type { AgentOutput, Entry, Inquiry } from '../contract/index.js';
import { type Finding, Ledger, type SeenCall, type SeenResult, type Why } from './ledger.js';
import type { Presses } from './presses.js';

export interface UngatedCall {
  of: SeenCall;
  why: Why;
  inquiry?: string;
  agent?: Pick<Entry<'agent.started'>['data'], 'agent' | 'version' | 'door'>;
}

export interface TripwirePorts {
  presses: Presses;
  /**
   * Whether rules, grants, the read-only list or trust allow this call; `given` were answered in the agent's own dialog,
   * where "do not ask again" can be said without us.
   */
  allowedByRules(call: SeenCall, given: Inquiry[]): Promise<boolean>;
  /** Whether rules could allow such a call at all; a no is certain. */
  mayAllow(tool: string): boolean;
  /** Whether the agent is being ended by us. */
  isStopping(): boolean;
  /** A call was made: what judging it needs is loaded while it runs. */
  warmUp(): void;
  /** Contract: called at most once. */
  trip(found: UngatedCall): void;
}

type Uncovered = Extract<Finding, { is: 'uncovered' }>;

/** Inquiries, and answers given in the agent's own dialog, that are remembered. */
const MOST = 100;

export class Tripwire {
  readonly #ports: TripwirePorts;
  readonly #ledger = new Ledger();
  readonly #opened = new Map<string, { inquiry: Inquiry; mark: number }>();
  #given: Inquiry[] = [];
  #agent: UngatedCall['agent'];
  #judging: Promise<void> = Promise.resolve();
  #tripped = false;

  constructor(ports: TripwirePorts) {
    this.#ports = ports;
  }

  /** Everything on record so far is judged. */
  quiet(): Promise<void> {
    return this.#judging;
  }

  entry(entry: Entry): void {
    switch (entry.type) {
      case 'agent.started': {
        const { agent, version, door } = entry.data;
        this.#agent = { agent, door, ...(version === undefined ? {} : { version }) };
        break;
      }
      case 'inquiry.opened':
        this.#begins(entry.data.inquiry);
        break;
      case 'inquiry.answered':
        this.#ledger.answered(entry.data.answer);
        break;
      case 'inquiry.closed':
        this.#ends(entry.data);
        break;
    }
  }

  said(output: AgentOutput): void {
    if (output.kind === 'tool') {
      const { call, tool, input, parent } = output;
      this.#ports.warmUp();
      this.#ledger.called({ call, tool, input, ...(parent === undefined ? {} : { parent }) });
      if (output.began) this.#look(this.#ledger.began(call), 'began');
    }
    if (output.kind === 'tool-result') this.#returned(output);
  }

  #returned(result: SeenResult): void {
    // We are ending it: what was under way fails, and what was asked about is given up. That is no call that ran.
    if (!result.ok && result.ran !== true && this.#ports.isStopping()) return;
    // A transcript of a conversation that is taken up may hold the end of a call from before.
    this.#look(this.#ledger.returned(result, this.#agent?.door !== 'tui'), 'ended');
  }

  #begins(inquiry: Inquiry): void {
    if (inquiry.kind !== 'run') return;
    this.#ledger.opened(inquiry);
    this.#opened.set(inquiry.id, { inquiry, mark: this.#ports.presses.since(inquiry) });
    if (this.#opened.size > MOST) this.#opened.delete(this.#opened.keys().next().value!);
  }

  #ends({ inquiry, by }: Entry<'inquiry.closed'>['data']): void {
    const opened = this.#opened.get(inquiry);
    if (by && opened) this.#answeredThere(opened.inquiry);
    this.#ledger.closed(inquiry, by !== undefined);
  }

  #answeredThere(inquiry: Inquiry): void {
    this.#given = [...this.#given.slice(1 - MOST), inquiry];
  }

  #look(finding: Finding, run: 'began' | 'ended'): void {
    if (finding.is === 'quiet' || this.#tripped || this.#hasKey(finding, run)) return;
    // A no stands, whatever rules say by now; and where none could speak for it, nothing is waited for.
    const { of, why } = finding;
    if (why === 'denied' || (this.#given.length === 0 && !this.#ports.mayAllow(of.tool))) {
      this.#trip(finding);
      return;
    }
    // One after the other: which call is told of must not depend on how fast each is judged.
    this.#judging = this.#judging.then(() => this.#judge(finding));
  }

  async #judge(finding: Uncovered): Promise<void> {
    // Whatever goes wrong while judging, the call has no allow on record.
    if (!(await this.#ports.allowedByRules(finding.of, this.#given).catch(() => false))) this.#trip(finding);
  }

  #trip({ of, why, inquiry }: Uncovered): void {
    if (this.#tripped) return;
    this.#tripped = true;
    this.#ports.trip({
      of,
      why,
      ...(inquiry === undefined ? {} : { inquiry }),
      ...(this.#agent ? { agent: this.#agent } : {}),
    });
  }

  /** Somebody pressed a key while its dialog was up, and the agent was faster than the closing of its inquiry. */
  #hasKey({ of, why, inquiry }: Uncovered, run: 'began' | 'ended'): boolean {
    if (why === 'denied' || why === 'changed') return false;
    const opened = inquiry === undefined ? undefined : this.#opened.get(inquiry);
    const mark = opened?.mark ?? this.#ports.presses.leftSince(of);
    if (mark === undefined || !this.#ports.presses.take(mark, inquiry)) return false;
    if (!opened) return true;
    this.#answeredThere(opened.inquiry);
    this.#ledger.pressed(opened.inquiry.id, run);
    return true;
  }
}
