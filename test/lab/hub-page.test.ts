/** A real agent's session on a real page: work inside work, and output that means harm. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../browser/support/chromium.js';
import { isLive, PHONE, pairPage } from '../browser/support/pages.js';
import { reins } from '../journeys/support/cli.js';
import { TestHub } from '../journeys/support/hub.js';
import { entries } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, longCommand, openLab, stateIs } from './support.js';

const HARM = '<img src=x onerror=globalThis.owned=1>';
/** As a file holds it, a tool prints it and a model repeats it. */
const HOSTILE = [
  HARM,
  '<script>globalThis.owned=1</script><iframe src="javascript:globalThis.owned=1"></iframe>',
  '[tap](javascript:globalThis.owned=1) ![pixel](https://attacker.invalid/p.png)',
  '\x1b]8;;javascript:globalThis.owned=1\x07link\x1b]8;;\x07 \x1b]52;c;b3duZWQ=\x07 \x1b]0;OWNED\x07',
  'rm -rf \u202etxt.exe\u200b',
].join('\n');

it.each(AGENTS.filter((agent) => agent === 'claude'))(
  'W25 W50: %s on the page: nested, listed, still at work; hostile output is text',
  async (agent) => {
    const { command } = longCommand();
    const lab = await openLab(
      agent,
      `turns:
  - tool: {name: Agent, input: {description: Help, prompt: help, subagent_type: general-purpose, run_in_background: false}}
  - tool: {name: Bash, input: {command: "${command}", run_in_background: true, description: x}}
  - {bash: "cat hostile.txt; ls"}
  - {text: ${JSON.stringify(HOSTILE)}}
  - ask: [{question: ${JSON.stringify(`Which? ${HARM}`)}, header: Which, options: [{label: ${JSON.stringify(HARM)}, description: ${JSON.stringify(HARM)}}, plain]}]
subagent: [{bash: echo helped}, {text: the helper is done}]`,
    );
    const { world } = lab;
    world.write('hostile.txt', HOSTILE);
    world.write('<img src=x onerror=globalThis.owned=1>.txt', '');
    const hub = await TestHub.start(world);
    onTestFinished(() => hub.close());
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const invite = async (...flags: string[]) =>
      (JSON.parse((await reins(world, ['pair', '--json', ...flags])).stdout) as { link: string }).link;
    const rules = ['--set', 'rules.allow=["Bash","Agent"]', '--set', 'tools.defaults.detached=defer'];
    const id = await detached(world, ['run', '-i', '-b', agent, '--name', HARM, ...rules, 'go']);
    const { page, wrongs } = await pairPage(browser, { url: hub.url, invite }, PHONE);
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => wrongs.push('a dialog')));
    page.on('framenavigated', (frame) => {
      if (!frame.url().startsWith(hub.url)) wrongs.push(`navigated to ${frame.url()}`);
    });
    // Four turns and a helper's two, beside a browser.
    await until(
      'what it says in the end',
      () => entries(world, id).some((one) => one.type === 'agent.text' && one.data.text.includes('onerror')),
      () => JSON.stringify(entries(world, id).slice(-6), null, 1),
      90_000,
    );
    await page.goto(`${hub.url}/s/${id}`);
    await isLive(page);

    // W25: what the helper did stands inside its call.
    await page.waitForSelector('.chat .markdown >> text=onerror');
    await page.waitForSelector('.tool:has-text("Agent") .inside-line:has-text("1 call")');
    expect(await page.$$eval('ol > li[data-kind=tool]', (tools) => tools.length)).toBe(3);
    await stateIs(lab, id, 'idle');
    await page.waitForSelector('.head >> text=1 thing runs in the background');

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
    expect(wrongs).toEqual([]);
    expect(existsSync(join(world.project, 'owned'))).toBe(false);
  },
  240_000,
);
