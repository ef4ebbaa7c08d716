/**
 * The session above this one, and what its agent may answer here where the policy names it (`tools.*.answers: parent`). It must be
 * that session's own process, by descent and not by what it says of itself; it never answers what is for a person; and it allows
 * nothing that its own session would have to ask about. Loaded by a session that was started inside another.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CONSULTATION_MARK,
  type CommandArgs,
  type Env,
  type Inquiry,
  SESSION_MARK,
  type Verdict,
} from '../contract/index.js';
import { FILES, liveDir } from '../disk/index.js';
import { journalOf } from '../journal/read.js';
import { type Place, placeOf } from '../link/index.js';
import { toolSettings } from '../policy/cascade.js';
import { ancestry, descendsFrom, variableOf } from '../proc/inside.js';
import { isMember } from './agent-process.js';
import { createPolicy, type SessionPolicy } from './policy.js';
import type { SessionSpec } from './spec.js';

export interface ParentFacts {
  spec: SessionSpec;
  policy: SessionPolicy;
  env: Env;
}

/** Undefined: whoever began this host is not below the one that is named. Asked while that one still waits for our first word. */
export function parentAbove(facts: ParentFacts): Parent | undefined {
  const { parent } = facts.spec;
  const place = parent === undefined ? undefined : placeOf(facts.env, parent);
  return place?.alive && descendsFrom(identityOf(place), process.ppid) ? new Parent(place, facts) : undefined;
}

const identityOf = ({ host }: Place) => ({ pid: host?.pid ?? 0, startTicks: host?.start_ticks ?? 0 });

export class Parent {
  readonly #place: Place;
  readonly #facts: ParentFacts;

  constructor(place: Place, facts: ParentFacts) {
    this.#place = place;
    this.#facts = facts;
  }

  get session(): string {
    return this.#place.id;
  }

  /**
   * Whether this process is the parent's own: every step up to the parent's host carries the parent's mark, none of them belongs to
   * this session, to another host or to a consultation. Who left that way (a double fork, a cleaned environment) is nobody's.
   */
  isOwn(pid: number): boolean {
    const { pid: top, startTicks } = identityOf(this.#place);
    const hosts = livingHosts(this.#facts.env);
    for (const at of ancestry(pid)) {
      if (at.pid === top && at.startTicks === startTicks) return at.pid !== pid;
      if (at.pid === process.pid || hosts.has(at.pid) || isMember(at)) return false;
      if (variableOf(at.pid, SESSION_MARK) !== this.session || variableOf(at.pid, CONSULTATION_MARK) !== '')
        return false;
    }
    return false;
  }

  /** Why it may not answer this so, or undefined. */
  async refuses(
    inquiry: Inquiry,
    verdict: Verdict,
    how: Pick<CommandArgs<'answer'>, 'scope' | 'input'>,
  ): Promise<string | undefined> {
    const { policy } = this.#facts;
    if (this.#named(inquiry.tool) !== 'parent')
      return `the policy does not let ${this.session} answer (tools.*.answers)`;
    if (policy.exclusive(inquiry) || inquiry.exclusive) return 'only a person may answer this one';
    if (inquiry.questions?.some(({ secret }) => secret !== undefined && secret !== false))
      return 'a secret is for a person';
    if (verdict.kind === 'deny') return undefined;
    if (how.scope === 'session' || how.input !== undefined) return 'an agent answers once, and what was asked';
    const { mustAsk, doubt } = await policy.judged(inquiry);
    const asks = mustAsk ?? doubt;
    if (asks) return `${asks.text} (${asks.source}) wants a person`;
    return inquiry.kind === 'question' ? undefined : this.#hasNoMore(inquiry);
  }

  /** The tool's own word, else the one for all. */
  #named(tool: string | undefined): string | undefined {
    const { defaults, ...named } = this.#facts.spec.config.tools;
    const own = tool === undefined ? undefined : toolSettings(this.#facts.policy.settings, tool);
    return (own && named[own.name]?.answers) ?? defaults.answers;
  }

  /** As its rules and grants are now: what it would be asked about itself, it does not allow another. */
  async #hasNoMore(inquiry: Inquiry): Promise<string | undefined> {
    const above = readSpec(this.#place);
    if (!above) return `what ${this.session} may itself cannot be read`;
    if (above.cwd !== this.#facts.spec.cwd)
      return `${this.session} works in another folder, so its rules say nothing about this one`;
    const policy = createPolicy(above, journalOf(join(this.#place.dir, FILES.journal)));
    const { settled } = await policy.judged(inquiry);
    if (settled?.verdict.kind === 'allow') return undefined;
    return `${this.session} may not do this itself without being asked`;
  }
}

function readSpec({ dir, id }: Place): SessionSpec | undefined {
  try {
    const spec = JSON.parse(readFileSync(join(dir, FILES.spec), 'utf8')) as SessionSpec;
    return spec.id === id ? spec : undefined;
  } catch {
    return undefined; // nothing is allowed by a file that cannot be read
  }
}

function livingHosts(env: Env): Set<number> {
  try {
    const places = readdirSync(liveDir(env)).map((id) => placeOf(env, id));
    return new Set(places.flatMap(({ alive, host }) => (alive && host ? [host.pid] : [])));
  } catch {
    return new Set(); // without the marks: those in the environment tell
  }
}
