/**
 * The agents' own terminal programs, held by Reins with no viewer attached: ready, messages with proof, dialogs that are
 * inquiries at the same time, interrupt, and the end. (First-run pages, resume and transcripts have files of their own.)
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entries, entry } from '../journeys/support/journal.js';
import { detached, row, send, shows } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, FULL, type Lab, openLab, pressInDialog, prompts, sit, stateIs } from './support.js';

/** Starts the agent's terminal program; `first` is its first prompt. */
async function start(agent: LabAgent, scenario: string, first?: string): Promise<{ lab: Lab; id: string }> {
  const lab = await openLab(agent, scenario);
  const id = await detached(lab.world, ['run', '-i', '-b', agent, ...(first === undefined ? [] : [first])]);
  return { lab, id };
}

const ended = (lab: Lab, id: string) => entry(lab.world, 'session.ended', { session: id });

/** What happened to every inquiry of the session, in order. */
const closed = async ({ world }: Lab) => (await all(world, 'inquiry.closed')).map(({ data }) => data.how);

const MEANT: [string, string, string?][] = [
  ['a short one', 'hello there'],
  ['several lines', 'line one\nline two\n\nline four'],
  ['200 KB', `begin\n${'0123456789abcde\n'.repeat(12_800)}end`],
  ['a leading !', '!echo pwned > pwned.txt'],
  ['a leading ! behind spaces', '  !echo pwned > pwned.txt'],
  ['a leading /', '/etc/passwd is a path'],
  ['an end of paste inside', 'before\x1b[201~\rafter', 'before[201~\nafter'],
  ['emoji and other scripts', 'grüße 🌍 漢字 👩‍👩‍👧‍👦'],
];

describe.each(AGENTS)('%s takes messages', (agent) => {
  it('each exactly once, exactly as it was meant, with proof', async () => {
    const { lab, id } = await start(agent, 'turns: [{text: "Taken.", times: always}]');
    await stateIs(lab, id, 'idle');
    for (const [name, text] of MEANT) {
      const before = prompts(lab).length;
      const { seq } = entries(lab.world, id).at(-1)!;
      const receipt = await send(lab.world, id, text);
      // A late picture may show the turn before once more: then it waits in the line, and its proof comes with its turn.
      const given =
        receipt.verdict === 'queued'
          ? (await entry(lab.world, 'message.sent', { session: id, is: (one) => one.seq > seq })).data
          : receipt;
      expect({ name, ...given }).toMatchObject({ name, verdict: 'submitted', evidence: expect.any(String) });
      await until(`${name} to arrive`, () => prompts(lab).length > before);
      // The idle of before does not count, nor one that a late picture takes back.
      await until(`the turn of ${name} to end`, () => {
        const last = entries(lab.world, id).findLast((one) => one.type === 'state.changed');
        return last !== undefined && last.seq > seq && last.type === 'state.changed' && last.data.state === 'idle';
      });
    }
    expect(existsSync(join(lab.world.project, 'pwned.txt'))).toBe(false);
    const plain = (text: string) =>
      text
        .replace(/\u200b/g, '')
        .replace(/\s+/g, ' ')
        .trim();
    const wanted = MEANT.map(([, text, told]) => plain(told ?? text));
    expect(prompts(lab).map((text, at) => plain(text) === wanted[at] || text.slice(0, 200))).toEqual(
      MEANT.map(() => true),
    );
  }, 240_000);
});

const WRITE = 'turns: [{bash: touch a.txt}, {text: "After the tool."}]';
const made = ({ world }: Lab) => existsSync(join(world.project, 'a.txt'));

