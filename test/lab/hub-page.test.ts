/** A real agent's session on a real page: work inside work, and output that means harm. */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { openBrowser } from '../browser/support/chromium.js';
import { isLive, PHONE, pairPage } from '../browser/support/pages.js';
import { reins } from '../journeys/support/cli.js';
import { type TestDevice, TestHub } from '../journeys/support/hub.js';
import { entries } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, type Lab, longCommand, openLab, stateIs } from './support.js';

const HARM = '<img src=x onerror=globalThis.owned=1>';
/** As a file holds it, a tool prints it and a model repeats it. */
const HOSTILE = [
  HARM,
  '<script>globalThis.owned=1</script><iframe src="javascript:globalThis.owned=1"></iframe>',
  '[tap](javascript:globalThis.owned=1) ![pixel](https://attacker.invalid/p.png)',
  '\x1b]8;;javascript:globalThis.owned=1\x07link\x1b]8;;\x07 \x1b]52;c;b3duZWQ=\x07 \x1b]0;OWNED\x07',
  'rm -rf \u202etxt.exe\u200b',
].join('\n');

/** How each keeps a list, has a helper and leaves a command running: what it takes to have them, and what the model calls. */
interface Habits {
  /** Some are off unless a user wants them. */
  prepare?(lab: Lab): void;
  flags?: string[];
  list: string[];
  helper: string;
  /** Its helper comes last: its terminal program keeps the dialog of a helper that was answered elsewhere. */
  late?: true;
  /** The helper's own turns, for the agents whose helpers are told apart by what they are asked. */
  helps: string[];
  background(command: string): string;
  /** What the page has at the top of the chat besides the list: the helper, what runs beside, the hostile file. */
  tools: number;
}

