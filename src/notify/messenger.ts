/**
 * A session's messenger: hears the journal, tells whoever is to be told, and brings back what a notifier that may answer says.
 * It answers nothing itself: an answer goes through the desk like any other, and one that does not count is on record once.
 */
import { randomBytes } from 'node:crypto';
import {
  asReinsError,
  type Clock,
  type Entry,
  type Env,
  type Inquiry,
  type Log,
  type Notification,
} from '../contract/index.js';
import { redactor, secretsFrom } from '../log/index.js';
import { type Delivered, type DeliverPorts, deliver, secretOf } from './deliver.js';
import type { OutsideAnswer } from './given.js';
import { Lane } from './lane.js';
import { Moments } from './moments.js';
import { type Notifier, type NotifyConfig, notifiersOf } from './notifiers.js';
import {
  endedNote,
  isSecret,
  limitNote,
  settledNote,
  type Teller,
  type ToldSession,
  type Unsent,
  waitingNote,
} from './payload.js';

export interface MessengerPorts {
  config: NotifyConfig;
  session: ToldSession;
  version: string;
  env: Env;
  clock: Clock;
  log: Log;
  run: DeliverPorts['run'];
  /** Takes out of a text what is secret in this session by now: of its project, and typed unseen. */
  hider(): (text: string) => string;
  present(): Promise<boolean>;
  /** Throws a ReinsError where it does not fit, or is no longer wanted. */
  answer(given: OutsideAnswer & { inquiry: string; by: string }): void;
  /** On record. */
  notice(text: string): void;
}

export interface Messenger {
  told(entry: Entry): void;
  /** The last word is sent, if it can be within this time; then everything is called off. */
  close(withinMs?: number): Promise<void>;
}

/** Held responses and dialogs: more inquiries than this at once wait for one to be answered. */
const ASKING = { webhook: 8, command: 4 };
const FAREWELL_MS = 5_000;

interface Way {
  notifier: Notifier;
  /** One at a time. */
  telling: Lane;
  /** What waits for an answer, beside it. */
  asking: Lane;
  isDown: boolean;
  /** By inquiry, while it may be answered this way: calls it off. */
  asked: Map<string, AbortController>;
}

