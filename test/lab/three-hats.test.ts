/**
 * L1: three hats to the promise on the real agents, in every trust and door: the end of each turn is heard, its words and
 * events reach the loop.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reins } from '../journeys/support/cli.js';
import { all, entries, entry, onlySession } from '../journeys/support/journal.js';
import { reinsInTerminal } from '../journeys/support/terminal.js';
import { until } from '../journeys/support/wait.js';
import { AGENTS, FULL, type Lab, openLab } from './support.js';

const CONFIG = `
event_loop: {max_iterations: 6}
hats:
  planner: {triggers: [task.start], publishes: [plan.done], instructions: Plan it.}
  builder: {triggers: [plan.done], publishes: [build.done], instructions: Build it.}
  reviewer: {triggers: [build.done], publishes: [review.rejected], instructions: Review it.}
`;

const SCENARIO = `
turns:
  - text: |
      Planned.
      <event topic="plan.done">one step</event>
  - {text: "I build. ", bash: echo built > built.txt}
  - text: |
      Built.
      <event topic="build.done">built.txt</event>
  - text: |
      Reviewed.
      LOOP_COMPLETE
`;

/** The reviewer sends the first work back. */
const REJECTED = `
turns:
  - text: |
      Planned.
      <event topic="plan.done">one step</event>
  - {text: "I build. ", bash: echo built > first.txt}
  - text: |
      Built.
      <event topic="build.done">first.txt</event>
  - text: |
      Not yet.
      <event topic="review.rejected">a second one</event>
  - {text: "I build more. ", bash: echo built > second.txt}
  - text: |
      Built both.
      <event topic="build.done">second.txt</event>
  - text: |
      Reviewed.
      LOOP_COMPLETE
`;

const FORMS: [string, string[]][] = [
  ['full, in its terminal', [...FULL, '--tui']],
  ['full, headless', FULL],
  ['guarded, headless', ['--set', 'tools.defaults.detached=auto']],
];

/** What was asked and seen last, for who reads why a test failed. */
const story = (world: Lab['world'], id: string): string =>
  entries(world, id)
    .filter(({ type }) => /^(inquiry|state|iteration|input)\./.test(type))
    .slice(-20)
    .map((one) => JSON.stringify(one).slice(0, 400))
    .join('\n');

/** Iteration by iteration: each has its own time, however busy the machine is. */
async function loop({ agent, world }: Lab, flags: string[], iterations: number): Promise<number | null> {
  const args = ['run', '-b', agent, ...flags, 'make it'];
  if (!flags.includes('--tui')) return (await reins(world, args)).code;
  const terminal = reinsInTerminal(world, args, { cols: 110, rows: 40 });
  const id = await onlySession(world);
  onTestFinished(async () => {
    await reins(world, ['kill', id]);
  });
  for (let n = 1; n <= iterations; n += 1)
    await until(
      `iteration ${n} to end`,
      async () => (await all(world, 'iteration.ended')).length >= n,
      () => `${terminal.screen()}\n${story(world, id)}`,
      90_000,
    );
  return terminal.exit();
}

describe.each(AGENTS)('%s', (agent) => {
  test.each(FORMS)(
    'three hats to completion: %s',
    async (_, flags) => {
      const lab = await openLab(agent, SCENARIO);
      lab.world.write('reins.yml', CONFIG);
      const code = await loop(lab, flags, 3);
      const hats = (await all(lab.world, 'iteration.started')).map(({ data }) => data.hat);
      expect(hats).toEqual(['planner', 'builder', 'reviewer']);
      expect(code).toBe(0);
      expect(existsSync(join(lab.world.project, 'built.txt'))).toBe(true);
      expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
    },
    180_000,
  );
});

/** Every call is somebody's to answer; the hats change to and fro within the session, each in a terminal of its own. */
test.each(AGENTS)(
  '%s: guarded, in its terminal: hats to and fro to completion, each call answered from outside',
  async (agent) => {
    const lab = await openLab(agent, REJECTED);
    lab.world.write('reins.yml', CONFIG.replace('[plan.done], publishes', '[plan.done, review.rejected], publishes'));
    const isThere = (name: string) => existsSync(join(lab.world.project, name));
    const calls = async () =>
      (await all(lab.world, 'inquiry.opened')).map(({ data }) => data.inquiry).filter(({ kind }) => kind === 'run');
    const answering = async () => {
      for (const [at, name] of ['first.txt', 'second.txt'].entries()) {
        const inquiry = await until(
          `inquiry ${at + 1}`,
          async () => (await calls())[at],
          () => '',
          120_000,
        );
        expect(isThere(name)).toBe(false);
        expect(await reins(lab.world, ['answer', inquiry.id, 'allow'])).toMatchObject({ code: 0 });
      }
    };
    const [code] = await Promise.all([loop(lab, ['--tui'], 5), answering()]);
    expect(code).toBe(0);
    const hats = (await all(lab.world, 'iteration.started')).map(({ data }) => data.hat);
    expect(hats).toEqual(['planner', 'builder', 'reviewer', 'builder', 'reviewer']);
    expect(['first.txt', 'second.txt'].map(isThere)).toEqual([true, true]);
    expect((await calls()).map(({ input }) => JSON.stringify(input))).toEqual([
      expect.stringContaining('first.txt'),
      expect.stringContaining('second.txt'),
    ]);
    expect((await entry(lab.world, 'session.ended')).data).toMatchObject({ outcome: 'completed', exit_code: 0 });
  },
  240_000,
);

/** Gemini's dialogs are read from its screen: there a deny rule makes a person be asked (docs/agents.md). */
test.each(AGENTS.filter((agent) => agent !== 'gemini'))(
  '%s: full trust in its terminal keeps a deny rule',
  async (agent) => {
    const lab = await openLab(
      agent,
      'turns: [{bash: touch denied.txt}, {text: "Tried.\\nLOOP_COMPLETE", times: always}]',
    );
    lab.world.write('reins.yml', 'rules: {deny: ["Bash(touch:*)"]}\n');
    expect(await loop(lab, [...FULL, '--tui', '--max-iterations', '1'], 1)).toBe(0);
    expect(existsSync(join(lab.world.project, 'denied.txt'))).toBe(false);
    const answers = (await all(lab.world, 'inquiry.answered')).map(({ data }) => data.answer);
    expect(answers).toContainEqual(expect.objectContaining({ verdict: { kind: 'deny' } }));
  },
  180_000,
);

test.runIf(AGENTS.includes('claude'))(
  'claude: where the user’s settings switch hooks off, its transcript and its screen tell that the turn is over',
  async () => {
    const lab = await openLab('claude', SCENARIO);
    lab.world.write('reins.yml', CONFIG);
    const settings = join(lab.world.env.CLAUDE_CONFIG_DIR!, 'settings.json');
    const own = existsSync(settings) ? (JSON.parse(readFileSync(settings, 'utf8')) as object) : {};
    writeFileSync(settings, JSON.stringify({ ...own, disableAllHooks: true }));
    expect(await loop(lab, [...FULL, '--tui'], 3)).toBe(0);
    const notices = (await all(lab.world, 'notice')).filter(({ data }) => data.code === 'turn-end');
    expect(notices.map(({ data }) => data.text)).toEqual([expect.stringContaining('hook did not tell')]);
  },
  120_000,
);
