/**
 * More of the agents' own dialogs, answered from outside while a person's terminal shows them: questions of every kind, a
 * tool that is stopped or interrupted while it runs, and their config afterwards.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Inquiry } from '../../src/contract/index.js';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entries, entry } from '../journeys/support/journal.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, type Lab, longCommand, sit, stateIs } from './support.js';

const answer = async ({ world }: Lab, inquiry: Inquiry, words: string[]) =>
  expect(await reins(world, ['answer', inquiry.id, ...words])).toMatchObject({ code: 0 });

/** The inquiries of a session as they come, the n-th one. */
const inquiry = async ({ world }: Lab, n: number): Promise<Inquiry> =>
  until(`inquiry ${n}`, async () => (await all(world, 'inquiry.opened'))[n - 1]?.data.inquiry);

const ASK = (question: string) => `turns: [{ask: [${question}]}, {text: "Thank you."}]`;
const COLOUR = '{question: "Which colour?", header: Colour, options: [Crimson, Azure]}';
const PARTS = '{question: "Which parts?", header: Parts, options: [Doors, Walls, Roof], multi: true}';

describe.each(AGENTS)('%s asks, answered from outside', (agent) => {
  it('in words of one’s own', async () => {
    const { lab, terminal } = await sit(agent, ASK(COLOUR));
    await terminal.waitFor(/2\.\s+Azure/);
    await answer(lab, await inquiry(lab, 1), ['sea green']);
    await terminal.waitFor('Thank you.');
    expect(lab.server.main.at(-1)?.result).toContain('sea green');
  });

  it('several questions', async () => {
    const { lab, terminal } = await sit(
      agent,
      ASK(`${COLOUR}, {question: "Which name?", header: Name, options: [Ada, Bob]}`),
    );
    const first = await inquiry(lab, 1);
    if (first.questions?.length === 2) {
      await answer(
        lab,
        first,
        first.questions.map(({ id }, at) => `${id}=${['Azure', 'Ada'][at]}`),
      );
    } else {
      // Read off the screen, they come one after the other.
      await answer(lab, first, ['Azure']);
      const second = await inquiry(lab, 2);
      expect(second.questions?.[0]?.text).toContain('Which name?');
      await answer(lab, second, ['Ada']);
      // Gemini shows what was answered once more, and wants a yes.
      if (agent === 'gemini') await answer(lab, await inquiry(lab, 3), ['Submit answers']);
    }
    await terminal.waitFor('Thank you.');
    for (const word of ['Azure', 'Ada']) expect(lab.server.main.at(-1)?.result).toContain(word);
  });
});

// Codex has no questions with several answers.
it.each(AGENTS.filter((agent) => agent !== 'codex'))(
  '%s asks for several choices, answered from outside',
  async (agent) => {
    const { lab, terminal } = await sit(agent, ASK(PARTS));
    await terminal.waitFor(/Roof/);
    const first = await inquiry(lab, 1);
    expect(first.questions).toMatchObject([
      { multi: true, options: [{ label: 'Doors' }, { label: 'Walls' }, { label: 'Roof' }] },
    ]);
    await answer(lab, first, ['Doors', 'Roof']);
    await terminal.waitFor('Thank you.');
    expect(lab.server.main.at(-1)?.result).toMatch(/Doors,\s?Roof/);
  },
);

// Gemini's questions are known by its screen alone.
it.each(AGENTS.filter((agent) => agent === 'gemini'))(
  'C4: %s, known by its screen: its keys come one by one, and a dialog that changes in between ends it unconfirmed',
  async (agent) => {
    const { lab, id, terminal } = await sit(agent, ASK(PARTS));
    await terminal.waitFor(/Roof/);
    const first = await inquiry(lab, 1);
    await answer(lab, first, ['Doors', 'Walls', 'Roof']);
    // After the first key somebody in front of it leaves the dialog.
    await entry(lab.world, 'input.sent', { is: ({ data }) => data.why === 'answer' });
    terminal.type('\x1b');
    const { data } = await entry(lab.world, 'inquiry.closed', { is: (one) => one.data.inquiry === first.id });
    expect(data).toMatchObject({ how: 'cancelled', reason: expect.stringContaining('nothing was confirmed') });
    await stateIs(lab, id, 'idle');
    const pressed = (await all(lab.world, 'input.sent')).filter((one) => one.data.why === 'answer').length;
    // Three ticks, the way to the end of the page and Enter would be more.
    expect(pressed).toBeLessThan(5);
    expect(lab.server.main.map(({ result }) => result ?? '').join('\n')).not.toMatch(/Doors|Roof/);
  },
);

describe.each(AGENTS)('%s, while an allowed tool runs', (agent) => {
  async function running() {
    const { command, runs } = longCommand();
    const sat = await sit(agent, `turns: [{bash: "${command} > a.txt"}, {text: never}]`);
    await answer(sat.lab, await inquiry(sat.lab, 1), ['allow']);
    await until('the tool', runs);
    return { ...sat, runs };
  }

  it('`reins stop` leaves nothing, wherever it hides', async () => {
    const { lab, id, terminal, runs } = await running();
    expect(await reins(lab.world, ['stop', id])).toMatchObject({ code: 0 });
    expect(runs()).toBe(false);
    await terminal.exit();
    await lab.world.empty();
  });

  it('`reins interrupt` ends the turn; the agent lives', async () => {
    const { lab, id, terminal, runs } = await running();
    expect(await reins(lab.world, ['interrupt', id])).toMatchObject({ code: 0 });
    await terminal.waitFor(/[Ii]nterrupted|cancelled|canceled/);
    // Codex lets a command it was told to stop waiting for run on in the background.
    if (agent !== 'codex') await until('the end of the tool', () => !runs());
    expect(entries(lab.world, id).some(({ type }) => type === 'agent.ended')).toBe(false);
    expect(lab.server.main).toHaveLength(1);
  });
});

const CONFIG: Record<LabAgent, string[]> = {
  claude: ['settings.json'],
  codex: ['config.toml'],
  gemini: ['settings.json', 'trustedFolders.json'],
};

describe.each(AGENTS)('%s, after a session at its terminal', (agent) => {
  it('S2: its config is what it was, byte by byte', async () => {
    const { lab, id, terminal } = await sit(agent, 'turns: [{text: The first answer.}]');
    const read = () => CONFIG[agent].map((name) => readFileSync(join(lab.seat.config, name), 'utf8'));
    const before = read();
    await terminal.waitFor('The first answer.');
    await stateIs(lab, id, 'idle');
    expect(await reins(lab.world, ['stop', id])).toMatchObject({ code: 0 });
    expect((await entry(lab.world, 'session.ended', { session: id })).data.outcome).toBe('stopped');
    // Codex notes on its own that it looked for a screen reader.
    const own = /\n\[tui\]\nscreen_reader_detection_done = true\n$/;
    expect(read().map((text) => text.replace(own, ''))).toEqual(before);
  });
});
