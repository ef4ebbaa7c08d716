/** What the agent said last, in one line, and how often it spoke: part of the session's row, so that a list can show both. */
import type { Entry, SessionRow } from '../contract/index.js';
import { isEmpty, type Journal, ofTypes } from '../journal/journal.js';

/** Of a line that nobody reads whole in a list. */
const MOST_CHARACTERS = 160;

type LastSaid = NonNullable<SessionRow['said']>;

export class WordsSaid {
  #said: LastSaid | undefined;

  constructor({ before, journal }: { before: Iterable<Entry>; journal: Pick<Journal, 'subscribe'> }) {
    if (!isEmpty(before)) for (const entry of ofTypes(before, ['agent.text'])) this.#heard(entry);
    journal.subscribe((entry) => {
      if (entry.type === 'agent.text') this.#heard(entry as Entry<'agent.text'>);
    });
  }

  get now(): Pick<SessionRow, 'said'> {
    return this.#said ? { said: this.#said } : {};
  }

  /** What a sub-agent says is for its own caller. */
  #heard({ ts, data }: Entry<'agent.text'>): void {
    if (data.parent !== undefined) return;
    const text = lastLine(data.text);
    if (text !== '') this.#said = { text, at: ts, count: (this.#said?.count ?? 0) + 1 };
  }
}

/** Looked for from the end: a text may be megabytes. */
function lastLine(text: string): string {
  const end = text.trimEnd();
  const line = end.slice(end.lastIndexOf('\n') + 1).trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}
