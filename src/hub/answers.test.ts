/** W13: what is too long to be shown whole is denied here, and nothing said beside a no makes it a yes. */
import { expect, it } from 'vitest';
import type { RouteArgs } from '../contract/page.js';
import { answerDeeds } from './answers.js';
import type { HubCall } from './handlers.js';
import { testHub } from './hub.cases.js';
import type { Watching } from './watching.js';

const ID = 'aaaa2222.1';

it.each<Partial<RouteArgs<'answer'>>>([
  { words: ['allow'] },
  { input: { command: 'rm -rf ~' } },
  { words: ['deny'], input: { command: 'rm -rf ~' } },
  { words: ['deny'], suggested: 'x' },
  { words: ['deny'], texts: ['yes'] },
  { words: ['deny', 'allow'] },
])('a card that is cut is not answered by %j', async (said) => {
  const { env } = testHub();
  const where = { env, cwd: '/', version: '0' };
  const card = { cut: true, digest: 'd', inquiry: { id: ID, lost: true } };
  const watching = { ready: Promise.resolve(), card: async () => card } as unknown as Watching;
  const call = {
    id: ID,
    device: { right: 'admin' },
    place: { id: 'aaaa2222', alive: false },
    args: { digest: 'd', ...said },
  };
  const answered = answerDeeds({ where, watching }).answer(call as unknown as HubCall<'answer'>);
  await expect(answered).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  await expect(answered).rejects.toThrow(/too long to be shown whole/);
});
