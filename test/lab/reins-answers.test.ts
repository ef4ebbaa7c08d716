/**
 * Issue 4, "Must show": with the real agents, from /dev/tty, while stdin, stdout and stderr are all redirected: allow,
 * deny, deny with a reason, edit the input, allow for the session, questions, parallel calls.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { json } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, answerWith, file, type Lab, openLab, press, runAtShell, told } from './support.js';

const WRITE = 'turns: [{bash: echo labbed > a.txt}, {text: "I was told: {{result}}"}]';

describe.each(AGENTS)('%s asks on /dev/tty', (agent) => {
  it('y allows', async () => {
    const lab = await openLab(agent, WRITE);
    const shell = await runAtShell(lab);
    expect(shell.screen()).toContain('echo labbed > a.txt');
    expect(existsSync(join(lab.world.project, 'a.txt'))).toBe(false);
    await press(shell, 'y', 'allowed');
    await shell.waitFor('code 0');
    expect(file(lab, 'a.txt')).toBe('labbed\n');
    expect(file(lab, 'out')).toContain('I was told');
    expect((await entry(lab.world, 'inquiry.answered')).data.answer).toMatchObject({
      verdict: { kind: 'allow' },
      by: { kind: 'viewer' },
    });
    expect((await entry(lab.world, 'inquiry.closed')).data.how).toBe('delivered');
  });

  it('n denies: not run, the turn goes on', async () => {
    const lab = await openLab(agent, WRITE);
    const shell = await runAtShell(lab);
    await press(shell, 'n', 'denied');
    await shell.waitFor('code 0');
    expect(existsSync(join(lab.world.project, 'a.txt'))).toBe(false);
    expect(file(lab, 'out')).toContain('I was told');
  });

  it('r denies with a reason, and the model reads it', async () => {
    const lab = await openLab(agent, WRITE);
    const shell = await runAtShell(lab);
    await press(shell, 'r', 'Why not?');
    await press(shell, 'use b.txt instead', 'use b.txt instead');
    shell.type('\r');
    await shell.waitFor('code 0');
    expect(existsSync(join(lab.world.project, 'a.txt'))).toBe(false);
    expect(told(lab)).toContain('use b.txt instead');
  });

  it('e edits the input, where the agent takes a changed one', async () => {
    const lab = await openLab(agent, WRITE);
    const shell = await runAtShell(lab);
    const { editable } = (await entry(lab.world, 'inquiry.opened')).data.inquiry;
    expect(editable === true).toBe(agent === 'claude');
    if (editable) {
      await press(shell, 'e', /Enter allows it so/);
      await press(shell, '; echo edited >> a.txt', 'edited');
      shell.type('\r');
    } else {
      expect(shell.screen()).not.toMatch(/\[e\]|\be edit/);
      await press(shell, 'y', 'allowed');
    }
    await shell.waitFor('code 0');
    expect(file(lab, 'a.txt')).toBe(editable ? 'labbed\nedited\n' : 'labbed\n');
  });

  it('s allows for the session: the next such call is not asked about', async () => {
    const lab = await openLab(agent, 'turns: [{bash: echo one >> a.txt, times: 2}, {bash: touch b.txt}, {text: done}]');
    const shell = await runAtShell(lab);
    await press(shell, 's', 'allowed for this session');
    await shell.waitFor('touch b.txt');
    await press(shell, 'n', 'denied');
    await shell.waitFor('code 0');
    expect(file(lab, 'a.txt')).toBe('one\none\n');
    const by = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer.by.kind);
    expect(by).toEqual(['viewer', 'grant', 'viewer']);
  });
});

const ASK_ONE =
  'turns: [{ask: [{question: "Which colour?", header: Colour, options: [Crimson, Azure]}]}, {text: "{{result}}"}]';
const ASK_SEVERAL = `turns:
  - ask:
      - {question: "Which colour?", header: Colour, options: [Crimson, Azure]}
      - {question: "Which parts?", header: Parts, options: [Doors, Walls, Roof], multi: true}
      - {question: "Which name?", header: Name, options: [Ada, Bob]}
  - {text: "{{result}}"}`;

describe.each(['claude', 'codex'] as const)('%s asks a question on /dev/tty', (agent) => {
  it('one, one choice', async () => {
    const lab = await openLab(agent, ASK_ONE);
    const shell = await runAtShell(lab);
    await press(shell, '2', /❯ 2\./);
    await press(shell, '\r', 'code 0');
    expect(told(lab)).toContain('Azure');
    expect((await entry(lab.world, 'inquiry.opened')).data.inquiry).toMatchObject({ kind: 'question' });
  });

  it('one, in words of my own', async () => {
    const lab = await openLab(agent, ASK_ONE);
    const shell = await runAtShell(lab);
    await press(shell, '3', /❯ 3\./);
    shell.type('\r');
    await shell.waitFor('Enter takes it');
    shell.type('grüner Tee');
    await shell.waitFor('grüner Tee');
    await press(shell, '\r', 'code 0');
    expect(told(lab)).toContain('grüner Tee');
  });

  it('several: one choice, several choices, own words', async () => {
    const lab = await openLab(agent, ASK_SEVERAL);
    const shell = await runAtShell(lab);
    const { questions } = (await entry(lab.world, 'inquiry.opened')).data.inquiry;
    // Codex has no questions with several answers: it is asked for one.
    expect(questions?.map(({ multi }) => multi)).toEqual([false, agent === 'claude', false]);
    await press(shell, '2', /❯ 2\. Azure/);
    await press(shell, '\r', 'Which parts?');
    if (agent === 'claude') {
      await press(shell, '1', /\[[x✓●]\] 1|◉ 1|☑ 1/);
      shell.type('3');
      await shell.waitFor(/(\[[x✓●]\]|◉|☑) 3/);
    } else {
      shell.type('3');
      await shell.waitFor(/❯ 3\. Roof/);
    }
    shell.type('\r');
    await shell.waitFor('Which name?');
    shell.type('3');
    await shell.waitFor(/❯ 3\./);
    shell.type('\r');
    await shell.waitFor('Enter takes it');
    shell.type('Grace');
    await shell.waitFor('Grace');
    shell.type('\r');
    await shell.waitFor('your answers');
    await press(shell, '\r', 'code 0');
    for (const word of ['Azure', 'Roof', 'Grace']) expect(told(lab)).toContain(word);
    if (agent === 'claude') expect(told(lab)).toContain('Doors, Roof');
  });
});

it('gemini has no questions at its two-way door: the model is told that the tool is not there', async () => {
  const lab = await openLab('gemini', ASK_ONE);
  const ended = await reins(lab.world, ['run', '-b', 'gemini', '--once', 'go']);
  expect(ended.code).toBe(0);
  expect(await all(lab.world, 'inquiry.opened')).toEqual([]);
  expect(told(lab)).toMatch(/not found/i);
});

/** What is asked about now, once so many were answered: the oldest open inquiry is the one on the screen. */
async function openInquiry({ world }: Lab, answered: number) {
  const settled = new Set((await all(world, 'inquiry.answered')).map(({ data }) => data.answer.inquiry));
  const open = (await all(world, 'inquiry.opened')).filter(({ data }) => !settled.has(data.inquiry.id));
  return settled.size === answered ? open[0]?.data.inquiry : undefined;
}

