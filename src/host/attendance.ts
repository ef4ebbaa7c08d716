/**
 * Who is there for the open inquiries. Somebody who comes takes over what counts down without them: the attached policy decides
 * anew. When the last one has left and the grace is over, the next side does, with what was left of its time.
 */
import type { Presence } from '../contract/index.js';
import { type Countdown, endRung } from './countdown.js';
import type { DeskPorts } from './desk-ports.js';
import type { OpenCase } from './open-case.js';

export interface AttendancePorts extends Pick<DeskPorts, 'graceMs' | 'presence'> {
  cases(): Iterable<OpenCase>;
  countdown(ms: number, call: () => void): Countdown;
  /** Policy is asked once more. Contract: never rejects. */
  again(open: OpenCase, because: string): Promise<void>;
}

const CAME = 'somebody is there now';
const LEFT = 'whoever was asked has left';

export class Attendance {
  readonly #ports: AttendancePorts;
  /** How often viewers came or went: what was found out before the last time is old. */
  looks = 0;

  constructor(ports: AttendancePorts) {
    this.#ports = ports;
  }

  changed(): void {
    this.looks += 1;
    const cases = [...this.#ports.cases()].filter((open) => isTheirs(open) || goesOnAlone(open));
    if (cases.length > 0) void this.#look(cases);
  }

  /** Nobody there: the grace begins. Somebody back: it ends, and the next time nobody is there it begins anew. */
  async #look(cases: OpenCase[]): Promise<void> {
    const look = this.looks;
    const { present } = await this.#present();
    if (look !== this.looks) return;
    for (const open of cases) {
      if (goesOnAlone(open)) this.#found(open, present);
      else if (!isTheirs(open)) continue;
      else if (present) {
        open.grace?.cancel();
        open.grace = undefined;
      } else open.grace ??= this.#ports.countdown(this.#ports.graceMs, () => void this.#left(open));
    }
  }

  /** Another agent that is being asked is not called off: what comes after it is theirs. */
  #found(open: OpenCase, present: boolean): void {
    if (open.stage === 'consulting') open.came = present;
    else if (present) this.take(open, CAME);
  }

  /** Policy decides anew. What was left of a ladder for nobody there is kept for when nobody is there again. */
  take(open: OpenCase, because = CAME): void {
    const [now, ...rest] = open.away?.rungs ?? [];
    if (!open.attended && open.away && now && open.rung) open.away.rungs = [{ ...now, forMs: open.rung.left }, ...rest];
    endRung(open);
    open.came = false;
    open.stage = 'routing';
    void this.#ports.again(open, because);
  }

  async #left(open: OpenCase): Promise<void> {
    open.grace = undefined;
    if (open.stage !== 'asking') return;
    const { present } = await this.#present();
    if (!present && open.stage === 'asking') this.take(open, LEFT);
  }

  #present(): Promise<Pick<Presence, 'present'>> {
    return this.#ports.presence().catch(() => ({ present: false }));
  }
}

/** Somebody who was there is asked. */
const isTheirs = ({ stage, attended }: OpenCase): boolean => stage === 'asking' && attended;

/** It goes on by itself, to another agent or to a refusal, because nobody was there. */
const goesOnAlone = ({ stage, attended, rung }: OpenCase): boolean =>
  !attended && (stage === 'consulting' || (rung !== undefined && stage !== 'routing' && stage !== 'answered'));
