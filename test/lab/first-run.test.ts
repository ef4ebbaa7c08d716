/**
 * First-run pages of the real agents, in a seat where the folder was never trusted: each is an inquiry only a person may
 * answer, nothing is pressed before that, and the answer presses exactly the key it names. Where the user agreed
 * beforehand, there is no page.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Inquiry } from '../../src/contract/index.js';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached, row } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, type Lab, openLab, prompts, stateIs } from './support.js';
import { untrust } from './untrusted.js';

/** Files of the user's that no agent and no supervisor has a reason to touch. */
const SETTINGS: Record<LabAgent, string> = { claude: 'settings.json', codex: 'config.toml', gemini: 'settings.json' };
const FILES: Record<LabAgent, string[]> = {
  claude: ['.claude.json', 'settings.json'],
  codex: ['config.toml'],
  gemini: ['settings.json'],
};
/** By their words: which of them is first, and which is pointed at, has changed before. */
const YES: Record<LabAgent, RegExp> = { claude: /^Yes/, codex: /^Trust and continue/, gemini: /^Trust folder/ };
const NO: Record<LabAgent, RegExp> = { claude: /^No/, codex: /^Quit/, gemini: /^Don't trust/ };
const option = ({ questions }: Inquiry, label: RegExp): string =>
  questions![0]!.options.find((one) => label.test(one.label))!.id;

async function untrusted(agent: LabAgent, before?: (lab: Lab) => Promise<void>): Promise<{ lab: Lab; id: string }> {
  const lab = await openLab(agent, 'turns: [{text: The first answer.}]');
  untrust(lab);
  await before?.(lab);
  const id = await detached(lab.world, ['run', '-i', '-b', agent, ...PARKED, ...ASKS[agent], 'go']);
  return { lab, id };
}

/** Whether all lines are among `now`, in their order. */
function keptIn(now: string[], lines: string[]): boolean {
  const rest = [...lines];
  for (const line of now) if (line === rest[0]) rest.shift();
  return rest.length === 0;
}

/** Nobody is here now, and somebody may come: the session waits. */
const PARKED = ['--set', 'tools.defaults.detached=defer'];

/**
 * Codex's server, which guarded sessions have beside them, asks nobody about trust: it asks about every command. Guarded gemini
 * is told not to trust the folder, and shows no page either.
 */
const FULL = ['--trust', 'full'];
const ASKS: Record<LabAgent, string[]> = { claude: [], codex: FULL, gemini: FULL };

describe.each(AGENTS)('%s, in a folder nobody has trusted', (agent) => {
  it('asks a person, presses nothing by itself, and presses what the person chose', async () => {
    const { lab, id } = await untrusted(agent);
    const { world, seat, server } = lab;
    const opened = await entry(world, 'inquiry.opened', { session: id });
    const { inquiry } = opened.data;
    expect(inquiry).toMatchObject({ kind: 'question', tool: 'trust-folder', exclusive: true });
    await until('the session to ask', async () => (await row(world, id)).state === 'asking');
    // Nothing was typed and nothing was trusted while it waits.
    expect(entries(world, id).filter(({ type }) => type === 'input.sent')).toEqual([]);
    expect(server.main).toEqual([]);
    const settings = readFileSync(join(seat.config, SETTINGS[agent]), 'utf8');
    const answered = await reins(world, ['answer', inquiry.id, option(inquiry, YES[agent])]);
    expect(answered).toMatchObject({ code: 0 });
    await until('the first prompt to reach the model', () => server.main.length > 0 || undefined);
    await entry(world, 'agent.text', { session: id, is: ({ data }) => data.text.includes('The first answer.') });
    expect(server.main[0]!.prompt).toContain('go');
    const keys = entries(world, id).filter((one) => one.type === 'input.sent');
    expect(keys.map((one) => one.data)).toEqual(
      keys.map(() => expect.objectContaining({ by: 'human', why: 'answer' })),
    );
    const after = readFileSync(join(seat.config, SETTINGS[agent]), 'utf8');
    // Codex keeps its own notes in its settings, trust among them; every line of the user's is still there, in order.
    if (agent === 'codex') expect(keptIn(after.split('\n'), settings.split('\n'))).toBe(true);
    else expect(after).toBe(settings);
  });

  it('a prompt that was dealt with before the answer is not given again after it', async () => {
    const { lab, id } = await untrusted(agent);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    // Gemini begins behind its trust page, with less rights; the others wait for the answer.
    if (agent === 'gemini') await entry(lab.world, 'agent.text', { session: id });
    expect(await reins(lab.world, ['answer', inquiry.id, option(inquiry, YES[agent])])).toMatchObject({ code: 0 });
    await entry(lab.world, 'agent.text', { session: id });
    await stateIs(lab, id, 'idle');
    expect(prompts(lab).map((text) => text.trim())).toEqual(['go']);
    const [, again] = entries(lab.world, id).filter((one) => one.type === 'agent.started');
    // Started again for its new rights, it goes on with the same conversation.
    if (agent === 'gemini') expect(again?.data.argv).toContain('-r');
  });

  it('a choice to leave ends the session; it is not started again', async () => {
    const { lab, id } = await untrusted(agent);
    const { inquiry } = (await entry(lab.world, 'inquiry.opened', { session: id })).data;
    await reins(lab.world, ['answer', inquiry.id, option(inquiry, NO[agent])]);
    if (agent === 'gemini') return; // "Don't trust" goes on with less rights
    await entry(lab.world, 'session.ended', { session: id });
    expect(entries(lab.world, id).filter(({ type }) => type === 'agent.started')).toHaveLength(1);
    expect(lab.server.main).toEqual([]);
  });

  it('with `reins trust` beforehand there is no page, and its files keep every other byte', async () => {
    const files = new Map<string, string>();
    const { lab, id } = await untrusted(agent, async ({ world, seat }) => {
      expect(await reins(world, ['trust', agent])).toMatchObject({ code: 0 });
      for (const name of FILES[agent]) files.set(name, readFileSync(join(seat.config, name), 'utf8'));
    });
    const { world, seat } = lab;
    await entry(world, 'agent.text', { session: id, is: ({ data }) => data.text.includes('The first answer.') });
    const all = entries(world, id);
    expect(all.filter(({ type }) => type === 'inquiry.opened' || type === 'input.sent')).toEqual([]);
    expect(all.flatMap((one) => (one.type === 'notice' ? [one.data.text] : [])).join('\n')).toContain('as you agreed');
    for (const [name, before] of files) {
      const after = readFileSync(join(seat.config, name), 'utf8');
      if (name === '.claude.json') {
        // Claude rewrites its own notes as it runs: what it held before is still there, with the one entry.
        const trusted = { projects: { [world.project]: { hasTrustDialogAccepted: true } } };
        expect(JSON.parse(after)).toMatchObject({ ...JSON.parse(before), ...trusted });
      } else if (agent === 'codex') {
        expect(after).not.toContain(world.project);
        expect(keptIn(after.split('\n'), before.split('\n'))).toBe(true);
      } else expect(after).toBe(before);
    }
    expect(existsSync(join(seat.config, 'trustedFolders.json'))).toBe(false);
  });
});
