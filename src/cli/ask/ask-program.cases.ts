/**
 * Started by tty.test.ts on a terminal of its own, its standard streams redirected: asks what it was given as JSON, says
 * on a file how each was answered, and ends when all are.
 */
import { appendFileSync } from 'node:fs';
import type { Inquiry } from '../../contract/index.js';
import { openTty } from '../channels.js';
import { createAsker } from './index.js';

const [, , said, given] = process.argv as [string, string, string, string];
const inquiries = JSON.parse(given) as Inquiry[];
const say = (value: unknown) => appendFileSync(said, `${JSON.stringify(value)}\n`);
let left = inquiries.length;

const asker = createAsker({
  openTty,
  pretty: true,
  agent: () => 'claude',
  grantRule: () => 'Bash(npm test:*)',
  midLine: () => false,
  answer: async (id, answer) => {
    say({ id, ...answer });
    // Tell the asker first, as a host's entries do.
    asker.closed(id);
    left -= 1;
    if (left === 0) setTimeout(() => asker.close(), 50);
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
