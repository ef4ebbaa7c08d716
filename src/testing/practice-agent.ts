/**
 * How to start the practice agent. In the package it is plain JavaScript beside this file; from the sources the built
 * one is taken when it is as new as they are, else they are run through tsx, so that a test never drives a stale agent.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PracticeDoor } from './practice/face.js';
import type { PracticeStep } from './practice/script.js';

export interface PracticeWish {
  /** Absent: tui on a terminal, else stream. */
  door?: PracticeDoor;
  /** `NAME`, `NAME ARG` or a file ending in .json; absent: the prompt's words decide. */
  scenario?: string;
  /** Multiplies every delay. 0 by default here: tests wait for facts, not for time. */
  speed?: number;
  skipPermissions?: boolean;
  sessionId?: string;
  resume?: string;
  /** A settings file with hooks, as claude's `--settings`. */
  settings?: string;
  /** Where it keeps its status file and transcripts. */
  home?: string;
  prompt?: string;
}

export interface PracticeCommand {
  command: string;
  args: string[];
  /** To be added to the child's environment. */
  env: Record<string, string>;
}

export function practiceAgent(wish: PracticeWish = {}): PracticeCommand {
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return {
    command: process.execPath,
    args: [
      ...program(),
      ...flag('--door', wish.door),
      ...flag('--scenario', wish.scenario),
      ...(wish.skipPermissions ? ['--skip-permissions'] : []),
      ...flag('--session-id', wish.sessionId),
      ...flag('--resume', wish.resume),
      ...flag('--settings', wish.settings),
      ...flag('--', wish.prompt),
    ],
    env: { PRACTICE_SPEED: String(wish.speed ?? 0), ...(wish.home === undefined ? {} : { PRACTICE_HOME: wish.home }) },
  };
}

/** A practice agent that answers every prompt with these steps. */
export function scriptedAgent(steps: PracticeStep[], wish: Omit<PracticeWish, 'scenario'> = {}): PracticeCommand {
  return practiceAgent({ ...wish, scenario: JSON.stringify(steps) });
}

function program(): string[] {
  const here = fileURLToPath(import.meta.url);
  const sources = join(dirname(here), 'practice');
  if (here.endsWith('.js')) return [join(sources, 'main.js')];
  const built = join(dirname(here), '..', '..', 'dist', 'testing', 'practice');
  return isCurrent(sources, built)
    ? [join(built, 'main.js')]
    : ['--import', import.meta.resolve('tsx'), join(sources, 'main.ts')];
}

/** Its modules are put together when they are built: the program is as old as they are. */
function isCurrent(sources: string, built: string): boolean {
  const program = join(built, 'main.js');
  if (!existsSync(program)) return false;
  const { mtimeMs } = statSync(program);
  return readdirSync(sources)
    .filter((name) => name.endsWith('.ts') && !/\.(test|cases)\.ts$/.test(name))
    .every((name) => statSync(join(sources, name)).mtimeMs <= mtimeMs);
}
