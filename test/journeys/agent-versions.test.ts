/**
 * Versions of agents, as someone who installed a newer one meets them: it works, it is said once at the start, `ls` and
 * `doctor` say it too, and a probe that finds nothing wrong ends it. A probe that is ended leaves nothing behind.
 */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { expectNoProcesses } from '../../src/testing/index.js';
import { calls, fakeAgent } from './support/agents.js';
import { reins, startReins } from './support/cli.js';
import { detached, json } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const run = (world: World, ...args: string[]) =>
  reins(world, ['run', '-b', 'claude', '--trust', 'full', '--once', ...args, 'go']);

/** As `reins doctor --probe` would have left it, for the program as it lies there now. */
function probed(world: World, program: string, broken: string[]): void {
  const { size, mtimeMs } = statSync(program);
  const fact = { agent: 'claude', program, size, mtime: Math.floor(mtimeMs), reins: '0.1.0', broken };
  world.write(
    join(world.env.HOME!, '.cache/reins/probes.json'),
    JSON.stringify([{ ...fact, at: '2026-11-15T12:00:00.000Z' }]),
  );
}

describe('a version nobody tried', () => {
  it('works, and the first line says what is not known and how to find out', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { version: '2.1.999 (Claude Code)' });
    const ended = await run(world);
    expect(ended).toMatchObject({ code: 0, stdout: 'done by claude\n' });
    expect(ended.stderr.split('\n')[0]).toMatch(
      /^! Claude Code 2\.1\.999 was not tried: .*newer.*2\.1\.325.*doctor --probe/,
    );
  });

  it('is marked in `ls`, and told in `ls --json` and `doctor`', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { version: '2.1.999 (Claude Code)', body: 'forever();' });
    const id = await detached(world, ['run', '-b', 'claude', '--trust', 'full', 'go']);
    const rows = await json<SessionRow[]>(world, ['ls']);
    expect(rows.find((row) => row.id === id)).toMatchObject({
      agent: 'claude',
      agent_version: '2.1.999 (Claude Code)',
      agent_note: expect.stringContaining('was not tried'),
    });
    const shown = await reins(world, ['ls']);
    expect(shown.stdout).toMatch(/ claude\* /);
    expect(shown.stderr).toContain('* Claude Code 2.1.999 was not tried');
    const report = await json<{ agents: { id: string; note?: string }[] }>(world, ['doctor']);
    expect(report.agents.find((one) => one.id === 'claude')?.note).toContain('was not tried');
    expect((await reins(world, ['doctor'])).stdout).toContain('Claude Code 2.1.999 was not tried');
  });

  it('is no longer worth a word once a probe of this very program found nothing wrong', async () => {
    const world = newWorld();
    const program = fakeAgent(world, 'claude', { version: '2.1.999' });
    probed(world, program, []);
    expect((await run(world)).stderr).not.toContain('was not tried');
    // Another program in its place, of another size: what was found is not about it.
    fakeAgent(world, 'claude', { version: '2.1.999', body: `say('I am another one'); done();` });
    expect((await run(world)).stderr).toContain('was not tried');
  });

  it('is called by what a probe found, if that was not good', async () => {
    const world = newWorld();
    probed(world, fakeAgent(world, 'claude', { version: '2.1.325' }), ['ready', 'submit']);
    expect((await run(world)).stderr).toMatch(/^! Claude Code 2\.1\.325: a probe on 2026-11-15 .*: ready, submit$/m);
  });

  it('a broken note about probes changes nothing', async () => {
    const world = newWorld();
    fakeAgent(world, 'claude', { version: '2.1.325' });
    for (const text of ['{', '[null, 3, {"agent": "claude"}]', '{"agent": 1}']) {
      world.write(join(world.env.HOME!, '.cache/reins/probes.json'), text);
      expect(await run(world)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('!') });
    }
  });
});

it('a version that was tried needs no word; one that is known to lack something says what', async () => {
  const world = newWorld();
  fakeAgent(world, 'claude', { version: '2.1.197 (Claude Code)' });
  expect((await run(world)).stderr).not.toContain('!');
  fakeAgent(world, 'gemini', { version: '0.30.0' });
  const ended = await reins(world, ['run', '-b', 'gemini', '--trust', 'full', '--once', 'go']);
  expect(ended.stderr).toMatch(/^! Gemini CLI 0\.30\.0 works with less: /m);
});

it('D6: gemini 0.30 is not given --session-id, which it does not know; 0.61 is', async () => {
  for (const [version, named] of [
    ['0.30.0', false],
    ['0.61.0', true],
  ] as const) {
    const world = newWorld();
    fakeAgent(world, 'gemini', { version, body: 'forever();' });
    await detached(world, ['run', '-i', '-b', 'gemini', '--trust', 'full', 'go']);
    const argv = await until('gemini to start', () => calls(world, 'gemini')[0]?.argv);
    expect([version, argv.includes('--session-id')]).toEqual([version, named]);
  }
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'G: `doctor --probe` ended by %s leaves neither its host nor its agent nor its folder',
  async (signal) => {
    const world = newWorld();
    const temporary = join(world.root, 'tmp');
    mkdirSync(temporary);
    fakeAgent(world, 'claude', { version: '2.1.325', body: 'forever();' });
    const probing = startReins(world, ['doctor', '--probe'], { env: { TMPDIR: temporary } });
    await until('the probed agent to run', () => calls(world, 'claude').length > 0);
    const [stage] = readdirSync(temporary).filter((name) => name.startsWith('reins-probe-'));
    const dir = join(temporary, stage!);
    probing.signal(signal);
    expect((await probing.done).code).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    await expectNoProcesses(`PROBE_STAGE=${dir}`);
    expect(existsSync(dir)).toBe(false);
  },
);
