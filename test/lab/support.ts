/**
 * Reins with a real agent on a scripted model: a world of its own (test/journeys/support) whose environment is the lab's
 * seat, so that nothing of this machine but its PATH is seen, and everything started carries the world's mark.
 */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import {
  install,
  type LabAgent,
  type LabRequest,
  type LabSeat,
  ModelServer,
  parseScenario,
  prepareSeat,
} from '../../src/testing/index.js';
import { type CliOptions, type Ended, reins } from '../journeys/support/cli.js';
import { all, entries, onlySession } from '../journeys/support/journal.js';
import { reinsInTerminal, shellInTerminal, type Terminal } from '../journeys/support/terminal.js';
import { until } from '../journeys/support/wait.js';
import { newWorld, type World } from '../journeys/support/world.js';

const EVERY: LabAgent[] = ['claude', 'codex', 'gemini'];
/** All of them, or those that `REINS_LAB_AGENTS` names: the same tests on a second version of one agent. */
export const AGENTS: LabAgent[] = EVERY.filter((agent) =>
  (process.env.REINS_LAB_AGENTS ?? agent).split(',').includes(agent),
);

/** The agents' own word for the tool that runs a command, as their headless two-way protocol has it. */
export const SHELL_TOOL: Record<LabAgent, string> = { claude: 'Bash', codex: 'shell', gemini: 'execute' };

export interface Lab {
  agent: LabAgent;
  world: World;
  server: ModelServer;
  seat: LabSeat;
}

/** Contract: one per test; all of it is gone when the test is over, and a process left behind fails the test. */
export async function openLab(
  agent: LabAgent,
  scenario: string | ((project: string) => string),
  /** Another version than the pinned one. */
  version?: string,
): Promise<Lab> {
  const other = version === undefined ? {} : { REINS_LAB_VERSIONS: `${agent}=${version}` };
  const installed = await install(agent, { ...process.env, ...other });
  const world = newWorld();
  const text = typeof scenario === 'string' ? scenario : scenario(world.project);
  const script = await parseScenario(text, 'scenario');
  const server = await ModelServer.start({ scenario: script, cwd: world.project });
  onTestFinished(() => server.close());
  const path = [world.bin, process.env.PATH ?? ''].join(delimiter);
  const dir = join(world.root, 'seat');
  const seat = prepareSeat({ installed, url: server.url, cwd: world.project, dir, path });
  symlinkSync(seat.program, join(world.bin, agent));
  Object.assign(world.env, seat.env);
  return { agent, world, server, seat };
}

/** A second agent in the same world, on a model of its own: the one that is consulted. */
export async function beside({ world }: Lab, agent: LabAgent, turns: object[]): Promise<ModelServer> {
  const installed = await install(agent, process.env);
  const scenario = await parseScenario(JSON.stringify({ turns }), 'beside');
  const server = await ModelServer.start({ scenario, cwd: world.project });
  onTestFinished(() => server.close());
  const dir = join(world.root, 'beside');
  const seat = prepareSeat({ installed, url: server.url, cwd: world.project, dir, path: world.env.PATH ?? '' });
  const { PATH: _p, HOME: _h, TMPDIR: _t, ...own } = seat.env;
  Object.assign(world.env, own, agent === 'gemini' ? { GEMINI_CLI_HOME: seat.home } : {});
  symlinkSync(seat.program, join(world.bin, agent));
  return server;
}

/** `reins run --once` as a CI job would: no terminal anywhere. */
export function runOnce({ agent, world }: Lab, args: string[] = [], options: CliOptions = {}): Promise<Ended> {
  return reins(world, ['run', '-b', agent, '--once', ...args, ...(args.includes('-P') ? [] : ['go'])], options);
}

