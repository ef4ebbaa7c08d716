/** Conversations as a library or a hub starts them: through the room of sessions, as it was built. */
import { expect, onTestFinished } from 'vitest';
import type { AgentTask, startSession as start } from '../../../src/sessions/run.js';
import type { UNSEEN as unseen } from '../../../src/sessions/start.js';
import { reins } from './cli.js';
import type { World } from './world.js';

const built = <T>(file: string): Promise<T> => import(new URL(`../../../dist/sessions/${file}`, import.meta.url).href);

const where = (world: World) => ({ env: world.env, cwd: world.project, version: 'test' });

export async function converse(world: World, task: Partial<AgentTask> & { backend: string }): Promise<string> {
  const { startSession } = await built<{ startSession: typeof start }>('run.js');
  const { UNSEEN } = await built<{ UNSEEN: typeof unseen }>('start.js');
  const { place, spec } = await startSession(where(world), { ...task, mode: 'conversation' }, UNSEEN);
  onTestFinished(async () => {
    await reins(world, ['kill', place.id]);
  });
  expect(spec.mode).toBe('conversation');
  return place.id;
}
