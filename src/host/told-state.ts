/**
 * The session's state as everybody is told it: what its work says, unless it stands still or somebody is asked. On record when it is
 * news, and since when. It decides nothing.
 */
import type { AgentState, Clock, InquiryId, SessionRow, SessionState } from '../contract/index.js';
import type { Journal } from '../journal/journal.js';

export interface StateFacts {
  agentState?: AgentState;
  because?: string;
  detail?: string;
  until?: number;
}

export interface ToldStatePorts {
  journal: Journal;
  clock: Clock;
  isPaused(): boolean;
  /** What waits for an answer. */
  waiting(): InquiryId[];
}

export class ToldState {
  readonly #ports: ToldStatePorts;
  #state: SessionState = 'starting';
  #facts: Omit<StateFacts, 'because'> = {};
  #last = '';
  /** When it came to the state it shows. */
  #since: { state: SessionState; at: string } | undefined;

  constructor(ports: ToldStatePorts) {
    this.#ports = ports;
  }

  get now(): SessionState {
    if (this.#state === 'ended') return 'ended';
    if (this.#ports.isPaused()) return 'paused';
    return this.#ports.waiting().length > 0 ? 'asking' : this.#state;
  }

  /** What the agent itself says beside its state. */
  get detail(): string | undefined {
    return this.#facts.detail;
  }

  get row(): Pick<SessionRow, 'state' | 'since' | 'until' | 'limited'> {
    const { agentState, until } = this.#facts;
    return {
      state: this.now,
      ...(this.#since === undefined ? {} : { since: this.#since.at }),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
      ...(agentState === 'limited' ? { limited: true as const } : {}),
    };
  }

  is(state: SessionState, { agentState, because, detail, until }: StateFacts): void {
    this.#state = state;
    this.#facts = {
      ...(agentState ? { agentState } : {}),
      ...(detail ? { detail } : {}),
      ...(until ? { until } : {}),
    };
    this.tell(because);
  }

  /** An entry only when it is news. */
  tell(because?: string): void {
    const { journal, clock, waiting } = this.#ports;
    const { agentState, detail, until } = this.#facts;
    const state = this.now;
    const inquiries = waiting();
    const key = JSON.stringify([state, agentState, detail, until, inquiries]);
    if (key === this.#last) return;
    this.#last = key;
    if (state !== this.#since?.state) this.#since = { state, at: new Date(clock.now()).toISOString() };
    journal.append('state.changed', {
      state,
      ...(agentState ? { agent_state: agentState } : {}),
      ...(because ? { because } : {}),
      ...(detail ? { detail } : {}),
      ...(until ? { until: new Date(until).toISOString() } : {}),
      ...(inquiries.length > 0 ? { inquiries } : {}),
    });
  }
}