/** The agent's terminal program with a person at the keys: `reins run -i` in a terminal of its own. */
export async function sit(
  agent: LabAgent,
  scenario: string,
  at: { size?: { cols: number; rows: number }; version?: string; flags?: string[] } = {},
): Promise<{ lab: Lab; id: string; terminal: Terminal }> {
  const lab = await openLab(agent, scenario, at.version);
  const size = at.size ?? { cols: 110, rows: 40 };
  const terminal = reinsInTerminal(lab.world, ['run', '-i', '-b', agent, ...(at.flags ?? []), 'go'], size);
  const id = await onlySession(lab.world);
  onTestFinished(async () => {
    await reins(lab.world, ['kill', id]);
  });
  return { lab, id, terminal };
}

/** Waits for a state of the session, by its journal. */
export const stateIs = ({ world }: Lab, id: string, state: string): Promise<true> =>
  until(
    `${id} to be ${state}`,
    () => {
      const last = entries(world, id).findLast((one) => one.type === 'state.changed');
      return (last?.type === 'state.changed' && last.data.state === state) || undefined;
    },
    () => JSON.stringify(entries(world, id).slice(-12), null, 1).slice(-3000),
  );

export const FULL = ['--trust', 'full'];
export const detachedMode = (mode: string): string[] => ['--set', `tools.defaults.detached=${mode}`];

/** In a person's shell, with all three standard streams redirected: inquiries have only /dev/tty. */
export async function runAtShell({ agent, world }: Lab, args = ''): Promise<Terminal> {
  world.write('in', 'y\ny\ny\n');
  const shell = await shellInTerminal(world);
  shell.type(`reins run -b ${agent} --once ${args} go >out 2>err <in; echo "code $?"\r`);
  await shell.waitFor(`${agent} asks`);
  return shell;
}

/** Type-ahead must not answer: the asker ignores keys for a moment, so a key is pressed until it shows. */
export async function press(shell: Terminal, key: string, until: string | RegExp): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    shell.type(key);
    if (await shell.sees(until, 700)) return;
  }
  throw new Error(`pressing ${key} never led to ${until}\n${shell.screen()}`);
}

/**
 * One key to the agent's own dialog. Codex shows a dialog a moment before it takes keys (measured: 7 of 170 were swallowed
 * within 20 ms of the first picture), so it is pressed again if nothing came of it; a person would do the same.
 */
export async function pressInDialog(terminal: Terminal, key: string, until: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    terminal.type(key);
    if (await terminal.sees(until, 3_000)) return;
  }
  throw new Error(`pressing ${key} never led to ${until}\n${terminal.screen()}`);
}

/** One key to the question that is shown; pressed again only if nothing came of it for a long moment. */
export async function answerWith(lab: Lab, shell: Terminal, given: { key: string; shown: string }): Promise<void> {
  const answers = async () => (await all(lab.world, 'inquiry.answered')).length;
  const before = await answers();
  await shell.waitFor(given.shown);
  for (let tries = 0; tries < 10; tries += 1) {
    shell.type(given.key);
    const end = Date.now() + 2_500;
    while (Date.now() < end) {
      if ((await answers()) > before) return;
      await sleep(20);
    }
  }
  throw new Error(`${given.key} never answered ${given.shown}\n${shell.screen()}`);
}

export const file = ({ world }: Lab, name: string): string => readFileSync(join(world.project, name), 'utf8');

/** What the model was given, request by request: the last prompt and the last results. */
export const told = ({ server }: Lab): string =>
  server.main.map(({ prompt, result }) => `${prompt}\n${result}`).join('\n');

export const prompts = ({ server }: Lab): string[] => server.main.map(({ prompt }: LabRequest) => prompt);

/** Programs of this machine whose command line holds a text; for the ones that lost the world's mark. */
export function programsWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // gone meanwhile
      }
    })
    .filter((command) => command.includes(text));
}

/** A command that runs until it is ended, and its mark in the process table. */
export function longCommand(): { command: string; runs: () => boolean } {
  const mark = `sleep 3${process.pid}.${Math.floor(Math.random() * 1e9)}`;
  // Claude 2.1.325 runs no `sleep` that stands alone.
  return { command: `nice ${mark}`, runs: () => programsWith(mark).length > 0 };
}

export const session = ({ world }: Lab): Promise<string> => onlySession(world);
