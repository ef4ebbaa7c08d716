/** `reins inbox` and `reins answer`: what waits for a person in all sessions, and settling it. */
import {
  type Answer,
  type CommandArgs,
  type CommandResult,
  type Log,
  type LostInquiry,
  nameOf,
  ReinsError,
  sessionOf,
} from '../../contract/index.js';
import { type Place, placeOf } from '../../link/index.js';
import {
  keepAnswer,
  livingPlaces,
  lostInquiries,
  openInquiries,
  settledBefore,
  tell,
  watchSessions,
} from '../../sessions/index.js';
import { refuseInside } from '../../sessions/inside.js';
import type { Context } from '../context.js';
import { answerLines, describeInquiry } from '../describe.js';
import { stageWords } from '../stage-words.js';
import { proposedWords, suggestionLine } from '../suggestion-words.js';
import { duration, harmless } from '../table.js';
import { readUnseen } from '../unseen.js';

const silentWords = (id: string): string =>
  `! the host of ${id} does not answer: what waits there cannot be seen. End it with reins kill ${id}`;

export async function inbox(context: Context, flags: { watch?: boolean; json?: boolean }): Promise<number> {
  if (flags.watch) return watch(context, flags);
  const { inquiries, silent } = await openInquiries(context);
  for (const id of silent) context.channels.complain(silentWords(id));
  if (flags.json) context.channels.json(inquiries);
  else if (inquiries.length === 0)
    context.channels.chrome(silent.length === 0 ? 'Nothing waits for you.' : 'Nothing else waits for you.');
  else {
    const before = await earlierIn(context, inquiries);
    for (const inquiry of inquiries) context.channels.out(`${lines(inquiry, before(inquiry))}\n`);
  }
  return 0;
}

/** What was decided before on like questions, and answered before in the same session; loaded only where somebody asks. */
async function earlierIn(context: Context, inquiries: LostInquiry[]): Promise<(inquiry: LostInquiry) => string[]> {
  if (inquiries.length === 0) return () => [];
  const { answeredLines, decidedLines } = await import('../../sessions/decisions.js');
  return (inquiry) => [...decidedLines(context, inquiry), ...answeredLines(context.env, inquiry)];
}

function lines(inquiry: LostInquiry, earlier: string[] = []): string {
  const age = duration((Date.now() - Date.parse(inquiry.opened_at)) / 1000);
  const { title, details } = describeInquiry(inquiry);
  const { suggestion } = inquiry;
  const stage = stageWords(inquiry, Date.now());
  return [
    `${inquiry.id}  ${age}  ${harmless(title)}`,
    ...details.map((line) => `    ${harmless(line)}`),
    ...earlier.map((line) => `    ${harmless(line)}`),
    ...(stage === undefined ? [] : [`    ${stage}`]),
    ...(suggestion ? [`    ${harmless(suggestionLine(inquiry, suggestion))}`] : []),
    ...(inquiry.answer ? [`    ${harmless(untoldWords(inquiry, inquiry.answer))}`] : []),
    ...answerLines(inquiry).map((line) => `    ${line}`),
    ...(suggestion?.mark ? [`    reins answer ${inquiry.id} --suggested ${harmless(suggestion.mark)}`] : []),
    ...(inquiry.lost ? [`    lost with its host; an answer is kept, and this goes on: ${inquiry.continue}`] : []),
  ].join('\n');
}

/** Follows every session, until it is interrupted. */
async function watch(context: Context, flags: { json?: boolean }): Promise<number> {
  const { channels } = context;
  const log: Log = { log: (_level, text) => channels.chrome(`! ${text}`), room: () => log };
  let count = 0;
  const show = (inquiry: LostInquiry): void => {
    count += 1;
    channels.out(flags.json ? `${JSON.stringify(inquiry)}\n` : `${lines(inquiry)}\n`);
  };
  const dead = livingPlaces(context.env).filter(({ alive, host }) => !alive && host !== undefined);
  for (const inquiry of await lostInquiries(context, dead)) show(inquiry);
  for await (const news of watchSessions(context, { log })) {
    if (news.type === 'inquiry') show(news.inquiry);
    else if (news.type === 'settled') {
      const lost = await lostNow(context, news.inquiry);
      if (lost) show(lost);
      // What stands above is history: whoever looks up must not answer what is settled.
      else channels.chrome(`✓ ${news.inquiry} no longer waits`);
    } else if (news.type === 'silent' && news.silent) channels.complain(silentWords(news.session));
    else if (news.type === 'looked' && count === 0)
      channels.chrome('Nothing waits for you yet. Ctrl-C ends the watch.');
  }
  return 0;
}

