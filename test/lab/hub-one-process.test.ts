/**
 * One process, two places: the agent's own program in a person's tmux and the same session on a phone, by a real hub. Answered
 * at either place, spoken to from both, queued for, interrupted, made to stand still, stopped and gone on with.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { loginShell, type TestDevice, TestHub, type TestPage } from '../journeys/support/hub.js';
import { entries, onlySession } from '../journeys/support/journal.js';
import { Tmux } from '../journeys/support/tmux.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, longCommand, openLab, prompts, stateIs } from './support.js';

/** How each leaves a command running beside its turn. */
const BACKGROUND: Record<LabAgent, (command: string) => string> = {
  claude: (command) => `{tool: {name: Bash, input: {command: "${command}", run_in_background: true, description: x}}}`,
  codex: (command) => `{tool: {name: exec_command, input: {cmd: "${command}", yield_time_ms: 300}}}`,
  gemini: (command) =>
    `{tool: {name: run_shell_command, input: {command: "${command}", is_background: true, description: x}}}`,
};
const DIALOG = /1\. (Yes|Allow)/;

/** What waits on the phone now, once so many were asked. */
const card = async (page: TestPage, n: number) =>
  until(`card ${n}`, () => {
    const ids = [...new Set(page.all('card').map((one) => one.card.inquiry.id))];
    return page.all('card').findLast((one) => one.card.inquiry.id === ids[n - 1])?.card;
  });