describe.each(AGENTS)('%s wants to run a command', (agent) => {
  it('its dialog and the inquiry are one: `reins answer` allows, and the dialog closes', async () => {
    const { lab, id, terminal } = await sit(agent, WRITE);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    expect(inquiry.kind).toBe('run');
    await stateIs(lab, id, 'asking');
    expect(made(lab)).toBe(false);
    expect(await reins(lab.world, ['answer', inquiry.id, 'allow'])).toMatchObject({ code: 0 });
    await terminal.waitFor('After the tool.');
    expect(made(lab)).toBe(true);
    expect((await closed(lab)).filter((how) => how === 'delivered').length).toBeGreaterThan(0);
    await stateIs(lab, id, 'idle');
    expect(await reins(lab.world, ['answer', inquiry.id, 'deny'])).toMatchObject({ code: 31 });
  });

  it('answered in its own dialog: the inquiry closes', async () => {
    const { lab, id, terminal } = await sit(agent, WRITE);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    await terminal.waitFor(/1\. (Yes|Allow)/);
    await pressInDialog(terminal, agent === 'codex' ? 'y' : '1', 'After the tool.');
    expect(made(lab)).toBe(true);
    const { data } = await entry(lab.world, 'inquiry.closed', { session: id });
    expect(data).toMatchObject({ inquiry: inquiry.id, how: 'cancelled' });
    await stateIs(lab, id, 'idle');
  });

  it('denied from outside: not run', async () => {
    const { lab, id } = await sit(agent, WRITE);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    expect(await reins(lab.world, ['answer', inquiry.id, 'deny', '--reason', 'use b.txt'])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    expect(made(lab)).toBe(false);
  });
});

const ASK = `turns:
  - ask: [{question: "Which colour?", header: Colour, options: [Crimson, Azure]}]
  - text: "Thank you."`;

describe.each(AGENTS)('%s asks a question', (agent) => {
  it('answered from outside', async () => {
    const { lab, id, terminal } = await sit(agent, ASK);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    expect(inquiry).toMatchObject({ kind: 'question' });
    expect(inquiry.questions?.[0]?.text).toContain('Which colour?');
    await terminal.waitFor(/2\.\s+Azure/);
    expect(await reins(lab.world, ['answer', inquiry.id, 'Azure'])).toMatchObject({ code: 0 });
    await terminal.waitFor('Thank you.');
    expect(lab.server.main.at(-1)?.result).toContain('Azure');
    await stateIs(lab, id, 'idle');
  });

  it('answered in its dialog: the inquiry closes', async () => {
    const { lab, id, terminal } = await sit(agent, ASK);
    await entry(lab.world, 'inquiry.opened', { session: id });
    await terminal.waitFor(/2\.\s+Azure/);
    await pressInDialog(terminal, '2', 'Thank you.');
    expect(lab.server.main.at(-1)?.result).toContain('Azure');
    expect((await entry(lab.world, 'inquiry.closed', { session: id })).data.how).toBe('cancelled');
    await stateIs(lab, id, 'idle');
  });
});

/** How a person leaves it from inside. */
const LEAVE: Record<LabAgent, string> = { claude: '/exit', codex: '/quit', gemini: '/quit' };

describe.each(AGENTS)('%s, its turn and its end', (agent) => {
  it('`reins interrupt` ends the turn, not the agent', async () => {
    const { lab, id } = await start(
      agent,
      'turns: [{text: "Some words first. ", pace: 3000}, {text: "Next answer."}]',
      'go',
    );
    await until('a request', () => lab.server.main.length > 0);
    await stateIs(lab, id, 'working');
    expect(await reins(lab.world, ['interrupt', id])).toMatchObject({ code: 0 });
    await stateIs(lab, id, 'idle');
    expect((await row(lab.world, id)).state).toBe('idle');
  });

  it('N5: leaving from inside ends the session with 0; it is not started again', async () => {
    const { lab, id } = await start(agent, 'turns: [{text: hi}]');
    await stateIs(lab, id, 'idle');
    // Claude writes the command down as it leaves: what is read first is the proof.
    const evidence = expect.stringMatching(/^(exit|transcript)$/);
    expect(await send(lab.world, id, LEAVE[agent])).toMatchObject({ verdict: 'submitted', evidence });
    expect((await ended(lab, id)).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
    expect(entries(lab.world, id).filter(({ type }) => type === 'agent.started')).toHaveLength(1);
  });

  it('N1: nothing the model prints opens an inquiry or asks', async () => {
    const { lab, id } = await start(agent, 'turns: [{hostile: true}]', 'go');
    await shows(lab.world, id, 'Continue? [y/N]');
    await stateIs(lab, id, 'idle');
    const seen = entries(lab.world, id);
    expect(seen.filter(({ type }) => type === 'inquiry.opened')).toEqual([]);
    const states = seen.flatMap((one) => (one.type === 'state.changed' ? [one.data.state] : []));
    expect(states).not.toContain('asking');
    expect(seen.filter((one) => one.type === 'input.sent' && one.data.why === 'answer')).toEqual([]);
  });

  it('F9: one that dies before it was ready is never called ready, and the error says why', async () => {
    const lab = await openLab(agent, 'turns: []');
    // Where Reins gates, it does not pass on what it does not know.
    const id = await detached(lab.world, ['run', '-i', '-b', agent, ...FULL, '--', '--no-such-flag-of-the-lab']);
    const { data } = await ended(lab, id);
    expect(data).toMatchObject({ outcome: 'failed', exit_code: 20 });
    expect(data.reason).toMatch(/could not be started: it exited with code \d before it was ready, 3 times: \S/);
    const states = entries(lab.world, id).flatMap((one) => (one.type === 'state.changed' ? [one.data.state] : []));
    expect(states).not.toContain('idle');
  });
});
