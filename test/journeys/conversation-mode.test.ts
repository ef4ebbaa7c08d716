/** A conversation: headless, two-way, message by message. What a browser's chat and an editor stand on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EntryType } from '../../src/contract/index.js';
import { fakeAgent } from './support/agents.js';
import { reins } from './support/cli.js';
import { converse } from './support/conversation.js';
import { entries, sessionDir } from './support/journal.js';
import { json, row, send } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

/** Nobody is there: whatever is asked waits. */
const DEFER = ['tools.defaults.detached=defer'];

const of = <T extends EntryType>(world: World, id: string, type: T) =>
  entries(world, id).flatMap((entry) => (entry.type === type ? [entry.data as never as Record<string, unknown>] : []));

const counted = (world: World, id: string, type: EntryType, count: number) =>
  until(
    `${count} × ${type}`,
    () => of(world, id, type).length >= count || undefined,
    () => JSON.stringify(entries(world, id).slice(-12), null, 1),
  );

const isIdle = (world: World, id: string) =>
  until('idle', async () => (await row(world, id)).state === 'idle' || undefined);

describe('a conversation', () => {
  test('three messages, a question in the second, an interrupt, a stop', async () => {
    const world = newWorld();
    const id = await converse(world, { backend: 'practice', set: DEFER });
    await isIdle(world, id);
    expect(await row(world, id)).toMatchObject({ mode: 'conversation', agent: 'practice', state: 'idle' });

    expect(await send(world, id, 'hello')).toMatchObject({ verdict: 'submitted' });
    await counted(world, id, 'turn.ended', 1);
    expect(of(world, id, 'agent.text').map(({ text }) => text)).toEqual([expect.stringContaining('practice agent')]);

    const watch = reins(world, ['attach', id]);
    expect(await send(world, id, 'ask a question')).toMatchObject({ verdict: 'submitted' });
    await counted(world, id, 'inquiry.opened', 1);
    expect(await send(world, id, 'hello again')).toMatchObject({ verdict: 'queued' });
    const inbox = await until('the question in the inbox', async () => {
      const open = await json<{ id: string }[]>(world, ['inbox']);
      return open.length > 0 ? open : undefined;
    });
    expect((await reins(world, ['answer', inbox[0]!.id, '1'])).code).toBe(0);
    await counted(world, id, 'turn.ended', 3);
    expect(of(world, id, 'prompt.given').map(({ text }) => text)).toEqual(['hello', 'ask a question', 'hello again']);

    expect(await send(world, id, 'permission, please')).toMatchObject({ verdict: 'submitted' });
    await counted(world, id, 'inquiry.opened', 2);
    expect((await reins(world, ['interrupt', id])).code).toBe(0);
    await counted(world, id, 'turn.ended', 4);
    expect(of(world, id, 'turn.ended').map(({ ok, interrupted }) => [ok, interrupted === true])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    await isIdle(world, id);
    expect(await send(world, id, 'hello')).toMatchObject({ verdict: 'submitted' });
    await counted(world, id, 'turn.ended', 5);

    expect((await reins(world, ['send', id, '--keys', 'Enter'])).code).not.toBe(0);
    expect((await reins(world, ['stop', id])).code).toBe(0);
    expect((await watch).code).toBe(143);
    expect(await row(world, id)).toMatchObject({ state: 'ended', outcome: 'stopped' });
  });

  test('a call that nobody allowed ends it, as in every mode', async () => {
    const world = newWorld();
    const call = { tool: 'Bash', input: { command: 'echo bad > bad' }, ungated: 'unasked' };
    world.env.PRACTICE_SCENARIO = JSON.stringify([call, { misbehave: 'slow', n: 60 }]);
    const id = await converse(world, { backend: 'practice', prompt: 'go' });
    await counted(world, id, 'session.ended', 1);
    expect(of(world, id, 'session.ended')).toMatchObject([{ outcome: 'ungated' }]);
    expect(of(world, id, 'ungated')).toHaveLength(1);
  });

  test('kill -9 of its host: nothing runs on, what was said is on record, and it can be taken up', async () => {
    const world = newWorld();
    const id = await converse(world, { backend: 'practice', prompt: 'hello', set: DEFER });
    await counted(world, id, 'turn.ended', 1);
    await send(world, id, 'permission, please');
    await counted(world, id, 'inquiry.opened', 1);
    await send(world, id, 'and one that waits');
    const { pid } = await row(world, id);
    process.kill(pid!, 'SIGKILL');
    await until('its end', async () => (await row(world, id)).state === 'ended' || undefined);
    await reins(world, ['stop', id]);
    await world.empty();
    expect(of(world, id, 'message.queued').at(-1)).toMatchObject({ text: 'and one that waits' });
    expect(readFileSync(join(sessionDir(world, id), 'journal.jsonl'), 'utf8')).toContain('"code":"conversation"');

    expect((await reins(world, ['run', '--continue', id, '-d'])).code).toBe(0);
    await until('what waited is given to the agent', () =>
      of(world, id, 'prompt.given').some(({ text }) => text === 'and one that waits'),
    );
    expect(await send(world, id, 'hello')).toMatchObject({ verdict: expect.stringMatching(/submitted|queued/) });
    await counted(world, id, 'turn.ended', 3);
    expect(of(world, id, 'message.sent')).toHaveLength(3);
    expect((await reins(world, ['stop', id])).code).toBe(0);
  });

  test('an agent without a two-way door is refused before anything starts', async () => {
    const world = newWorld();
    fakeAgent(world, 'amp');
    await expect(converse(world, { backend: 'amp' })).rejects.toMatchObject({
      message: expect.stringContaining('takes one prompt and no more'),
    });
  });
});
