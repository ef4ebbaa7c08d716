/** The messenger of one session, put together with its desk and journal. Loaded only where `notify` has somebody to tell. */

import { hider } from '../consult/index.js';
import { type Clock, type Env, type Log, ReinsError } from '../contract/index.js';
import { createMessenger, type Messenger } from '../notify/messenger.js';
import { wordsToVerdict } from './answer-words.js';
import { knownSecrets } from './consult/known-secrets.js';
import type { Host } from './host.js';
import { runNotifyCommand } from './notify-command.js';
import { presenceNow } from './presence.js';

export function openMessenger(host: Host, { env, clock, log }: { env: Env; clock: Clock; log: Log }): Messenger {
  const { spec, journal, desk } = host;
  const messenger = createMessenger({
    config: spec.config.notify,
    session: { id: spec.id, name: spec.name, agent: spec.agent?.adapter ?? '?', mode: spec.mode, cwd: spec.cwd },
    version: spec.reins,
    env,
    clock,
    log: log.room('notify'),
    hider: () => hider(knownSecrets({ env, cwd: spec.cwd, given: desk.secrets })),
    run: (ask) => runNotifyCommand(ask, { env, clock, session: spec.id }),
    present: async () =>
      (await presenceNow({ nonInteractive: spec.seat.non_interactive, viewers: host.viewers })).present,
    answer: ({ inquiry: id, by, words, texts, reason }) => {
      const inquiry = desk.unsettled().find((open) => open.id === id);
      if (!inquiry) throw new ReinsError('SESSION_ENDED', { session: spec.id });
      desk.answer({
        inquiry: id,
        verdict: wordsToVerdict(inquiry, words, texts),
        by: { kind: 'notifier', name: by },
        ...(reason === undefined ? {} : { reason }),
      });
    },
    notice: (text) => journal.append('notice', { level: 'warn', code: 'notify', text }),
  });
  journal.subscribe((entry) => messenger.told(entry));
  return messenger;
}
