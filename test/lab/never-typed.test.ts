/**
 * "Never type into what is not understood" with the real agents: while a dialog stands on the screen, read or not, `send`
 * is refused, nothing is approved by accident, the session shows as asking, and it goes on as soon as the dialog is gone.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all, entries } from '../journeys/support/journal.js';
import { row } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, FULL, type Lab, openLab, sit, stateIs } from './support.js';

const SMALL = { cols: 40, rows: 10 };

/** The open inquiry, once the session shows as asking. */
async function asking({ world }: Lab, id: string) {
  await until('the session to ask', async () => (await row(world, id)).state === 'asking' || undefined);
  return until('an open inquiry', async () => {
    const closed = (await all(world, 'inquiry.closed')).map(({ data }) => data.inquiry);
    return (await all(world, 'inquiry.opened')).map(({ data }) => data.inquiry).find((one) => !closed.includes(one.id));
  });
}

async function refused({ world }: Lab, id: string, inquiry: string): Promise<string> {
  const sent = await reins(world, ['send', id, 'no, do not', '--json']);
  const receipt = JSON.parse(sent.stdout) as { verdict: string; reason: string };
  expect([sent.code, receipt.verdict]).toEqual([1, 'refused']);
  expect(receipt.reason).toContain(inquiry);
  // Not a byte of it reached the agent.
  expect(entries(world, id).filter((one) => one.type === 'input.sent' && one.data.why === 'answer')).toEqual([]);
  return receipt.reason;
}

const closed = ({ world }: Lab, inquiry: string) =>
  until('the inquiry to close', async () =>
    (await all(world, 'inquiry.closed')).find(({ data }) => data.inquiry === inquiry),
  );

describe.each(AGENTS)('D1: %s at 40x10, where its dialog is cut off', (agent) => {
  it('send is refused, nothing runs, a person is told, and it goes on after the dialog', async () => {
    const touch =
      agent === 'codex' ? '{tool: {name: exec_command, input: {cmd: "touch x.txt"}}}' : '{bash: "touch x.txt"}';
    const { lab, id } = await sit(agent, `turns: [${touch}, {text: done}, {text: The next one.}]`, { size: SMALL });
    const { world } = lab;
    const inquiry = await asking(lab, id);
    await refused(lab, id, inquiry.id);
    expect(existsSync(join(world.project, 'x.txt'))).toBe(false);
    expect((await reins(world, ['inbox'])).stdout).toContain(inquiry.id);
    if (inquiry.tool === 'dialog') {
      const answer = await reins(world, ['answer', inquiry.id, 'allow']);
      expect([answer.code !== 0, answer.stderr.includes('attach')]).toEqual([true, true]);
    }
    expect(await reins(world, ['send', id, '--keys', 'Esc'])).toMatchObject({ code: 0 });
    await closed(lab, inquiry.id);
    expect(existsSync(join(world.project, 'x.txt'))).toBe(false);
  });
});

it('D2: guarded, codex before 0.166 is refused in its terminal, and nothing starts', async () => {
  const lab = await openLab('codex', 'turns: [{text: hello}]', '0.150.0');
  const ended = await reins(lab.world, ['run', '-i', '-d', '-b', 'codex', 'go']);
  expect(ended).toMatchObject({ code: 20, stdout: '' });
  expect(ended.stderr).toContain('--trust full');
});

it('D2: codex before OSC 7501: its dialog is seen, and a message does not approve it', async () => {
  const call = '{cmd: "touch x.txt", sandbox_permissions: require_escalated, justification: "May I?"}';
  const scenario = `turns: [{tool: {name: exec_command, input: ${call}}}, {text: done}, {text: The next one.}]`;
  // Guarded, this version is refused in its terminal; trusted, it still asks before it leaves its sandbox.
  const { lab, id } = await sit('codex', scenario, {
    version: '0.150.0',
    flags: [...FULL, '--set', 'rules.ask=["Bash"]'],
  });
  const inquiry = await asking(lab, id);
  await refused(lab, id, inquiry.id);
  expect(existsSync(join(lab.world.project, 'x.txt'))).toBe(false);
  expect(await reins(lab.world, ['answer', inquiry.id, 'deny'])).toMatchObject({ code: 0 });
  await closed(lab, inquiry.id);
  await stateIs(lab, id, 'idle');
  expect(existsSync(join(lab.world.project, 'x.txt'))).toBe(false);
});

describe('D4: gemini', () => {
  it('its page about a possible loop is an inquiry, and takes no message', async () => {
    const { lab, id } = await sit(
      'gemini',
      'turns: [{tool: {name: list_directory, input: {dir_path: "."}}, times: always}]',
    );
    const inquiry = await asking(lab, id);
    expect(inquiry).toMatchObject({ kind: 'question', tool: 'loop-detected', exclusive: true });
    await refused(lab, id, inquiry.id);
    expect(await reins(lab.world, ['answer', inquiry.id, '1'])).toMatchObject({ code: 0 });
    await closed(lab, inquiry.id);
    await stateIs(lab, id, 'idle');
  });

  it('a question in words is answered in words', async () => {
    const { lab, id } = await sit(
      'gemini',
      'turns: [{ask: [{question: "What is the name?", header: Name}]}, {text: Thank you.}]',
    );
    const inquiry = await asking(lab, id);
    expect(inquiry.questions).toMatchObject([{ text: 'What is the name?', options: [], free_text: true }]);
    await refused(lab, id, inquiry.id);
    expect(await reins(lab.world, ['answer', inquiry.id, 'Ada Lovelace'])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    expect(lab.server.main.at(-1)?.result).toContain('Ada Lovelace');
  });

  it('one large dialog is one inquiry', async () => {
    const content = Array.from({ length: 120 }, (_, at) => `line ${at + 1} of it\\n`).join('');
    const { lab, id, terminal } = await sit(
      'gemini',
      `turns: [{write: {path: big.txt, content: "${content}"}}, {text: Done.}]`,
    );
    const inquiry = await asking(lab, id);
    await terminal.waitFor(/Allow once/);
    expect(await reins(lab.world, ['answer', inquiry.id, 'allow'])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    expect((await all(lab.world, 'inquiry.opened')).map(({ data }) => data.inquiry.id)).toEqual([inquiry.id]);
  });
});

describe.each(AGENTS)('D6: %s, message by message', (agent) => {
  it('is typed to when it is ready, with proof, and refused while it asks', async () => {
    const shell = '{bash: "touch y.txt"}';
    const { lab, id, terminal } = await sit(agent, `turns: [{text: One.}, {text: Two.}, ${shell}, {text: Three.}]`);
    // Idle before its first prompt, too; and messages that are queued together become one.
    await terminal.waitFor('One.');
    await stateIs(lab, id, 'idle');
    const second = await reins(lab.world, ['send', id, 'the second', '--json']);
    // Its hook says that it rests a moment before it does: then the message is queued.
    expect(JSON.parse(second.stdout).verdict).toMatch(/^(?:submitted|queued)$/);
    await terminal.waitFor('Two.');
    await stateIs(lab, id, 'idle');
    expect(await reins(lab.world, ['send', id, 'the third'])).toMatchObject({ code: 0 });
    const inquiry = await asking(lab, id);
    expect(await refused(lab, id, inquiry.id)).toContain(`reins answer ${inquiry.id}`);
    expect(await reins(lab.world, ['answer', inquiry.id, 'allow'])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    expect(lab.server.main.map(({ prompt }) => prompt)).toEqual(expect.arrayContaining(['the second', 'the third']));
  });
});
