/**
 * Attacks on the gate: something in the repository or in the user's own agent settings wants a tool to run with nobody
 * asked. The marker is a file that only the forbidden call leaves: where it lies, the gate was open.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LabAgent } from '../../src/testing/index.js';
import { all, entries } from '../journeys/support/journal.js';
import { detached } from '../journeys/support/session.js';
import { until } from '../journeys/support/wait.js';
import { detachedMode, type Lab, openLab, runOnce } from './support.js';

export interface Attack {
  /** What the model calls; `touch MARKER` in a shell if absent. */
  turn?: string;
  /** Puts the attack in place. */
  arm(lab: Lab): void;
}

export const MODES = ['headless', 'interactive'] as const;
export type Mode = (typeof MODES)[number];

const MCP_SERVER = join(import.meta.dirname, 'mcp-server.mjs');

export const marker = ({ world }: Lab): string => join(world.project, 'MARKER');
export const marked = (lab: Lab): boolean => existsSync(marker(lab));
export const mcpStarted = (lab: Lab): boolean => existsSync(`${marker(lab)}.started`);

/** argv of a server whose tool `mark` leaves the marker. */
export const mcpServer = (lab: Lab, ...claims: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [MCP_SERVER, marker(lab), ...claims],
});

export function repository({ world }: Lab): void {
  execFileSync('git', ['init', '-q'], { cwd: world.project });
}

export async function armed(agent: LabAgent, { turn = 'bash: touch MARKER', arm }: Attack): Promise<Lab> {
  const lab = await openLab(agent, `turns: [{${turn}}, {text: "I was told: {{result}}"}]`);
  arm(lab);
  return lab;
}

/** Runs it and tells what was asked about; nobody allows anything. */
export async function attacked(lab: Lab, mode: Mode, args: string[] = []): Promise<{ asked: number }> {
  if (mode === 'headless') {
    await runOnce(lab, args);
    return { asked: (await all(lab.world, 'inquiry.opened')).length };
  }
  const start = ['run', '-i', '-b', lab.agent, ...detachedMode('defer'), ...args, 'go'];
  const id = await detached(lab.world, start);
  // Not to be had of the model's words: whichever comes first, the question or the deed.
  const over = () => {
    const seen = entries(lab.world, id);
    if (marked(lab)) return true;
    return seen.some(({ type }) => type === 'inquiry.opened' || type === 'session.ended') || undefined;
  };
  await until('a question, or the deed', over, () => JSON.stringify(entries(lab.world, id).slice(-8), null, 1));
  return { asked: entries(lab.world, id).filter(({ type }) => type === 'inquiry.opened').length };
}

/** The attack reached the gate, and the gate held. */
export async function held(lab: Lab, mode: Mode, args: string[] = []): Promise<void> {
  const { asked } = await attacked(lab, mode, args);
  expect({ marked: marked(lab), asked }).toEqual({ marked: false, asked: 1 });
}

/** Everything below a folder, as it is: to see that nothing of the user's was changed. */
export function pictureOf(folder: string, names: readonly string[]): Record<string, string> {
  const picture: Record<string, string> = {};
  const look = (path: string) => {
    const about = lstatSync(path, { throwIfNoEntry: false });
    if (!about) picture[path] = 'absent';
    else if (about.isSymbolicLink()) picture[path] = `link to ${readlinkSync(path)}`;
    else if (about.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
    else picture[path] = createHash('sha256').update(readFileSync(path)).digest('hex');
  };
  for (const name of names) look(join(folder, name));
  return picture;
}
