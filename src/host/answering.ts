/** The command `answer`: from what was said to a verdict, and by whom. Who has no say in it is told so. */
import { inquiryDigest } from '../contract/digest.js';
import {
  type By,
  COMMAND_RIGHTS,
  type CommandArgs,
  type CommandResult,
  type Inquiry,
  ReinsError,
  type Suggestion,
  type Verdict,
  type WaitingInquiry,
} from '../contract/index.js';
import { takenSuggestion, wordsToVerdict } from './answer-words.js';
import type { Host } from './host.js';
import { publicAnswer } from './verdict-fits.js';
import type { Viewer } from './viewer.js';

/** Who answered, in words for whoever comes second: a viewer's id alone says nothing to a person. */
function whoIs({ request, id, gate }: Viewer): string {
  const { who } = gate.access;
  if (who.kind !== 'user') return request?.name ?? who.name;
  if (!request) return '`reins answer`';
  const kinds = { run: 'its run', terminal: 'an attached terminal', web: 'a browser', api: 'a program' };
  return request.name ?? `${kinds[request.kind]} (${id})`;
}

/** The suggestion is the whole answer: nothing is said beside it. */
function taken(inquiry: WaitingInquiry, args: CommandArgs<'answer'>): Suggestion {
  const beside = [args.words?.length, args.texts?.length, args.input !== undefined].some(Boolean);
  if (beside)
    throw new ReinsError('USAGE', {
      problem: 'suggested is the whole answer',
      fix: 'leave out words, texts and input',
    });
  return takenSuggestion(inquiry.id, inquiry.suggestion, args.suggested!);
}

/** Something else is allowed than was asked: whoever also says no, or chooses, means something that is not clear. */
function edited(inquiry: WaitingInquiry, { input, words = [], texts = [] }: CommandArgs<'answer'>): Verdict {
  const isClear = words.length + texts.length === 0 || wordsToVerdict(inquiry, words, texts).kind === 'allow';
  if (!isClear)
    throw new ReinsError('USAGE', {
      problem: 'another input is an allow',
      fix: 'leave out words and texts, or the input',
    });
  return { kind: 'allow', input };
}

export async function answer(
  host: Host,
  viewer: Viewer,
  args: CommandArgs<'answer'>,
): Promise<CommandResult<'answer'>> {
  const { inquiry: id, reason, scope } = args;
  // Not only what waits visibly: an answer may come while the policy still decides.
  const inquiry = [...host.desk.unsettled(), ...host.desk.untold()].find((open) => open.id === id);
  if (inquiry && args.digest !== undefined && args.digest !== (await inquiryDigest(inquiry)))
    throw new ReinsError('INQUIRY_CHANGED', { inquiry: id });
  const proposed = inquiry && args.suggested !== undefined ? taken(inquiry, args) : undefined;
  const verdict: Verdict = !inquiry
    ? { kind: 'deny' }
    : proposed
      ? proposed.verdict
      : args.input !== undefined
        ? edited(inquiry, args)
        : wordsToVerdict(inquiry, args.words ?? [], args.texts ?? []);
  const given = host.desk.answer({
    inquiry: id,
    verdict,
    by: await byOf(host, viewer, { inquiry, verdict, args }),
    ...(reason === undefined ? {} : { reason }),
    ...(scope === undefined ? {} : { scope }),
    ...(proposed ? { proposed } : {}),
  });
  // With what was understood, except a secret.
  const shown = inquiry ? publicAnswer(inquiry, given).verdict : given.verdict;
  const { kind, ...content } = shown;
  return { inquiry: given.inquiry, verdict: kind, ...(kind === 'values' ? content : {}) };
}

/** Throws RIGHT_MISSING where a process of the session above has no say in it. */
async function byOf(
  host: Host,
  viewer: Viewer,
  { inquiry, verdict, args }: { inquiry: Inquiry | undefined; verdict: Verdict; args: CommandArgs<'answer'> },
): Promise<By> {
  const { gate, id } = viewer;
  // Who may only answer says yes or no to what is asked; a command of one's own is typed.
  if (args.input !== undefined && gate.may(COMMAND_RIGHTS.answer) && !gate.may('type'))
    gate.refuse('`answer` with another input', 'type', undefined);
  if (gate.may(COMMAND_RIGHTS.answer)) return { kind: 'viewer', viewer: id, name: whoIs(viewer), who: gate.access.who };
  const { parent } = host;
  // Of one that is not open nothing is said but that.
  const why = inquiry && (parent ? await parent.refuses(inquiry, verdict, args) : 'it is not the parent');
  if (why !== undefined) gate.refuse('`answer`', COMMAND_RIGHTS.answer, why);
  return { kind: 'parent', session: parent?.session ?? '?' };
}
