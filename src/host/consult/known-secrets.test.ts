import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knownSecrets } from './known-secrets.js';

test('C24: an agent that puts a pipe in the place of .env at the right moment keeps nobody waiting', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'secrets-'));
  const turns = 'echo on; while :; do mkfifo p; mv p .env; echo A_KEY=abcdefghijkl > f; mv f .env; done';
  const agent = spawn('sh', ['-c', turns], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    if (agent.exitCode === null && agent.signalCode === null) await once(agent, 'exit');
    rmSync(cwd, { recursive: true, force: true });
  });
  await once(agent.stdout, 'data');
  const found = new Set<string>();
  for (let look = 0; look < 6_000; look += 1) for (const one of knownSecrets({ env: {}, cwd })) found.add(one);
  expect([...found].filter((one) => !'abcdefghijkl'.startsWith(one))).toEqual([]);
});
