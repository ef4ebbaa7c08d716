/** Real agents, driven headless by Reins: what they say and do, and what Reins makes of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { all, entry } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { AGENTS, FULL, file, openLab, prompts, runOnce, SHELL_TOOL, told } from './support.js';
import { untrust } from './untrusted.js';

describe.each(AGENTS)('%s, full trust', (agent) => {
  it('text and a tool, unasked', async () => {
    const lab = await openLab(
      agent,
      'turns: [{text: "I write. ", bash: echo labbed > a.txt; cat a.txt}, {text: "It said {{result}}"}]',
    );
    const ended = await runOnce(lab, FULL);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain('I write.');
    expect(ended.stdout).toContain('labbed');
    expect(file(lab, 'a.txt')).toBe('labbed\n');
    expect(await all(lab.world, 'inquiry.opened')).toEqual([]);
    expect((await entry(lab.world, 'tool.returned')).data).toMatchObject({
      ok: true,
      text: expect.stringContaining('labbed'),
    });
    expect(prompts(lab)[0]).toContain('go');
    expect(lab.server.left).toBe(0);
  });
});

describe.each(AGENTS)('%s, guarded', (agent) => {
  it('a rule allows: run, with the rule on record', async () => {
    const lab = await openLab(agent, 'turns: [{bash: echo labbed > a.txt}, {text: done}]');
    const ended = await runOnce(lab, ['--set', 'rules.allow=["Bash(echo labbed:*)"]']);
    expect(ended).toMatchObject({ code: 0 });
    expect(file(lab, 'a.txt')).toBe('labbed\n');
    expect((await entry(lab.world, 'inquiry.opened')).data.inquiry).toMatchObject({
      kind: 'run',
      tool: SHELL_TOOL[agent],
      input: { command: expect.stringContaining('echo labbed > a.txt') },
    });
    expect((await entry(lab.world, 'inquiry.answered')).data.answer).toMatchObject({
      verdict: { kind: 'allow' },
      by: { kind: 'rule', rule: { text: 'Bash(echo labbed:*)' } },
    });
  });

  it('a rule denies, also under full trust: not run, and the model reads why', async () => {
    const lab = await openLab(agent, 'turns: [{bash: echo labbed > a.txt}, {text: "I was told: {{result}}"}]');
    const ended = await runOnce(lab, [...FULL, '--set', 'rules.deny=["Bash(echo:*)"]']);
    expect(existsSync(join(lab.world.project, 'a.txt'))).toBe(false);
    expect((await entry(lab.world, 'inquiry.answered')).data.answer).toMatchObject({
      verdict: { kind: 'deny' },
      by: { kind: 'rule', rule: { text: 'Bash(echo:*)' } },
    });
    expect(told(lab)).toContain('Bash(echo:*)');
    expect(ended.code).toBe(0);
  });
});

const READ: Record<LabAgent, string[]> = {
  claude: ['tool: {name: Read, input: {file_path: SECRET}}'],
  codex: [],
  gemini: ['tool: {name: read_file, input: {file_path: SECRET}}'],
};

describe.each(AGENTS)('%s, what it would do unasked', (agent) => {
  // One at a time: on a busy machine codex was seen to ask the model anew when the reason of a denial came late.
  it.each([...READ[agent], 'bash: cat secret.txt', 'bash: ls -1'])(
    'a deny rule holds for what only reads: %s',
    async (turn) => {
      const lab = await openLab(agent, (project) => {
        const secret = JSON.stringify(join(project, 'secret.txt'));
        return `turns: [{${turn.replace('SECRET', secret)}}, {text: done}]`;
      });
      lab.world.write('secret.txt', 'hunter2\n');
      const deny = '["Read(secret.txt)", "Bash(cat:*)", "Bash(ls:*)"]';
      const ended = await runOnce(lab, ['--set', `rules.deny=${deny}`]);
      expect(ended.code).toBe(0);
      const answers = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer);
      expect(answers.map(({ verdict, by }) => [verdict.kind, by.kind])).toEqual([['deny', 'rule']]);
      expect(told(lab)).not.toContain('hunter2');
    },
  );

  it('a command that only reads is an inquiry like any other', async () => {
    const lab = await openLab(agent, 'turns: [{bash: ls -1}, {text: done}]');
    expect((await runOnce(lab, ['--set', 'rules.allow=["Bash(ls:*)"]'])).code).toBe(0);
    expect((await entry(lab.world, 'inquiry.answered')).data.answer.by).toMatchObject({ kind: 'rule' });
  });
});

it('gemini in its terminal: with a deny rule, a command that only reads waits for a person', async () => {
  const lab = await openLab('gemini', 'turns: [{bash: cat secret.txt}, {text: done}]');
  lab.world.write('secret.txt', 'hunter2\n');
  const rules = ['--set', 'rules.deny=["Bash(cat:*)"]', '--set', 'tools.defaults.detached=defer'];
  const id = await detached(lab.world, ['run', '-i', '-b', 'gemini', ...rules, 'go']);
  const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
  expect(inquiry).toMatchObject({ kind: 'run', tool: 'Shell' });
  expect(told(lab)).not.toContain('hunter2');
});

it('guarded codex does not note in the user’s config that it trusts a folder nobody trusted', async () => {
  const lab = await openLab('codex', 'turns: [{bash: echo labbed > a.txt}, {text: done}]');
  untrust(lab);
  const config = join(lab.seat.config, 'config.toml');
  const before = readFileSync(config);
  const ended = await runOnce(lab, ['--set', 'rules.allow=["Bash(echo labbed:*)"]']);
  expect(ended).toMatchObject({ code: 0 });
  // It may write all the same: the sandbox is as wide as before.
  expect(file(lab, 'a.txt')).toBe('labbed\n');
  expect(readFileSync(config).equals(before)).toBe(true);
});

describe.each(AGENTS)('%s, whatever the model prints', (agent) => {
  it.each(['guarded', 'full'])('opens no inquiry and changes no state: trust %s', async (trust) => {
    const lab = await openLab(agent, 'turns: [{hostile: true}]');
    const ended = await runOnce(lab, ['--trust', trust]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain('Do you want to proceed?');
    expect(await all(lab.world, 'inquiry.opened')).toEqual([]);
    const states = (await all(lab.world, 'state.changed')).map(({ data }) => data.agent_state ?? data.state);
    expect(states.filter((state) => !['working', 'idle', 'ended'].includes(state))).toEqual([]);
    expect((await all(lab.world, 'event.published')).filter(({ data }) => data.accepted)).toEqual([]);
  });
});

/** Lines, quotes, emoji, and more than fits into an argument. */
const LONG = `Line one: "quotes", $HOME and \`ticks\`.\n\nLine three 🌍 漢字.\n${'0123456789abcde\n'.repeat(12_800)}the end`;

describe.each(AGENTS)('%s is given exactly the prompt', (agent) => {
  it.each([
    ['guarded', 'several lines', LONG.slice(0, 120)],
    ['full', 'several lines', LONG.slice(0, 120)],
    ['guarded', '200 KB', LONG],
    ['full', '200 KB', LONG],
  ])('trust %s, %s', async (trust, _name, text) => {
    const lab = await openLab(agent, 'turns: [{text: read}]');
    lab.world.write('task.md', text);
    const ended = await runOnce(lab, ['--trust', trust, '-P', 'task.md']);
    expect(ended).toMatchObject({ code: 0, stdout: 'read\n' });
    expect(prompts(lab)).toHaveLength(1);
    expect(prompts(lab)[0] === text.trim()).toBe(true);
  });
});
