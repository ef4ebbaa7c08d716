/**
 * Loops from the outside: a worker whose every iteration is a few lines of JavaScript, a config the folder trusts, and
 * what a finished loop looks like without its times and numbers that may differ between two runs of the same story.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry, EntryType } from '../../../src/contract/index.js';
import { fakeAgent } from './agents.js';
import { type Ended, reins } from './cli.js';
import { entries, onlySession, sessionDir } from './journal.js';
import { until } from './wait.js';
import type { World } from './world.js';

/**
 * A plain agent of the world: in `body`, `n` is the iteration its prompt names and `prompt` all of it. Returns the
 * arguments that run the loop on it.
 */
export function worker(world: World, body: string): string[] {
  const path = fakeAgent(world, 'worker', {
    body: `const prompt = process.argv.at(-1); const n = Number(/^Iteration (\\d+)/m.exec(prompt)?.[1] ?? 0);\n${body}`,
  });
  return ['run', '-b', 'custom', '--trust', 'full', '--set', `cli.command=${path}`];
}

/** A reins.yml that the user has read and trusted. */
export async function trusted(world: World, yaml: string): Promise<void> {
  world.write('reins.yml', yaml);
  const { code, stderr } = await reins(world, ['init', '--trust']);
  if (code !== 0) throw new Error(`the config is not accepted: ${stderr}`);
}

export const THREE_HATS = `
hats:
  planner: {triggers: [task.start], publishes: [plan.ready], description: plans}
  builder: {triggers: [plan.*], publishes: [build.done], description: builds it}
  reviewer: {triggers: [build.done, review.approved], publishes: [review.approved], description: reviews it}
`;

export function prompts(world: World, id: string): Record<string, string> {
  const dir = join(sessionDir(world, id), 'prompts');
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}

export interface AgentLine {
  session: string;
  type: 'event' | 'output';
  iteration: number;
  topic?: string;
  payload?: string;
  text?: string;
  outcome?: string;
  part?: number;
}

/** The lines of `.agent/events.jsonl`. */
export function agentLines(world: World, name = 'events.jsonl'): AgentLine[] {
  const text = readFileSync(join(world.project, '.agent', name), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentLine);
}

export function ofType<T extends EntryType>(all: Entry[], type: T): Extract<Entry, { type: T }>[] {
  return all.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
}

/** What a loop came to: the same for every way of getting there. */
export function story(world: World, id: string) {
  const all = entries(world, id);
  const ended = new Map(ofType(all, 'iteration.ended').map(({ data }) => [data.iteration, data]));
  const hats = new Map(ofType(all, 'iteration.started').map(({ data }) => [data.iteration, data.hat]));
  const last = all.at(-1);
  return {
    iterations: [...ended.values()].map(({ iteration, outcome, completion }) => ({
      iteration,
      hat: hats.get(iteration),
      outcome,
      completion,
    })),
    events: ofType(all, 'event.published')
      .filter(({ data }) => data.accepted)
      .map(({ data }) => `${data.iteration} ${data.by} ${data.topic} ${data.payload}`),
    end: last?.type === 'session.ended' ? [last.data.outcome, last.data.exit_code, last.data.reason] : last?.type,
  };
}

/** Kills the session's host as soon as its journal has this many entries; false if it ended before. */
export async function killHostAt(world: World, count: number, over: () => boolean): Promise<boolean> {
  const id = await onlySession(world);
  const seen = await until('an entry to kill at', () => {
    const all = entries(world, id);
    return (all.length >= count || over()) && { all };
  });
  const host = ofType(seen.all, 'session.started').at(-1)?.data.host_pid;
  // A host that has written its end has nothing left to lose.
  if (over() || host === undefined || seen.all.at(-1)?.type === 'session.ended') return false;
  try {
    process.kill(host, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended between the look and the kill
  }
}

/** Continues a session until it is over, whatever happens to it. */
export function goOn(world: World, id: string, flags: string[] = []): Promise<Ended> {
  return reins(world, ['run', '--continue', id, ...flags]);
}
