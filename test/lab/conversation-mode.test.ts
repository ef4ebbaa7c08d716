/** Conversations with real agents over their two-way doors: message by message, a question, an interrupt, a stop. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EntryType } from '../../src/contract/index.js';
import { reins } from '../journeys/support/cli.js';
import { converse } from '../journeys/support/conversation.js';
import { entries } from '../journeys/support/journal.js';
import { json, row, send } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, type Lab, openLab, prompts } from './support.js';

const of = ({ world }: Lab, id: string, type: EntryType) =>
  entries(world, id).flatMap((entry) => (entry.type === type ? [entry.data as never as Record<string, unknown>] : []));

const counted = (lab: Lab, id: string, type: EntryType, count: number) =>
  until(
    `${count} × ${type}`,
    () => of(lab, id, type).length >= count || undefined,
    () => JSON.stringify(entries(lab.world, id).slice(-12), null, 1),
  );

const words = (lab: Lab, id: string) =>
  of(lab, id, 'agent.text')
    .map(({ text }) => text)
    .join('');

describe.each(AGENTS)('%s, in a conversation', (agent) => {
  it('answers message by message, asks before it acts, can be interrupted, and is stopped', async () => {
    const lab = await openLab(
      agent,
      `turns:
         - {when: say one, text: "This is one. "}
         - {when: make a file, text: "I will. ", bash: echo talked > talked.txt}
         - {when: make a file, text: "It is there. "}
         - {when: make another, text: "Another. ", bash: echo other > other.txt}
         - {when: say last, text: "This is the last. "}`,
    );
    const { world } = lab;
    const id = await converse(world, { backend: agent, set: ['tools.defaults.detached=defer'] });
    await send(world, id, 'say one');
    await counted(lab, id, 'turn.ended', 1);
    expect(words(lab, id)).toContain('This is one.');
    expect(await row(world, id)).toMatchObject({ mode: 'conversation', state: 'idle' });

    await send(world, id, 'make a file');
    await counted(lab, id, 'inquiry.opened', 1);
    expect(existsSync(join(world.project, 'talked.txt'))).toBe(false);
    const [open] = await until('the inquiry in the inbox', async () => {
      const inbox = await json<{ id: string }[]>(world, ['inbox']);
      return inbox.length > 0 ? inbox : undefined;
    });
    expect((await reins(world, ['answer', open!.id, 'yes'])).code).toBe(0);
    await counted(lab, id, 'turn.ended', 2);
    expect(existsSync(join(world.project, 'talked.txt'))).toBe(true);

    await send(world, id, 'make another');
    await counted(lab, id, 'inquiry.opened', 2);
    expect(await send(world, id, 'say last')).toMatchObject({ verdict: 'queued' });
    expect((await reins(world, ['interrupt', id])).code).toBe(0);
    await counted(lab, id, 'turn.ended', 4);
    expect(of(lab, id, 'turn.ended').map(({ ok, interrupted }) => [ok, interrupted === true])).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [true, false],
    ]);
    expect(words(lab, id)).toContain('This is the last.');
    expect(existsSync(join(world.project, 'other.txt'))).toBe(false);
    expect(prompts(lab).at(-1)).toContain('say last');
    // One process all the time.
    expect(of(lab, id, 'agent.started')).toMatchObject([{ agent, door: 'control' }]);

    expect((await reins(world, ['stop', id])).code).toBe(0);
    expect(await row(world, id)).toMatchObject({ state: 'ended', outcome: 'stopped' });
  });
});