export function createMessenger(ports: MessengerPorts): Messenger {
  const { clock, config, session, log } = ports;
  const notifiers = notifiersOf(config);
  const ways = new Map(notifiers.map((notifier) => [notifier.name, wayOf(notifier, clock)]));
  const over = new AbortController();
  const secrets = notifiers.flatMap((notifier) => (notifier.kind === 'webhook' ? [secretOf(notifier, ports.env)] : []));
  const known = [...secretsFrom(ports.env), ...secrets.filter((one) => typeof one === 'string')];
  // Anew for each message: what is secret is written down, and typed, while the session runs.
  const teller = (): Teller => ({ session, details: config.details, redact: redactor(known, ports.hider()) });
  const sender: DeliverPorts = { env: ports.env, version: ports.version, now: () => clock.now(), run: ports.run };

  const send = (name: string, unsent: Unsent, inquiry?: Inquiry): void => {
    const way = ways.get(name)!;
    const { notifier } = way;
    const asks = inquiry !== undefined && notifier.answers && !isSecret(inquiry);
    const off = new AbortController();
    // Of its next stage nobody is told who is just being asked: a dialog stays as it is.
    if (asks && way.asked.has(inquiry.id)) return;
    if (asks) way.asked.set(inquiry.id, off);
    const note: Notification = {
      v: 1,
      id: `${session.id}-${randomBytes(8).toString('hex')}`,
      at: new Date(clock.now()).toISOString(),
      ...unsent,
      ...(asks ? { answer: answerOf(notifier, inquiry) } : {}),
    };
    const signal = AbortSignal.any([over.signal, off.signal]);
    const taken = (asks ? way.asking : way.telling).add({
      signal,
      send: (attempt) => deliver(sender, { notifier, note, attempt, signal, ...(asks ? { inquiry } : {}) }),
      over: (result, tries) => came(way, { result, tries, type: note.type, ...(asks ? { inquiry } : {}) }),
    });
    if (!taken) down(way, 'too much waits to be sent to it');
  };

  const came = (
    way: Way,
    { result, tries, type, inquiry }: { result: Delivered; tries: number; type: string; inquiry?: Inquiry },
  ): void => {
    const { notifier } = way;
    log.log(result.how === 'failed' ? 'warn' : 'info', 'notified', {
      notifier: notifier.name,
      type,
      how: result.how,
      tries,
    });
    if (inquiry) way.asked.delete(inquiry.id);
    if (result.how === 'failed') {
      const often = tries > 1 ? ` (tried ${tries} times)` : '';
      down(way, `${result.reason}${often}`, result.fix);
      return;
    }
    way.isDown = false;
    if (result.how === 'wrong') refused(notifier, inquiry!, result.reason);
    if (result.how === 'answered') take(notifier, inquiry!, result.given);
  };

  const take = (notifier: Notifier, inquiry: Inquiry, given: OutsideAnswer): void => {
    try {
      ports.answer({ ...given, inquiry: inquiry.id, by: notifier.name });
    } catch (error) {
      const { code, message } = asReinsError(error);
      // Somebody else was quicker: nobody did anything wrong.
      if (code === 'ANSWER_INVALID') refused(notifier, inquiry, message);
      else log.log('info', 'an answer came too late', { notifier: notifier.name, code });
    }
  };

  const refused = (notifier: Notifier, inquiry: Inquiry, reason: string): void =>
    ports.notice(`${notifier.name} gave no answer that counts to ${inquiry.id}: ${reason}`);

  /** Once, until it works again. */
  const down = (way: Way, reason: string, fix = 'try it with `reins notify test`'): void => {
    if (way.isDown) return;
    way.isDown = true;
    ports.notice(`${way.notifier.name} could not be told: ${reason}; ${fix}`);
  };

  const moments = new Moments({
    clock,
    on: config.on,
    quietHours: config.quiet_hours,
    notifiers,
    present: ports.present,
    waits: (name, inquiry, progress) => send(name, waitingNote(teller(), inquiry, progress), inquiry),
    settled: (name, inquiry, answer) => {
      ways.get(name)!.asked.get(inquiry.id)?.abort();
      ways.get(name)!.asked.delete(inquiry.id);
      send(name, settledNote(teller(), inquiry, answer));
    },
    ended: (name, data) => send(name, endedNote(teller(), data, false)),
    limited: (name, limit) => send(name, limitNote(teller(), limit)),
    tooMany: (minutes) => ports.notice(`Many inquiries within ${minutes} minutes: further ones are told of later.`),
  });

  return {
    told: (entry) => moments.told(entry),
    async close(withinMs = FAREWELL_MS) {
      moments.close();
      for (const way of ways.values()) for (const off of way.asked.values()) off.abort();
      const cancel = clock.after(withinMs, () => over.abort());
      await Promise.all([...ways.values()].flatMap(({ telling, asking }) => [telling.finish(), asking.finish()]));
      cancel();
      over.abort();
    },
  };
}

const wayOf = (notifier: Notifier, clock: Clock): Way => ({
  notifier,
  telling: new Lane({ clock, slots: 1 }),
  asking: new Lane({ clock, slots: ASKING[notifier.kind] }),
  isDown: false,
  asked: new Map(),
});

function answerOf(notifier: Notifier, inquiry: Inquiry): NonNullable<Notification['answer']> {
  return {
    ...(notifier.kind === 'webhook' ? { ticket: randomBytes(24).toString('hex') } : {}),
    within_secs: notifier.timeoutMs / 1000,
    command: `reins answer ${inquiry.id} …`,
  };
}
