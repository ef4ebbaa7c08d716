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

/** Lines that are looked at from the end: a text may be megabytes. */
const MOST_LINES = 20;

/** The last with words in it: the end of a list of code or a rule tells nobody anything. */
function lastLine(text: string): string {
  let end = text.trimEnd().length;
  for (let looked = 0; end > 0 && looked < MOST_LINES; looked += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end).trim();
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(line))
      return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
    end = start - 1;
  }
  return '';
}
