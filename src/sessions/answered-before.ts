/**
 * How often people said yes or no to exactly this before, in the same session: told to whoever is asked it again, and never an answer by
 * itself. Read from the session's own journal, its last part only, so that it costs the same however long the session is.
 */
import { join } from 'node:path';
import { canonicalInquiry } from '../contract/digest.js';
import type { Answer, By, Entry, Env, Inquiry } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { readPage } from '../journal/read.js';
import { placeOf } from '../link/index.js';

/** Pages of the journal that are looked through: about a megabyte. */
const MOST_PAGES = 2;
const PAGE_ENTRIES = 1000;

/** One line, or none. Contract: never throws. */
export function answeredLines(env: Env, inquiry: Inquiry): string[] {
  if (inquiry.kind === 'question') return [];
  try {
    const { entries, more } = lastOf(join(placeOf(env, inquiry.session).dir, FILES.journal));
    const said = answersTo(inquiry, entries);
    return said.length === 0 ? [] : [`${words(said)} ${more ? 'lately ' : ''}in this session`];
  } catch {
    return []; // a journal that cannot be read has no past to tell; what waits is shown all the same
  }
}

/** `more`: there is an older part that was not read. */
function lastOf(file: string): { entries: Entry[]; more: boolean } {
  let all: Entry[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const before = all[0] === undefined ? {} : { before: all[0].seq };
    const { entries, more } = readPage(file, { ...before, limit: PAGE_ENTRIES });
    all = [...entries, ...all];
    if (!more || entries.length === 0) return { entries: all, more: false };
  }
  return { entries: all, more: true };
}

type YesNo = 'allowed' | 'denied';

/** Oldest first. */
function answersTo(inquiry: Inquiry, entries: readonly Entry[]): YesNo[] {
  const asked = callOf(inquiry);
  const same = new Set<string>();
  const said: YesNo[] = [];
  for (const entry of entries) {
    if (entry.type === 'inquiry.opened') {
      const { id } = entry.data.inquiry;
      if (id !== inquiry.id && callOf(entry.data.inquiry) === asked) same.add(id);
    } else if (entry.type === 'inquiry.answered' && same.has(entry.data.answer.inquiry)) {
      const one = yesOrNo(entry.data.answer);
      if (one !== undefined) said.push(one);
    }
  }
  return said;
}

/** What would be done. How an agent describes it to people may differ from time to time. */
function callOf({ kind, tool, input, result }: Inquiry): string {
  const { description: _said, ...done } =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};
  const call = Object.keys(done).length > 0 ? done : input;
  return canonicalInquiry({ id: '' as Inquiry['id'], kind, tool, input: call, result });
}

/** Only a person's own word about just this: what rules, consultants and programs say is no habit of theirs, and an edited call is another. */
function yesOrNo({ verdict, by }: Answer): YesNo | undefined {
  if (!isPerson(by)) return undefined;
  if (verdict.kind === 'deny') return 'denied';
  return verdict.kind === 'allow' && verdict.input === undefined ? 'allowed' : undefined;
}

const isPerson = (by: By): boolean => by.kind === 'viewer' && by.who?.kind !== 'program';

function words(said: readonly YesNo[]): string {
  const [yes, no] = (['allowed', 'denied'] as const).map((one) => said.filter((other) => other === one).length);
  const last = said.at(-1)!;
  if (yes === 0 || no === 0) return `you ${last} exactly this ${times(said.length)}`;
  return `you allowed exactly this ${times(yes!)} and denied it ${times(no!)} (the last time ${last})`;
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);