describe.each(AGENTS)('%s in tmux and on the phone', (agent) => {
  it('W23 W24 W34 W38 W39: one process, each text once, one answer, one queue; stopped and gone on with it remembers', async () => {
    const { command, runs } = longCommand();
    const lab = await openLab(
      agent,
      `turns:
  - ${BACKGROUND[agent](command)}
  - {text: "It runs beside."}
  - {bash: touch a.txt}
  - {text: "After the dialog."}
  - {text: "Typed words were heard."}
  - {text: "${'Some words first. '.repeat(8)}", pace: 3000}
  - {text: "Taken.", times: always}`,
    );
    const { world } = lab;
    loginShell(world);
    const hub = await TestHub.start(world);
    onTestFinished(() => hub.close());
    const phone: TestDevice = await hub.device();
    const page = await phone.page();
    const tmux = await Tmux.start(world, { cols: 110, rows: 40 });
    await tmux.type('test:0', `reins run -i -b ${agent} go`);
    const id = await onlySession(world);
    onTestFinished(async () => {
      await reins(world, ['kill', id]);
    });
    await until('the session on the phone', () => page.all('row').some(({ row }) => row.id === id));
    page.say({ t: 'open', ch: 1, session: id });
    const given = () => page.entries(1).flatMap((one) => (one.type === 'prompt.given' ? [one.data.text.trim()] : []));
    const started = () => entries(world, id).filter(({ type }) => type === 'agent.started');
    const spent: string[] = [];
    const key = () => `key-of-the-phone-${spent.push('')}`;
    const say = (text: string, one = key()) => phone.ask('message', { id, args: { text, key: one } });

    // W23: shown at both places; the phone's answer closes the dialog in tmux.
    const first = await card(page, 1);
    await tmux.shows('test:0', DIALOG);
    await phone.ask('answer', { id: first.inquiry.id, args: { digest: first.digest, words: ['allow'] } });
    await tmux.shows('test:0', 'It runs beside.');
    expect(await tmux.screen('test:0')).not.toMatch(DIALOG);
    await until('what was allowed', runs);
    await stateIs(lab, id, 'idle');
    const { pid } = await phone.ask('session', { id });

    // And the other way: a key in tmux takes the card off the phone.
    // Claude's hook says that it rests a moment before it does.
    expect((await say('from the phone')).verdict).toMatch(/^(?:submitted|queued)$/);
    const second = await card(page, 2);
    await tmux.shows('test:0', DIALOG);
    const settled = () => page.all('settled').some(({ inquiry }) => inquiry === second.inquiry.id);
    for (let tries = 0; tries < 10 && !settled(); tries += 1) {
      // Codex shows a dialog a moment before it takes keys.
      await tmux.do('send-keys', '-t', 'test:0', agent === 'codex' ? 'y' : '1');
      await until('the card is off', settled, undefined, 3_000).catch(() => undefined);
    }
    await tmux.shows('test:0', 'After the dialog.');
    expect(existsSync(join(world.project, 'a.txt'))).toBe(true);
    expect(
      (await phone.request('answer', { id: second.inquiry.id, args: { digest: second.digest, words: ['deny'] } }))
        .status,
    ).toBe(409);
    await stateIs(lab, id, 'idle');

    // W24: typed in tmux, it is on the phone, once; nobody was started anew, what runs beside still does.
    await tmux.do('send-keys', '-t', 'test:0', '-l', 'typed at the desk');
    await tmux.shows('test:0', 'typed at the desk');
    await tmux.do('send-keys', '-t', 'test:0', 'Enter');
    await tmux.shows('test:0', 'Typed words were heard.');
    await stateIs(lab, id, 'idle');
    await until('it is on the phone', () => given().length === 3);
    expect(given()).toEqual(['go', 'from the phone', 'typed at the desk']);
    expect([started().length, (await phone.ask('session', { id })).pid, runs()]).toEqual([1, pid, true]);

    // W38, L6: at rest an interrupt changes nothing. W34: what is said to a working one waits, and is not typed.
    const { seq } = entries(world, id).at(-1)!;
    await phone.ask('interrupt', { id });
    expect(entries(world, id).filter((one) => one.seq > seq && one.type === 'input.sent')).toEqual([]);
    await say('a long turn');
    await until('the turn has begun', () => prompts(lab).length === 6);
    await stateIs(lab, id, 'working');
    const [one, two, three] = [key(), key(), key()];
    for (const [text, its] of [
      ['first of three', one],
      ['second of three', two],
      ['never said', three],
    ] as const)
      expect(await say(text, its)).toMatchObject({ verdict: 'queued' });
    await phone.ask('queue', { id, args: { do: 'edit', key: two, text: 'second, changed' } });
    await phone.ask('queue', { id, args: { do: 'cancel', key: three } });
    const left = await phone.ask('queue', { id, args: { do: 'move', key: two, before: one } });
    expect(left.map(({ text }) => text)).toEqual(['second, changed', 'first of three']);
    const stood = await phone.ask('pause', { id });
    expect(stood.pids.length).toBeGreaterThan(0);
    await stateIs(lab, id, 'paused');
    expect(await tmux.screen('test:0')).not.toMatch(/of three|changed|never said/);
    expect((await phone.ask('resume', { id })).pids.sort()).toEqual(stood.pids.sort());
    await stateIs(lab, id, 'working');
    expect(prompts(lab)).toHaveLength(6);
    await phone.ask('interrupt', { id });
    await until(
      'what waited was said',
      () => given().length === 6,
      () => given().join('|'),
    );
    expect(given().slice(3)).toEqual(['a long turn', 'second, changed', 'first of three']);
    await stateIs(lab, id, 'idle');
    expect(JSON.stringify(lab.server.main.map(({ body }) => body))).not.toContain('never said');

    const stopped = await phone.ask('stop', { id });
    expect([stopped.left, runs()]).toEqual([0, false]);
    expect(JSON.stringify(stopped.processes)).toContain(agent);
    await until('its end on the phone', () => page.entries(1).some(({ type }) => type === 'session.ended'));

    // W39: the same id, the same chat, and the model is told what was said before.
    expect(await phone.ask('continue', { id, args: { key: key(), prompt: 'which words were they' } })).toEqual({ id });
    const last = await until('the next request', () =>
      lab.server.main.find(({ prompt }) => prompt.includes('which words were they')),
    );
    for (const text of ['from the phone', 'typed at the desk', 'second, changed'])
      expect(JSON.stringify(last.body)).toContain(text);
    await stateIs(lab, id, 'idle');
    const all = entries(world, id);
    expect(all.map((each) => each.seq)).toEqual(all.map((_, at) => at + 1));
    expect(all.filter((each) => each.type === 'prompt.given')).toHaveLength(7);
    page.close();
  }, 240_000);
});