/** Its host went away under it: it waits on, in another way. */
async function lostNow(context: Context, inquiry: string): Promise<LostInquiry | undefined> {
  const session = sessionOf(inquiry);
  const place = session ? placeOf(context.env, session) : undefined;
  if (!place || place.alive) return undefined;
  return (await lostInquiries(context, place.host ? [place] : [])).find(({ id }) => id === inquiry);
}

const untoldWords = (inquiry: LostInquiry, answer: Answer): string =>
  `answered by ${nameOf(answer.by)}: ${proposedWords(inquiry, answer)}; the agent is not told before it goes on, and your answer replaces it`;

/** Which suggestion is meant: the one that was seen, or the one that is there now. */
async function markOf(
  context: Context,
  place: Place | undefined,
  { id, mark }: { id: string; mark: string | true },
): Promise<string> {
  if (mark !== true) return mark;
  const open = place?.alive ? (await tell(context, place, 'inbox')).find((one) => one.id === id) : undefined;
  if (!open?.suggestion?.mark) {
    // A host says itself what became of an inquiry that is not open.
    if (!open) return '';
    const fix = `reins answer ${id} with an answer of your own`;
    throw new ReinsError('ANSWER_INVALID', { inquiry: id, reason: 'nothing is suggested for it', fix });
  }
  context.channels.chrome(harmless(suggestionLine(open, open.suggestion)));
  return open.suggestion.mark;
}

export async function answer(
  context: Context,
  id: string,
  words: string[],
  flags: {
    scope?: string;
    reason?: string;
    json?: boolean;
    text?: string[];
    secret?: boolean;
    suggested?: string | true;
  },
): Promise<number> {
  const said = words.length + (flags.text ?? []).length;
  if (flags.suggested !== undefined && (said > 0 || flags.secret)) {
    throw new ReinsError('USAGE', { problem: '--suggested is the whole answer', fix: 'leave out the other words' });
  }
  if (flags.secret && said > 0) {
    throw new ReinsError('USAGE', {
      problem: 'a secret on the command line is no secret',
      fix: `reins answer ${id} --secret, and type it when asked, or pipe it in`,
    });
  }
  const texts = flags.secret ? [await readUnseen(`The answer to ${id} (not shown): `)] : (flags.text ?? []);
  if (words.length === 0 && texts.length === 0 && flags.suggested === undefined) {
    throw new ReinsError('USAGE', {
      problem: 'the answer is missing',
      fix: `reins answer ${id} allow, or deny, or the answer to its question`,
    });
  }
  const session = sessionOf(id);
  const place = session ? placeOf(context.env, session) : undefined;
  if (place?.barred !== undefined) throw new ReinsError('STATE_DIR', { dir: place.dir, reason: place.barred });
  const { scope, reason } = flags;
  if (scope !== undefined && scope !== 'once' && scope !== 'session') {
    throw new ReinsError('USAGE', { problem: `--scope ${scope} is not known`, fix: 'use once or session' });
  }
  const suggested =
    flags.suggested === undefined ? undefined : await markOf(context, place, { id, mark: flags.suggested });
  const given: CommandArgs<'answer'> = {
    inquiry: id,
    ...(suggested === undefined ? { words, texts } : { suggested }),
    ...(scope === undefined ? {} : { scope }),
    ...(reason === undefined ? {} : { reason }),
  };
  const receipt = await told(context, place, given);
  if (flags.json) context.channels.json(receipt);
  else if (receipt.kept)
    context.channels.chrome(
      `Kept for ${id}: its host is gone. The agent gets it when it asks the same again: ${receipt.continue}`,
    );
  else context.channels.chrome(`Answered ${id}.`);
  return 0;
}

async function told(
  context: Context,
  place: Place | undefined,
  given: CommandArgs<'answer'>,
): Promise<CommandResult<'answer'>> {
  // A living host refuses it itself, and writes down that someone tried.
  if (!place?.alive) refuseInside(context, 'answer inquiries', 'answer from a terminal of your own');
  if (!place) throw settledBefore(given.inquiry, place);
  if (!place.alive) return keepAnswer(context, place, given);
  return tell(context, place, 'answer', given).catch((error: ReinsError) => {
    // Its session came to its end, or lost its host, in this very moment.
    const isOver = error.code === 'SESSION_ENDED' || error.code === 'HOST_LOST';
    if (!isOver || placeOf(context.env, place.id).alive) throw error;
    return keepAnswer(context, placeOf(context.env, place.id), given);
  });
}
