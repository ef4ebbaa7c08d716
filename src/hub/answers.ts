/**
 * What waits, and answers to it. An answer names the digest of what was shown: another inquiry under the same id, or one that
 * changed, is refused. One that was settled elsewhere says by whom.
 */
import { allows, type CommandArgs, type CommandResult, ReinsError } from '../contract/index.js';
import type { Card } from '../contract/page.js';
import { type Place, placeOf } from '../link/index.js';
import { connectTo, keepAnswer, settledBefore, type Where } from '../sessions/index.js';
import type { KnownDevice } from './device-files.js';
import { type HubCall, type HubHandlers, stillIn } from './handlers.js';
import type { Watching } from './watching.js';

export interface AnswerPorts {
  where: Where;
  watching: Watching;
}

/** The nearest deadline first, then the oldest. */
const byUrgency = ({ inquiry: a }: Card, { inquiry: b }: Card): number => {
  const end = ({ deadline_at, until }: Card['inquiry']) => [deadline_at, until].filter(Boolean).sort()[0] ?? '9999';
  return end(a).localeCompare(end(b)) || a.opened_at.localeCompare(b.opened_at);
};

export function answerDeeds(ports: AnswerPorts): Pick<HubHandlers, 'inbox' | 'card' | 'answer'> {
  const { watching } = ports;
  return {
    async inbox({ device }) {
      await watching.ready;
      return watching.seenBy(device).cards.sort(byUrgency);
    },
    async card({ id, place }) {
      await watching.ready;
      return cardOf(ports, id, place);
    },
    async answer(call) {
      await watching.ready;
      const { id, place, args, device } = call;
      const more = beyondAnswer(args);
      if (more !== undefined && !allows(device.right, 'type'))
        throw new ReinsError('RIGHT_MISSING', { what: more, need: 'type', may: device.right });
      const card = await cardOf(ports, id, place);
      if (args.digest !== card.digest) throw new ReinsError('INQUIRY_CHANGED', { inquiry: id });
      if (card.cut && !isDenial(args)) {
        throw new ReinsError('ANSWER_INVALID', {
          inquiry: id,
          reason: 'it is too long to be shown whole here',
          fix: `deny it, or answer at the machine itself: reins answer ${id} allow`,
        });
      }
      stillIn(call.signal);
      return give(ports, call);
    },
  };
}

/** What makes the agent do something of one's own takes the right to type. */
const beyondAnswer = ({ input, interrupt }: HubCall<'answer'>['args']): string | undefined =>
  input !== undefined ? 'answer with another input' : interrupt ? 'stop the turn' : undefined;

/** And nothing else: what is said beside it must not turn it into a yes. */
const isDenial = ({ words, texts, input, suggested }: HubCall<'answer'>['args']): boolean =>
  words?.length === 1 && words[0] === 'deny' && !texts?.length && input === undefined && suggested === undefined;

/** A card comes a moment after its inquiry: whoever asks for it waits for that moment. */
async function cardOf({ where, watching }: AnswerPorts, id: string, place: Place): Promise<Card> {
  const card = await watching.card(id);
  if (!card) throw settledBefore(id, place);
  // Of a session that is over meanwhile, a card may still be on its way out.
  if (!card.inquiry.lost && !placeOf(where.env, place.id).alive) await watching.again(place.id);
  return card;
}

async function give({ where, watching }: AnswerPorts, call: HubCall<'answer'>): Promise<CommandResult<'answer'>> {
  const { id, place, device, args } = call;
  const { digest: _, interrupt, ...said } = args;
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  const asked = { ...given, inquiry: id } as CommandArgs<'answer'>;
  if (!place.alive) {
    const receipt = await keepAnswer(
      where,
      place,
      { ...asked, digest: args.digest },
      { may: device.right, device: device.name },
    );
    await watching.again(place.id);
    return receipt;
  }
  const receipt = await told({ where, place, device }, { ...asked, digest: args.digest }, interrupt === true);
  await watching.gone(id);
  return receipt;
}

async function told(
  { where, place, device }: { where: Where; place: Place; device: KnownDevice },
  asked: CommandArgs<'answer'>,
  stopsTurn: boolean,
): Promise<CommandResult<'answer'>> {
  const client = await connectTo(where, place, undefined, { may: device.right, device: device.name });
  try {
    const receipt = await client.command('answer', asked);
    // An answer stands, whatever becomes of the turn.
    if (stopsTurn) await client.command('interrupt').catch(() => undefined);
    return receipt;
  } finally {
    client.close();
  }
}
