/** Two loops in one folder: the second is told so, asked where somebody is there, refused where nobody is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/contract/index.js';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { worker } from './support/loop.js';
import { json } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

/** Works until its session is ended. */
const HELD = `say('at work'); setInterval(() => undefined, 1000);`;
const held = (world: World) => [...worker(world, HELD), '-d', '-p', 'go'];
const rows = (world: World): Promise<SessionRow[]> => json(world, ['ls']);
const end = async (world: World) => {
  for (const { id } of await rows(world)) await reins(world, ['kill', id]);
};

describe('two loops in one folder', () => {
  test('started in the same instant, detached: one runs, the others are told which and what to do', async () => {
    const world = newWorld();
    const run = held(world);
    const all = await Promise.all(Array.from({ length: 3 }, () => reins(world, run)));
    expect(all.map(({ code }) => code).sort()).toEqual([0, 2, 2]);
    const id = all.find(({ code }) => code === 0)!.stdout.trim();
    for (const { stderr } of all.filter(({ code }) => code === 2)) {
      expect(stderr).toMatch(new RegExp(`a loop works in this folder already: ${id} \\(project, custom\\) since 2`));
      expect(stderr).toContain('--share-folder');
    }
    expect((await rows(world)).map((row) => row.id)).toEqual([id]);
    // The flag says yes, and so does the setting, as a CI job would give it.
    expect(await reins(world, [...run, '--share-folder'])).toMatchObject({ code: 0 });
    const env = { REINS_CFG__event_loop__share_folder: 'true' };
    expect(await reins(world, run, { env })).toMatchObject({ code: 0 });
    expect(await rows(world)).toHaveLength(3);
    await end(world);
  });

  test('the same repository is the same folder; a command beside it is nobody’s business; a dead host holds nothing', async () => {
    const world = newWorld();
    mkdirSync(join(world.project, 'a/b'), { recursive: true });
    await reins(world, ['exec', '--', 'git', 'init', '-q']);
    const run = held(world);
    expect(await reins(world, run, { cwd: join(world.project, 'a/b') })).toMatchObject({ code: 0 });
    expect(await reins(world, run)).toMatchObject({ code: 2 });
    expect(await reins(world, ['exec', '--', 'git', '--version'])).toMatchObject({ code: 0, stderr: '' });
    const mcp = `import { startSession } from '${join(import.meta.dirname, '../../dist/index.js')}';
await startSession({ agent: 'practice', mode: 'autonomous', prompt: 'x', trust: 'full', detach: true })
  .catch((error) => console.log(error.code));`;
    const cli = world.write(`${world.root}/program.mjs`, mcp);
    expect(await reins(world, [], { cli })).toMatchObject({ stdout: 'FOLDER_BUSY\n' });
    const [{ id, pid }] = (await rows(world)) as [SessionRow];
    process.kill(pid!, 'SIGKILL');
    const next = await reins(world, run);
    expect(next).toMatchObject({ code: 0 });
    // The dead one goes on only where nobody took its place.
    const again = await reins(world, ['run', '--continue', id, '-d']);
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toContain(next.stdout.trim());
    await end(world);
  });

  test('a person is asked, and no is the answer of whoever just presses Enter', async () => {
    const world = newWorld();
    const run = held(world);
    const first = (await reins(world, run)).stdout.trim();
    await entry(world, 'agent.text', { session: first });
    const no = reinsInTerminal(world, ['run', '-b', 'practice', '--trust', 'full', '-p', '[[loop 1]]']);
    await no.waitFor(/Start this one beside it\? \[y\/N\]/);
    expect(no.screen()).toContain(`${first} (project, custom) since`);
    no.type('\r');
    expect(await no.exit()).toBe(2);
    const yes = reinsInTerminal(world, ['run', '-b', 'practice', '--trust', 'full', '-p', '[[loop 1]]']);
    await yes.waitFor(/Start this one beside it\? \[y\/N\]/);
    yes.type('y');
    expect(await yes.exit()).toBe(0);
    // An agent with a person beside a loop is no second loop: a line.
    const beside = await reins(world, ['run', '-i', '-d', '-b', 'practice', '--trust', 'full']);
    expect(beside).toMatchObject({ code: 0 });
    expect(beside.stderr).toContain(`a loop works in this folder too: ${first}`);
    await end(world);
  });
});
