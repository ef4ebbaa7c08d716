/** `reins inbox` and `reins answer`: what waits for a person in all sessions, and settling it. */
import { join } from 'node:path';
import { type Inquiry, type Log, nameOf, ReinsError, sessionOf } from '../../contract/index.js';
import { FILES } from '../../disk/index.js';
import { journalOf, ofTypes } from '../../journal/index.js';
import { type Place, placeOf } from '../../link/index.js';
import { openInquiries, tell, watchSessions } from '../../sessions/index.js';
import { refuseInside } from '../../sessions/inside.js';
import type { Context } from '../context.js';
import { answerLines, describeInquiry } from '../describe.js';
import { duration, harmless } from '../table.js';

const silentWords = (id: string): string =>
  `! the host of ${id} does not answer: what waits there cannot be seen. End it with reins kill ${id}`;

export async function inbox(context: Context, flags: { watch?: boolean; json?: boolean }): Promise<number> {
  if (flags.watch) return watch(context, flags);
  const { inquiries, silent } = await openInquiries(context);
  for (const id of silent) context.channels.complain(silentWords(id));
  if (flags.json) context.channels.json(inquiries);
  else if (inquiries.length === 0)
    context.channels.chrome(silent.length === 0 ? 'Nothing waits for you.' : 'Nothing else waits for you.');
  else for (const inquiry of inquiries) context.channels.out(`${lines(inquiry)}\n`);
  return 0;
}

function lines(inquiry: Inquiry): string {
  const age = duration((Date.now() - Date.parse(inquiry.opened_at)) / 1000);
  const { title, details } = describeInquiry(inquiry);
  return [
    `${inquiry.id}  ${age}  ${harmless(title)}`,
    ...details.map((line) => `    ${harmless(line)}`),
    ...answerLines(inquiry).map((line) => `    ${line}`),
  ].join('\n');
}

/** Follows every session, until it is interrupted. */
async function watch(context: Context, flags: { json?: boolean }): Promise<number> {
  const { channels } = context;
  const log: Log = { log: (_level, text) => channels.chrome(`! ${text}`), room: () => log };
  let count = 0;
  for await (const news of watchSessions(context, { log })) {
    if (news.type === 'inquiry') {
      count += 1;
      channels.out(flags.json ? `${JSON.stringify(news.inquiry)}\n` : `${lines(news.inquiry)}\n`);
    } else if (news.type === 'settled') {
      // What stands above is history: whoever looks up must not answer what is settled.
      channels.chrome(`✓ ${news.inquiry} no longer waits`);
    } else if (news.type === 'silent' && news.silent) channels.complain(silentWords(news.session));
    else if (news.type === 'looked' && count === 0)
      channels.chrome('Nothing waits for you yet. Ctrl-C ends the watch.');
  }
  return 0;
}

export async function answer(
  context: Context,
  id: string,
  words: string[],
  flags: { scope?: string; reason?: string; json?: boolean; text?: string[] },
): Promise<number> {
  const texts = flags.text ?? [];
  if (words.length === 0 && texts.length === 0) {
    throw new ReinsError('USAGE', {
      problem: 'the answer is missing',
      fix: `reins answer ${id} allow, or deny, or the answer to its question`,
    });
  }
  const session = sessionOf(id);
  const place = session ? placeOf(context.env, session) : undefined;
  if (place?.barred !== undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: place.barred });
  // A living host refuses it itself, and writes down that someone tried.
  if (!place?.alive) refuseInside(context, 'answer inquiries', 'answer from a terminal of your own');
  if (!place?.alive) throw settledBefore(id, place);
  const { scope, reason } = flags;
  if (scope !== undefined && scope !== 'once' && scope !== 'session') {
    throw new ReinsError('USAGE', { problem: `--scope ${scope} is not known`, fix: 'use once or session' });
  }
  const receipt = await tell(context, place, 'answer', {
    inquiry: id,
    words,
    texts,
    ...(scope === undefined ? {} : { scope }),
    ...(reason === undefined ? {} : { reason }),
  }).catch((error: ReinsError) => {
    // Its session came to its end in this very moment: one that ended in order takes its host file with it.
    const isOver = error.code === 'SESSION_ENDED' || error.code === 'HOST_LOST';
    throw isOver && placeOf(context.env, place.id).host === undefined ? settledBefore(id, place) : error;
  });
  if (flags.json) context.channels.json(receipt);
  else context.channels.chrome(`Answered ${id}.`);
  return 0;
}

/** Its session is over: the journal still knows what became of the inquiry. */
function settledBefore(id: string, place: Place | undefined): ReinsError {
  const story = place ? journalOf(join(place.dir, FILES.journal)) : [];
  let how: string | undefined;
  for (const { type, data } of ofTypes(story, ['inquiry.opened', 'inquiry.answered'])) {
    if (type === 'inquiry.opened' && data.inquiry.id === id) how = 'its session ended';
    else if (type === 'inquiry.answered' && data.answer.inquiry === id) how = `answered by ${nameOf(data.answer.by)}`;
  }
  if (how === undefined) return new ReinsError('NO_SUCH_INQUIRY', { inquiry: id });
  return new ReinsError('ANSWERED_ALREADY', { inquiry: id, how });
}
