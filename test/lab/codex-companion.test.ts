/**
 * Codex's own terminal program under guarded, with its server beside it: every command is asked about in both places,
 * the first answer wins and closes the other, and nothing outlives the session.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached, keys, send, shot, shows } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { detachedMode, file, type Lab, openLab, programsWith, told } from './support.js';

const PARKED = detachedMode('defer');
const ONE = 'turns: [{bash: echo labbed > a.txt}, {text: "I was told: {{result}}"}]';
const DIALOG = 'Would you like to run the following command?';

const start = ({ world }: Lab, ...args: string[]): Promise<string> =>
  detached(world, ['run', '-i', '-b', 'codex', ...PARKED, ...args]);
const ran = ({ world }: Lab, name = 'a.txt') => existsSync(join(world.project, name));
const opened = ({ world }: Lab, session: string, command: string) =>
  entry(world, 'inquiry.opened', {
    session,
    is: ({ data }) => (data.inquiry.input as { command?: string }).command === command,
  });
const closed = ({ world }: Lab, session: string, id: string) =>
  entry(world, 'inquiry.closed', { session, is: ({ data }) => data.inquiry === id });
const said = ({ world }: Lab, session: string, text: string) =>
  entry(world, 'agent.text', { session, is: ({ data }) => data.text.includes(text) });
const idle = ({ world }: Lab, id: string) =>
  until(`${id} to be idle`, () => {
    const states = entries(world, id).filter((one) => one.type === 'state.changed');
    return states.at(-1)?.data.state === 'idle';
  });
const gone = ({ world }: Lab, id: string) =>
  until('the dialog to close', async () => !(await shot(world, id)).lines.join('\n').includes(DIALOG));

describe('codex in its terminal, with its server beside it', () => {
  it('an answer from elsewhere runs the tool and closes its dialog; one inquiry, on record once', async () => {
    const lab = await openLab('codex', ONE);
    const id = await start(lab, 'go');
    const { data } = await opened(lab, id, 'echo labbed > a.txt');
    await shows(lab.world, id, DIALOG);
    expect(ran(lab)).toBe(false);
    expect(await reins(lab.world, ['answer', data.inquiry.id, 'allow'])).toMatchObject({ code: 0 });
    expect((await closed(lab, id, data.inquiry.id)).data.how).toBe('delivered');
    await said(lab, id, 'I was told');
    await gone(lab, id);
    expect(file(lab, 'a.txt')).toBe('labbed\n');
    const all = entries(lab.world, id);
    expect(all.filter(({ type }) => type === 'inquiry.opened')).toHaveLength(1);
    expect(all.filter(({ type }) => type === 'tool.called')).toHaveLength(1);
    expect(all.flatMap((one) => (one.type === 'prompt.given' ? [one.data.text] : []))).toEqual(['go']);
  });

  it('y in its own dialog runs the tool and closes the inquiry', async () => {
    const lab = await openLab('codex', ONE);
    const id = await start(lab, 'go');
    const { data } = await opened(lab, id, 'echo labbed > a.txt');
    await shows(lab.world, id, DIALOG);
    // A key within the first moment of the picture may be swallowed (see pressInDialog).
    const isClosed = () => entries(lab.world, id).some(({ type }) => type === 'inquiry.closed');
    await until('y to be taken', async () => {
      await keys(lab.world, id, 'y');
      return until('the inquiry to close', isClosed, undefined, 3_000).catch(() => false as const);
    });
    expect((await closed(lab, id, data.inquiry.id)).data).toMatchObject({
      how: 'cancelled',
      reason: 'answered in the agent’s own dialog',
    });
    await said(lab, id, 'I was told');
    expect(file(lab, 'a.txt')).toBe('labbed\n');
    expect(await reins(lab.world, ['answer', data.inquiry.id, 'deny'])).not.toMatchObject({ code: 0 });
  });

  it('a no is not run, the turn goes on, and the model reads why', async () => {
    const lab = await openLab('codex', ONE);
    const id = await start(lab, 'go');
    const { data } = await opened(lab, id, 'echo labbed > a.txt');
    await reins(lab.world, ['answer', data.inquiry.id, 'deny', '--reason', 'use b.txt instead']);
    await until('the model to read why', () => told(lab).includes('use b.txt instead'));
    await idle(lab, id);
    await gone(lab, id);
    expect(ran(lab)).toBe(false);
  });

  it('a command that only reads is asked about as well, also in turns typed later', async () => {
    const lab = await openLab('codex', 'turns: [{text: first}, {bash: echo hi}, {text: second}]');
    const id = await start(lab, 'go');
    await said(lab, id, 'first');
    await idle(lab, id);
    expect((await send(lab.world, id, 'and now')).verdict).toBe('submitted');
    const { data } = await opened(lab, id, 'echo hi');
    expect((await send(lab.world, id, 'hello')).verdict).toBe('refused');
    await reins(lab.world, ['answer', data.inquiry.id, 'allow']);
    await said(lab, id, 'second');
  });

  it('started empty, and in a conversation begun with /new, it asks too', async () => {
    const lab = await openLab('codex', 'turns: [{bash: echo hi}, {text: first}, {bash: echo ho}, {text: second}]');
    const id = await start(lab);
    await idle(lab, id);
    await send(lab.world, id, 'go');
    const one = await opened(lab, id, 'echo hi');
    expect(one.data.inquiry.parent).toBeUndefined();
    await reins(lab.world, ['answer', one.data.inquiry.id, 'allow']);
    await said(lab, id, 'first');
    await idle(lab, id);
    await send(lab.world, id, '/new');
    await until('an empty screen', async () => !(await shot(lab.world, id)).lines.join('\n').includes('first'));
    await idle(lab, id);
    await send(lab.world, id, 'go on');
    const two = await opened(lab, id, 'echo ho');
    expect(two.data.inquiry.parent).toBeUndefined();
    await reins(lab.world, ['answer', two.data.inquiry.id, 'allow']);
    await said(lab, id, 'second');
  });

  it.each([
    [
      'before the first turn',
      'turns: [{when: "^go$", bash: echo hi > a.txt, delay: 1500}, {bash: echo ho > b.txt}, {text: second}]',
    ],
    ['later', 'turns: [{text: first}, {bash: echo ho > b.txt}, {text: second}]'],
  ])('“Full Access” chosen in its own menu %s does not take the gate away', async (when, scenario) => {
    const lab = await openLab('codex', scenario);
    const id = await start(lab);
    await idle(lab, id);
    const turn = async (prompt: string) => {
      await idle(lab, id);
      await send(lab.world, id, prompt);
    };
    if (when === 'later') {
      await turn('go');
      await said(lab, id, 'first');
      await idle(lab, id);
    }
    await keys(lab.world, id, '/ p e r m i s s i o n s');
    await shows(lab.world, id, '/permissions');
    await keys(lab.world, id, 'Enter');
    await shows(lab.world, id, 'Full Access');
    await keys(lab.world, id, '3');
    await shows(lab.world, id, 'Enable full access?');
    await keys(lab.world, id, '1');
    await shows(lab.world, id, 'Permission selection requested: Full Access');
    if (when !== 'later') {
      await turn('go');
      await entry(lab.world, 'notice', { session: id, is: ({ data }) => data.text.includes('was interrupted') });
      expect(ran(lab)).toBe(false);
    }
    await turn('go on');
    const { data } = await opened(lab, id, 'echo ho > b.txt');
    expect(ran(lab, 'b.txt')).toBe(false);
    await reins(lab.world, ['answer', data.inquiry.id, 'allow']);
    await said(lab, id, 'second');
    expect(ran(lab)).toBe(false);
  });

  it.each([['with a prompt'], ['empty']])(
    'a folder that was never trusted is not trusted behind its user’s back: %s',
    async (how) => {
      const lab = await openLab('codex', ONE);
      const config = join(lab.seat.config, 'config.toml');
      writeFileSync(
        config,
        readFileSync(config, 'utf8').replace(/\[projects\.[^\]]*\]\ntrust_level = "trusted"\n/, ''),
      );
      // Codex knows trust only where there is a repository.
      execFileSync('git', ['init', '-q'], { cwd: lab.world.project });
      const id = how === 'empty' ? await start(lab) : await start(lab, 'go');
      if (how === 'empty') {
        await idle(lab, id);
        await send(lab.world, id, 'go');
      }
      const { data } = await opened(lab, id, 'echo labbed > a.txt');
      await reins(lab.world, ['answer', data.inquiry.id, 'allow']);
      await said(lab, id, 'I was told');
      // One yes was enough: the sandbox lets an allowed command write in the project.
      expect(file(lab, 'a.txt')).toBe('labbed\n');
      expect(readFileSync(config, 'utf8')).not.toContain('trust_level');
    },
  );

  it('stop, with a question open, leaves nothing', async () => {
    const lab = await openLab('codex', ONE);
    const id = await start(lab, 'go');
    await opened(lab, id, 'echo labbed > a.txt');
    await shows(lab.world, id, DIALOG);
    const { data } = await entry(lab.world, 'agent.started', { session: id });
    const socket = data.argv[data.argv.indexOf('--remote') + 1]!.slice('unix://'.length);
    expect(existsSync(socket)).toBe(true);
    expect(await reins(lab.world, ['stop', id])).toMatchObject({ code: 0 });
    expect((await entry(lab.world, 'session.ended', { session: id })).data.outcome).toBe('stopped');
    expect(programsWith(socket)).toEqual([]);
    expect(existsSync(join(socket, '..'))).toBe(false);
    expect(ran(lab)).toBe(false);
    await lab.world.empty();
  });

  it('the end of its server is the end of the session, and says so', async () => {
    const lab = await openLab('codex', ONE);
    const id = await start(lab, 'go');
    await opened(lab, id, 'echo labbed > a.txt');
    await shows(lab.world, id, DIALOG);
    const notice = await entry(lab.world, 'notice', { session: id, is: ({ data }) => data.text.includes('server (') });
    process.kill(Number(/process (\d+)/.exec(notice.data.text)![1]), 'SIGKILL');
    const { data } = await entry(lab.world, 'session.ended', { session: id });
    expect(data).toMatchObject({ outcome: 'failed', exit_code: 1 });
    expect(data.reason).toMatch(/server (ended|closed)/);
    expect(ran(lab)).toBe(false);
    await lab.world.empty();
  });

  it('quitting the program ends the session as ever, its server with it', async () => {
    const lab = await openLab('codex', 'turns: [{text: first}]');
    const config = join(lab.seat.config, 'config.toml');
    const before = readFileSync(config, 'utf8');
    const id = await start(lab, 'go');
    await said(lab, id, 'first');
    await idle(lab, id);
    await reins(lab.world, ['send', id, '/quit']);
    expect((await entry(lab.world, 'session.ended', { session: id })).data).toMatchObject({ outcome: 'completed' });
    // What its terminal program writes down about itself, with or without us.
    const own = '\n[tui]\nscreen_reader_detection_done = true\n';
    expect([before, before + own]).toContain(readFileSync(config, 'utf8'));
    await lab.world.empty();
  });
});
