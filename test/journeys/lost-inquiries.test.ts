/** A session that loses its host while it asks: the inquiry stays in the inbox, and what is answered meanwhile counts later. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LostInquiry } from '../../src/contract/index.js';
import { reins } from './support/cli.js';
import { entries, entry, sessionDir } from './support/journal.js';
import { ofType } from './support/loop.js';
import { detached, json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const STEPS = (...commands: string[]) =>
  JSON.stringify(commands.map((command) => ({ tool: 'Bash', input: { command } })));
const DEFER = ['--set', 'tools.defaults.detached=defer'];

async function asks(world: World, scenario: string): Promise<{ id: string; inquiry: string }> {
  const args = ['run', '-b', 'practice', '--once', ...DEFER, 'go'];
  const id = await detached(world, args, { env: { PRACTICE_SCENARIO: scenario } });
  const { data } = await entry(world, 'inquiry.opened', { session: id });
  return { id, inquiry: data.inquiry.id };
}

async function loses(world: World, id: string, signal: NodeJS.Signals): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8'));
  process.kill(pid, signal);
  await until('its host to be gone', () => !existsSync(`/proc/${pid}`));
}

const inbox = (world: World) => json<LostInquiry[]>(world, ['inbox']);
const goesOn = (world: World, id: string, scenario: string, flags: string[] = []) =>
  reins(world, ['run', '--continue', id, '--non-interactive', ...flags], { env: { PRACTICE_SCENARIO: scenario } });

describe('a host that is lost while its agent asks', () => {
  test('killed: the answer is kept, and given to the same call once; a changed one is asked anew', async () => {
    const world = newWorld();
    const same = 'echo yes >> done.txt';
    const { id, inquiry } = await asks(world, STEPS(same));
    await loses(world, id, 'SIGKILL');
    const line = `reins run --continue ${id}`;
    expect(await inbox(world)).toMatchObject([{ id: inquiry, lost: true, continue: line }]);
    const told = await reins(world, ['inbox']);
    expect(told.stdout).toContain(line);
    // Nothing that waits is removed unsaid, and nobody inside a session answers.
    const pruned = await reins(world, ['prune', '--all']);
    // It stays, and is not said to be absent.
    expect(pruned.stderr).not.toMatch(/Nothing ended|No session has ended/);
    expect(pruned.stderr).toContain(`${id} stays: 1 inquiry waited`);
    const inside = await reins(world, ['answer', inquiry, 'allow'], { env: { REINS_SESSION: 'zzzz2222' } });
    expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to a session') });

    const receipt = await json(world, ['answer', inquiry, 'allow']);
    expect(receipt).toEqual({ inquiry, verdict: 'allow', kept: true, continue: line });
    expect(await reins(world, ['answer', inquiry, 'deny'])).toMatchObject({ code: 31 });
    expect(await inbox(world)).toEqual([]);

    // It changes the call, asks the same twice, and the second is nobody's.
    const next = await goesOn(world, id, STEPS(`${same} `, same, same), ['--set', 'tools.defaults.detached=deny']);
    expect(next.stderr).toContain('denied');
    expect(readFileSync(join(world.project, 'done.txt'), 'utf8')).toBe('yes\n');
    const answered = ofType(entries(world, id), 'inquiry.answered').slice(1);
    expect(answered.map(({ data: { answer } }) => [answer.verdict.kind, answer.by.kind, answer.earlier])).toEqual([
      ['deny', 'policy', undefined],
      ['allow', 'viewer', inquiry],
      ['deny', 'policy', undefined],
    ]);
  });

  test('told to end, as when the machine goes down: it is asked anew where nobody has answered', async () => {
    const world = newWorld();
    const scenario = STEPS('echo yes > done.txt');
    const { id, inquiry } = await asks(world, scenario);
    await loses(world, id, 'SIGTERM');
    expect(await inbox(world)).toMatchObject([{ id: inquiry, lost: true }]);
    const parked = await goesOn(world, id, scenario);
    expect(parked.code).toBe(5);
    const [again] = await inbox(world);
    expect(again).toMatchObject({ session: id });
    expect(again).not.toHaveProperty('lost');
    expect(again!.id).not.toBe(inquiry);
    expect(await reins(world, ['answer', again!.id, 'allow'])).toMatchObject({ code: 0 });
    await entry(world, 'session.ended', { session: id, is: ({ data }) => data.exit_code === 0 });
    expect(existsSync(join(world.project, 'done.txt'))).toBe(true);
    // Stopped on purpose: then nothing waits any more.
    const other = await asks(world, scenario);
    await reins(world, ['stop', other.id]);
    expect(await inbox(world)).toEqual([]);
  });
});
