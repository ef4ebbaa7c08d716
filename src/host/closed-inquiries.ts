/** How the inquiries of a session that are no longer open came out: for whoever answers one too late. */
import { type Answer, type By, type Inquiry, nameOf, type SessionId, sessionOf } from '../contract/index.js';

/** How many can still be told "answered already, by …" from memory. */
const MOST_REMEMBERED = 1000;

export class ClosedInquiries {
  readonly #session: SessionId;
  #how = new Map<string, string>();

  constructor(session: SessionId) {
    this.#session = session;
  }

  remember(inquiry: Inquiry, how: { answer?: Answer; reason?: string }): void {
    const { answer, reason } = how;
    this.#how.set(inquiry.id, answer ? answeredWords(answer, this.#session) : (reason ?? 'withdrawn'));
    if (this.#how.size > MOST_REMEMBERED) this.#how.delete(this.#how.keys().next().value!);
  }

  /** Undefined if there never was such an inquiry; `count` is how many there were, also before a session was continued. */
  howOf(id: string, count: number): string | undefined {
    const known = this.#how.get(id);
    if (known !== undefined || sessionOf(id) !== this.#session) return known;
    const number = Number(id.slice(this.#session.length + 1));
    return number >= 1 && number <= count ? 'it was closed earlier' : undefined;
  }
}

/** What another agent answered can still be put right, but not here: the agent has been told. */
function answeredWords({ by }: Answer, session: SessionId): string {
  const who = `answered by ${nameOf(by)}`;
  if (!isForTheUser(by)) return who;
  return `${who}, and the agent has been told; to say otherwise: reins send ${session} "…", and see reins decisions`;
}

/** Given in the user's place by another agent, or from memory. */
export const isForTheUser = ({ kind }: By): boolean => kind === 'consultant' || kind === 'memory';
