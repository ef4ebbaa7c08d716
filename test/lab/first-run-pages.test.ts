/**
 * The other pages agents show before the first prompt, provoked on the real programs: theme, security notes, a key,
 * hooks to review. Each is an inquiry only a person may answer; until then nothing is pressed.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Inquiry } from '../../src/contract/index.js';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { entries, entry } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { FULL, type Lab, openLab } from './support.js';

type Started = { lab: Lab; id: string };

async function start(agent: LabAgent, prepare: (lab: Lab) => unknown, args: string[] = []): Promise<Started> {
  const lab = await openLab(agent, 'turns: [{text: The first answer.}]');
  await prepare(lab);
  const parked = ['--set', 'tools.defaults.detached=defer'];
  return { lab, id: await detached(lab.world, ['run', '-i', '-b', agent, ...parked, ...args, 'go']) };
}

/** The page is an inquiry for people, and nothing was pressed that no person chose. */
async function page({ lab, id }: Started, tool: string): Promise<Inquiry> {
  const opened = await entry(lab.world, 'inquiry.opened', {
    session: id,
    is: ({ data }) => data.inquiry.tool === tool,
  });
  const { inquiry } = opened.data;
  expect(inquiry).toMatchObject({ kind: 'question', tool, exclusive: true });
  const all = entries(lab.world, id);
  const answers = all.filter(({ type }) => type === 'inquiry.answered').length;
  expect(all.filter(({ type }) => type === 'inquiry.opened')).toHaveLength(answers + 1);
  const keys = all.flatMap((one) => (one.type === 'input.sent' ? [one.data] : []));
  expect(keys).toEqual(keys.map(() => expect.objectContaining({ by: 'human', why: 'answer' })));
  expect(lab.server.main).toEqual([]);
  return inquiry;
}

async function answer({ lab, id }: Started, inquiry: Inquiry, words: string[]): Promise<void> {
  expect(await reins(lab.world, ['answer', inquiry.id, ...words])).toMatchObject({ code: 0 });
  await entry(lab.world, 'inquiry.closed', { session: id, is: ({ data }) => data.inquiry === inquiry.id });
}

async function reachesTheModel({ lab, id }: Started): Promise<void> {
  await entry(lab.world, 'agent.text', { session: id, is: ({ data }) => data.text.includes('The first answer.') });
  expect(lab.server.main[0]!.prompt).toContain('go');
}

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const claudeFile = ({ seat }: Lab) => join(seat.config, '.claude.json');
const mcp = (names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'false' }])) });

it('claude, never run before: theme, security notes, trust, one after the other', async () => {
  const started = await start('claude', ({ seat, world }) => {
    for (const name of ['.claude.json', 'settings.json']) rmSync(join(seat.config, name));
    // With a key it first looks for its makers' servers, which the lab does not have.
    const { ANTHROPIC_API_KEY: token, ...env } = seat.env;
    delete world.env.ANTHROPIC_API_KEY;
    Object.assign(world.env, env, { ANTHROPIC_AUTH_TOKEN: token });
  });
  const theme = await page(started, 'theme');
  expect(theme.questions![0]!.options.map(({ label }) => label)).toContain('Light mode');
  await answer(started, theme, ['Light mode']);
  await answer(started, await page(started, 'security-notes'), ['Continue']);
  await answer(started, await page(started, 'trust-folder'), ['Yes, I trust this folder']);
  await reachesTheModel(started);
  expect(json(join(started.lab.seat.config, 'settings.json'))).toMatchObject({ theme: 'light' });
});

it('claude, a key nobody approved: the default is not taken for an answer', async () => {
  const started = await start('claude', (lab) => {
    const { customApiKeyResponses: _approved, ...rest } = json(claudeFile(lab));
    writeFileSync(claudeFile(lab), JSON.stringify(rest));
  });
  const key = await page(started, 'api-key');
  expect(key.questions![0]!.text).not.toContain('lab-key-that');
  await answer(started, key, ['Yes']);
  await reachesTheModel(started);
  expect(json(claudeFile(started.lab)).customApiKeyResponses.approved).toHaveLength(1);
});

// Its page about servers of the project comes no more where Reins gates: nothing of the folder is loaded by Claude itself.
it.each([false, true])(
  'claude, MCP servers of the project, agreed to beforehand: %s: no page, and no answer of ours in the folder',
  async (agreed) => {
    const started = await start('claude', async ({ world }) => {
      world.write('.mcp.json', mcp(['one', 'two']));
      if (agreed) expect(await reins(world, ['trust', 'claude'])).toMatchObject({ code: 0 });
    });
    await reachesTheModel(started);
    const opened = entries(started.lab.world, started.id).filter(({ type }) => type === 'inquiry.opened');
    expect(opened).toEqual([]);
    expect(existsSync(join(started.lab.world.project, '.claude', 'settings.local.json'))).toBe(false);
  },
);

it('codex, hooks of the project', async () => {
  const hook = { type: 'command', command: 'touch hooked' };
  const hooks = { hooks: { UserPromptSubmit: [{ hooks: [hook] }] } };
  const brings = async ({ world }: Lab) => {
    world.write('.codex/hooks.json', JSON.stringify(hooks));
    // What a repository brings along waits for a yes to Reins first; then codex asks for itself.
    expect(await reins(world, ['trust', 'codex'])).toMatchObject({ code: 0 });
  };
  const started = await start('codex', brings, FULL);
  const review = await page(started, 'hooks-review');
  const without = review.questions![0]!.options.find(({ label }) => label.startsWith('Continue without'))!;
  await answer(started, review, [without.id]);
  await reachesTheModel(started);
  expect(readFileSync(join(started.lab.seat.config, 'config.toml'), 'utf8')).not.toContain('trusted_hash');
});