const call = (name: string, input: object) => `  - tool: ${JSON.stringify({ name, input })}`;
const HABITS: Record<LabAgent, Habits> = {
  claude: {
    // Since 2.1.325 only for who asks for them, and behind a search.
    prepare: ({ world }) => Object.assign(world.env, { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' }),
    list: [
      call('ToolSearch', { query: 'select:TaskCreate,TaskUpdate' }),
      call('TaskCreate', { subject: 'Look around', description: 'x' }),
      call('TaskCreate', { subject: `Mend ${HARM}`, description: 'y' }),
      call('TaskUpdate', { taskId: '1', status: 'completed' }),
      call('TaskUpdate', { taskId: '2', status: 'in_progress' }),
    ],
    helper: call('Agent', {
      description: 'Help',
      prompt: 'help me',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
    helps: [],
    background: (command) => call('Bash', { command, run_in_background: true, description: 'x' }),
    tools: 4,
  },
  codex: {
    prepare: ({ seat }) => appendFileSync(join(seat.config, 'config.toml'), '[tools.update_plan]\nenabled = true\n'),
    list: [
      call('update_plan', {
        plan: [
          { step: 'Look around', status: 'completed' },
          { step: `Mend ${HARM}`, status: 'in_progress' },
        ],
      }),
    ],
    helper: call('multi_agent_v1__spawn_agent', { message: 'help me' }),
    late: true,
    helps: ['  - {when: help me, bash: echo helped}', '  - {when: help me, text: the helper is done}'],
    background: (command) => call('exec_command', { cmd: command, yield_time_ms: 300 }),
    tools: 2,
  },
  gemini: {
    // Newer models are given no list.
    flags: ['--', '-m', 'gemini-2.5-flash'],
    list: [
      call('write_todos', {
        todos: [
          { description: 'Look around', status: 'completed' },
          { description: `Mend ${HARM}`, status: 'in_progress' },
        ],
      }),
    ],
    helper: call('invoke_agent', { agent_name: 'generalist', prompt: 'help me' }),
    helps: [
      '  - {when: help me, bash: echo helped}',
      `  - {when: help me, tool: ${JSON.stringify({ name: 'complete_task', input: { result: { response: 'the helper is done' } } })}}`,
    ],
    background: (command) => call('run_shell_command', { command, is_background: true, description: 'x' }),
    tools: 3,
  },
};

const helped = (tool: string) => `.tool:has-text("Agent") .inside-line:has-text("1 call, last: ${tool} echo helped")`;

/** Gemini's dialogs are read off its screen, where no rule is sure enough to answer: a device of its own says yes. */
function sayYes(device: TestDevice): void {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  void (async () => {
    while (!isOver) {
      const open = await device.ask('inbox').catch(() => []);
      for (const { inquiry, digest } of open.filter((one) => one.inquiry.tool === 'Shell'))
        await device.request('answer', { id: inquiry.id, args: { digest, words: ['allow'] } });
      await sleep(200);
    }
  })().catch(() => undefined); // The hub is closed.
}

it.each(AGENTS)(
  'W25 W50: %s on the page: nested, listed, still at work; hostile output is text',
  async (agent) => {
    const { command } = longCommand();
    const habits = HABITS[agent];
    const lab = await openLab(
      agent,
      `turns:
${[...habits.helps, ...habits.list, ...(habits.late ? [] : [habits.helper]), habits.background(command)].join('\n')}
  - {bash: "cat hostile.txt; ls"}
  - {text: ${JSON.stringify(HOSTILE)}}
  - ask: [{question: ${JSON.stringify(`Which? ${HARM}`)}, header: Which, options: [{label: ${JSON.stringify(HARM)}, description: ${JSON.stringify(HARM)}}, plain]}]
${habits.late ? habits.helper : ''}
subagent: [{bash: echo helped}, {text: the helper is done}]`,
    );
    const { world } = lab;
    habits.prepare?.(lab);
    world.write('hostile.txt', HOSTILE);
    world.write('<img src=x onerror=globalThis.owned=1>.txt', '');
    const hub = await TestHub.start(world);
    onTestFinished(() => hub.close());
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const invite = async (...flags: string[]) =>
      (JSON.parse((await reins(world, ['pair', '--json', ...flags])).stdout) as { link: string }).link;
    const rules = ['--set', 'rules.allow=["Bash","Agent"]', '--set', 'tools.defaults.detached=defer'];
    const device = await hub.device('answer');
    if (agent === 'gemini') sayYes(device);
    const id = await detached(world, [
      'run',
      '-i',
      '-b',
      agent,
      '--name',
      HARM,
      ...rules,
      'go',
      ...(habits.flags ?? []),
    ]);
    const { page, wrongs } = await pairPage(browser, { url: hub.url, invite }, PHONE);
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => wrongs.push('a dialog')));
    page.on('framenavigated', (frame) => {
      if (!frame.url().startsWith(hub.url)) wrongs.push(`navigated to ${frame.url()}`);
    });
    // A dozen turns and a helper's two, beside a browser.
    await until(
      'what it says in the end',
      () => entries(world, id).some((one) => one.type === 'agent.text' && one.data.text.includes('onerror')),
      () => JSON.stringify(entries(world, id).slice(-6), null, 1),
      90_000,
    );
    await page.goto(`${hub.url}/s/${id}`);
    await isLive(page);

    // What was said stands above what it led to, though hooks and servers are quicker than the agent's record.
    await page.waitForSelector('.chat .markdown >> text=onerror');
    const kinds = await page.$$eval('ol > li[data-kind]', (all) => all.map((one) => (one as HTMLElement).dataset.kind));
    expect(kinds.filter((kind) => kind !== 'rule' && kind !== 'line')[0]).toBe('prompt');

    // W25: one list, as it stands; what the helper did stands inside its call; what was left to run is told of.
    expect(await page.$$eval('.todo li', (all) => all.map((one) => [one.className, one.textContent]))).toEqual([
      ['done', expect.stringContaining('Look around')],
      ['doing', expect.stringContaining(`Mend ${HARM}`)],
    ]);
    // Gemini keeps what its helpers do to itself: their dialogs are all that is known of it.
    if (agent === 'claude') await page.waitForSelector(helped('Bash'));
    expect(await page.$$eval('ol > li[data-kind=tool]', (tools) => tools.length)).toBe(habits.tools);
    await stateIs(lab, id, 'idle');
    await page.waitForSelector('.head >> text=1 thing runs in the background');
    expect(entries(world, id).filter(({ type }) => type === 'ungated')).toEqual([]);

    // W50: in every view it is text.
    const made = 'img, script:not([src]), iframe, a[href^="javascript"], a[href*="attacker"]';
    const isInert = async () =>
      expect(await page.$$eval(made, (found) => found.map((one) => one.outerHTML))).toEqual([]);
    await isInert();
    await reins(world, ['send', id, 'ask me']);
    await page.waitForSelector('[data-card] >> text=onerror');
    await isInert();
    await page.goto(`${hub.url}/s/${id}/terminal`);
    await isLive(page);
    await page.waitForSelector('.xterm-rows >> text=onerror');
    await isInert();
    await page.goto(hub.url);
    await isLive(page);
    await page.waitForSelector('[data-card] >> text=onerror');
    await isInert();
    expect(await page.evaluate(() => ['owned' in globalThis, document.title])).toEqual([
      false,
      expect.not.stringContaining('OWNED'),
    ]);
    if (habits.late) {
      // W25: what its helper asks stands inside the call. Answered elsewhere, codex goes on, and its dialog stays: it is told of.
      const [asked] = await device.ask('inbox');
      const [question] = asked!.inquiry.questions!;
      const args = { digest: asked!.digest, words: [`${question!.id}=plain`] };
      await device.ask('answer', { id: asked!.inquiry.id, args });
      await page.goto(`${hub.url}/s/${id}`);
      await page.waitForSelector(helped('shell'));
      await until('the dialog that stays', async () =>
        (await device.ask('inbox')).find(({ inquiry }) => JSON.stringify(inquiry.input).includes('echo helped')),
      );
    }
    expect(wrongs).toEqual([]);
    expect(existsSync(join(world.project, 'owned'))).toBe(false);
  },
  240_000,
);
