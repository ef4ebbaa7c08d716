import { afterEach, describe, expect, it } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { Bench, type LabTerminal } from './bench.cases.js';
import { AGENTS } from './support.js';

const INTERACTIVE: Record<LabAgent, (prompt: string) => string[]> = {
  claude: (prompt) => [prompt],
  codex: (prompt) => ['--no-daemon', '-a', 'on-request', '-s', 'read-only', prompt],
  gemini: (prompt) => ['-i', prompt],
};

let bench: Bench | undefined;
let terminal: LabTerminal | undefined;
afterEach(async () => {
  terminal?.close();
  await bench?.close();
  bench = undefined;
});

describe.each(AGENTS)('%s, in a terminal', (agent) => {
  it('no first-run screen stands in the way, and side requests take no turn of the scenario', async () => {
    bench = await Bench.open(agent, 'turns: [{text: The first answer of the lab.}, {text: The second answer.}]');
    terminal = bench.terminal(INTERACTIVE[agent]('say something'));
    await terminal.sees('The first answer of the lab.');
    expect(bench.server.main.map(({ turn, prompt }) => ({ turn, prompt }))).toEqual([
      { turn: 0, prompt: 'say something' },
    ]);
    expect(
      bench.server.requests.filter(({ kind }) => kind !== 'main' && kind !== 'title' && kind !== 'router'),
    ).toEqual([]);
  });

  it('a question of the model is a dialog, and its answer comes back', async () => {
    bench = await Bench.open(
      agent,
      `turns:
         - ask: [{question: "Which colour?", header: Colour, options: [Crimson, {label: Azure, description: blue}]}]
         - text: "Thank you."`,
    );
    terminal = bench.terminal(INTERACTIVE[agent]('ask me'));
    await terminal.sees(/Which colour\?/);
    await terminal.sees(/2\.\s+Azure/);
    await terminal.presses('2', 'Thank you.');
    expect(bench.server.main.at(-1)?.result).toContain('Azure');
  });
});