describe.each(AGENTS)('%s, several calls at once', (agent) => {
  it('each gets its own answer', async () => {
    const lab = await openLab(
      agent,
      'turns: [{blocks: [{bash: touch one.txt}, {bash: touch two.txt}, {bash: touch three.txt}]}, {text: done}]',
    );
    const shell = await runAtShell(lab);
    // Codex does not keep their order.
    for (let count = 0; count < 3; count += 1) {
      const open = await until('the next question', () => openInquiry(lab, count));
      // Codex asks about all of them at once, the others about one that writes only after the one before.
      if (agent !== 'codex') expect(await all(lab.world, 'inquiry.opened')).toHaveLength(count + 1);
      const { command } = open.input as { command: string };
      await answerWith(lab, shell, { key: command.includes('two') ? 'n' : 'y', shown: command });
    }
    await shell.waitFor('code 0');
    const verdicts = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer.verdict.kind);
    expect(verdicts.sort()).toEqual(['allow', 'allow', 'deny']);
    const made = ['one', 'two', 'three'].filter((name) => existsSync(join(lab.world.project, `${name}.txt`)));
    expect(made).toEqual(['one', 'three']);
  });
});

// Claude asks about calls that only read together, about the others one by one; gemini always one by one.
describe.each(['claude', 'codex'] as const)('%s, several calls at once', (agent) => {
  it('are pending together', async () => {
    const lab = await openLab(
      agent,
      'turns: [{blocks: [{bash: cat /etc/hostname}, {bash: cat /etc/hosts}]}, {text: done}]',
    );
    const shell = await runAtShell(lab);
    await shell.waitFor('1 of 2');
    expect(await json<unknown[]>(lab.world, ['inbox'])).toHaveLength(2);
    for (let count = 0; count < 2; count += 1) {
      const open = await until('the next question', () => openInquiry(lab, count));
      await answerWith(lab, shell, { key: 'n', shown: (open.input as { command: string }).command });
    }
    await shell.waitFor('code 0');
  });
});
