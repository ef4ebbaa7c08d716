/** Issue 4: with the real agents and nobody there, each detached mode; and what of the agents' own config is touched. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { reins } from '../journeys/support/cli.js';
import { all, entry } from '../journeys/support/journal.js';
import { json } from '../journeys/support/session.js';
import { AGENTS, detachedMode, FULL, file, type Lab, openLab, runOnce, session, told } from './support.js';

const WRITE = 'turns: [{bash: echo labbed > a.txt}, {text: "I was told: {{result}}"}]';
const ran = ({ world }: Lab) => existsSync(join(world.project, 'a.txt'));

describe.each(AGENTS)('%s, nobody there', (agent) => {
  it('deny, the default: not run, the model is told why, exit 4, and the line that would allow it', async () => {
    const lab = await openLab(agent, WRITE);
    const ended = await runOnce(lab);
    expect(ended.code).toBe(4);
    expect(ran(lab)).toBe(false);
    expect(told(lab)).toContain('needs a person’s answer');
    expect(ended.stderr).toContain('rules: {allow:');
    expect(ended.stderr).toContain('1 denied because nobody was there');
  });

  it('auto: allowed', async () => {
    const lab = await openLab(agent, WRITE);
    expect(await runOnce(lab, detachedMode('auto'))).toMatchObject({ code: 0 });
    expect(file(lab, 'a.txt')).toBe('labbed\n');
  });

  it('defaults: a call has none, so it is denied', async () => {
    const lab = await openLab(agent, WRITE);
    expect(await runOnce(lab, detachedMode('defaults'))).toMatchObject({ code: 4 });
    expect(ran(lab)).toBe(false);
  });

  it('defer: parked with 5, and `reins answer` lets the agent go on', async () => {
    const lab = await openLab(agent, WRITE);
    const parked = await runOnce(lab, detachedMode('defer'));
    expect(parked.code).toBe(5);
    expect(ran(lab)).toBe(false);
    const id = await session(lab);
    expect(await json(lab.world, ['inbox'])).toMatchObject([{ id: `${id}.1`, kind: 'run' }]);
    expect(await reins(lab.world, ['answer', `${id}.1`, 'allow'])).toMatchObject({ code: 0 });
    expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
    expect(file(lab, 'a.txt')).toBe('labbed\n');
  });
});

const ASK =
  'turns: [{ask: [{question: "Which colour?", header: Colour, options: [Crimson, Azure]}]}, {text: "{{result}}"}]';

describe.each(['claude', 'codex'] as const)('%s asks a question, nobody there', (agent) => {
  it.each(['deny', 'defaults'])('%s: no answer, and the model is told so', async (mode) => {
    const lab = await openLab(agent, ASK);
    expect(await runOnce(lab, detachedMode(mode))).toMatchObject({ code: 4 });
    expect((await entry(lab.world, 'inquiry.answered')).data.answer.verdict.kind).toBe('deny');
    expect(told(lab)).toMatch(/nobody|person/);
    expect(told(lab)).not.toMatch(/"Which colour\?"="|"answers":\["(Crimson|Azure)/);
  });

  it('defer: answered later, in one word', async () => {
    const lab = await openLab(agent, ASK);
    expect(await runOnce(lab, detachedMode('defer'))).toMatchObject({ code: 5 });
    expect(await reins(lab.world, ['answer', `${await session(lab)}.1`, 'Azure'])).toMatchObject({ code: 0 });
    expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ exit_code: 0 });
    expect(told(lab)).toContain('Azure');
  });
});

const CONFIG: Record<LabAgent, string[]> = {
  claude: ['settings.json'],
  codex: ['config.toml'],
  gemini: ['settings.json', 'trustedFolders.json'],
};

describe.each(AGENTS)('%s keeps its config', (agent) => {
  it.each([
    ['guarded', detachedMode('auto')],
    ['full', FULL],
  ])('byte by byte, and its project holds nothing of ours but .agent: trust %s', async (_trust, flags) => {
    const lab = await openLab(agent, WRITE);
    const read = () => CONFIG[agent].map((name) => readFileSync(join(lab.seat.config, name), 'utf8'));
    const before = read();
    expect(await runOnce(lab, flags)).toMatchObject({ code: 0 });
    expect(read()).toEqual(before);
    expect(readdirSync(lab.world.project).sort()).toEqual(['.agent', 'a.txt']);
    expect(await all(lab.world, 'session.ended')).toHaveLength(1);
  });
});
