/** Whoever reads the output of `exec` late or slowly gets all of it: the command is held back, nothing is dropped. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { CLI } from './support/cli.js';
import { entry } from './support/journal.js';
import { newWorld } from './support/world.js';

const SIZE = 30_000_000;

test.each([
  ['a pty', [] as string[]],
  ['pipes', ['--no-pty']],
])('a late reader behind %s misses nothing', async (_name, flags) => {
  const world = newWorld();
  const script = `head -c ${SIZE} /dev/zero | tr '\\0' x`;
  const child = spawn(process.execPath, [CLI, 'exec', ...flags, '--', 'sh', '-c', script], {
    cwd: world.project,
    env: { ...world.env, PATH: process.env.PATH ?? '' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await entry(world, 'agent.started');
  let bytes = 0;
  for await (const chunk of child.stdout) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(SIZE);
});
