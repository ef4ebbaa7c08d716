/**
 * Started by tty.test.ts on a terminal of its own, its standard streams redirected: asks what it was given as JSON, says
 * in a file how each was answered and when keys begin to count, and ends by itself when nothing is open any more.
 */
import { appendFileSync } from 'node:fs';
import { type Clock, type Inquiry, systemClock } from '../../contract/index.js';
import { openTty } from '../channels.js';
import { createAsker } from './index.js';

const [, , said, given] = process.argv as [string, string, string, string];
const inquiries = JSON.parse(given) as Inquiry[];
const say = (value: unknown) => appendFileSync(said, `${JSON.stringify(value)}\n`);

/** The guard's last wait is the shortest there is: behind it keys count. */
const clock: Clock = {
  now: () => systemClock.now(),
  after: (ms, call) =>
    systemClock.after(ms, () => {
      call();
      if (ms === 1) say('keys count');
    }),
};

const asker = createAsker({
  openTty,
  pretty: true,
  clock,
  agent: () => 'claude',
  grantRule: () => 'Bash(npm test:*)',
  midLine: () => false,
  answer: async (id, answer) => {
    say({ id, ...answer });
    // Tell the asker first, as a host's entries do.
    asker.closed(id);
    return undefined;
  },
  interrupted() {
    say('interrupted');
    asker.close();
  },
  killed() {
    say('killed');
    asker.close();
  },
});
say(inquiries.map((inquiry) => asker.opened(inquiry)));
