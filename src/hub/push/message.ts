/**
 * What a device is told, in words: bounded, without secrets, with invisible characters drawn. Buttons are promised only where
 * the whole of the thing is shown as it is: whatever was cut, hidden or blacked out is answered on the page.
 */
import type { SessionRow } from '../../contract/index.js';
import type { Card, PushMessage } from '../../contract/page.js';
import type { Redact } from '../../log/index.js';

const LONGEST_BODY = 120;
const LONGEST_NAME = 60;
/** Of what is read at all: a thing may be megabytes. */
const LONGEST_READ = 2_000;

type UnsentPush = Omit<PushMessage, 'v' | 'badge' | 'at'>;

/** How something ended, for those who were asked too. */
export interface PushSettled {
  inquiry: string;
  how: string;
  by?: string;
  /** The device it was answered on. */
  on?: string;
}

export function askedMessage(card: Card, row: SessionRow, redact: Redact): UnsentPush {
  const { inquiry, view, digest } = card;
  const said = thingOf(card);
  const clear = String(redact(said.slice(0, LONGEST_READ)));
  const body = cut(drawn(clear), LONGEST_BODY);
  const isWhole = ['shell', 'text', 'json', 'url'].includes(view.shape) && said !== '' && body === said;
  const mayAnswer =
    isWhole && inquiry.kind === 'run' && !card.risky && !card.cut && !inquiry.lost && !hidesSomething(card);
  return {
    kind: 'inquiry',
    title: `${named(row, redact)} ${cut(drawn(view.title), LONGEST_NAME * 2)}`,
    body,
    tag: inquiry.id,
    path: pathOf(inquiry.id, inquiry.session),
    digest,
    ...(mayAnswer ? { whole: true } : {}),
  };
}

export function settledMessage(settled: PushSettled, row: SessionRow | undefined, redact: Redact): UnsentPush {
  const { inquiry, how, by, on } = settled;
  const who = on ?? by;
  const where = who === undefined ? '' : ` ${on === undefined ? 'by' : 'on'} ${cut(drawn(who), LONGEST_NAME)}`;
  const isAnswer = ['allowed', 'denied', 'answered'].includes(how);
  return {
    kind: 'settled',
    title: row ? `${named(row, redact)}: no longer asked` : 'No longer asked',
    body: cut(isAnswer ? `Already ${how}${where}` : `It no longer waits: ${drawn(String(redact(how)))}`, LONGEST_BODY),
    tag: inquiry,
    path: row ? `/s/${row.id}` : '/',
  };
}

export function rowMessage(kind: 'ended' | 'limit' | 'died', row: SessionRow, redact: Redact): UnsentPush {
  const name = named(row, redact);
  const detail = row.detail === undefined ? '' : cut(drawn(String(redact(row.detail))), LONGEST_BODY);
  const [title, body] = {
    ended: [`${name} ${row.outcome ?? 'ended'}`, detail],
    limit: [`${name} is at its usage limit`, row.until ? `it goes on at ${row.until}` : detail],
    died: [`${name}: its host died`, row.left ? `${row.left} processes still run` : 'nothing works on it any more'],
  }[kind] as [string, string];
  return { kind, title, body, tag: `${kind}:${row.id}`, path: `/s/${row.id}` };
}

export const testMessage = (name: string): UnsentPush => ({
  kind: 'test',
  title: 'Reins can reach you here',
  body: `A test for ${cut(drawn(name), LONGEST_NAME)}; nothing waits.`,
  tag: 'test',
  path: '/settings',
});

const pathOf = (inquiry: string, session: string): string => `/s/${session}/i/${inquiry}`;

/** A character that nobody sees, or that moves others, is shown as what it is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}⠀]|(?! )\p{Zs}/gu;

export const drawn = (text: string): string =>
  text.replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`);

function thingOf({ inquiry, view }: Card): string {
  if (inquiry.questions?.some(({ secret }) => secret)) return 'It asks for a secret.';
  if (view.shape === 'question') return inquiry.questions?.[0]?.text ?? '';
  if (view.files) return view.files.map(({ path }) => path).join(', ');
  return view.markdown ?? (view.spans ?? []).map(({ text }) => text).join('');
}

const hidesSomething = ({ view }: Card): boolean => view.spans?.some(({ is }) => is === 'hidden') === true;

const named = ({ name }: SessionRow, redact: Redact): string => cut(drawn(String(redact(name))), LONGEST_NAME);

function cut(text: string, longest: number): string {
  const whole = [...text.slice(0, longest * 4)];
  return whole.length > longest ? `${whole.slice(0, longest - 1).join('')}…` : whole.join('');
}
