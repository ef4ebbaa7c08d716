/** An adapter in a module of the user's own: who may name one, and that rules, gate and tripwire hold for it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entries, sessions } from './support/journal.js';
import { newWorld, type World } from './support/world.js';

const RUN = ['run', '-b', 'mine', '--once', '-p', 'do it'];

/** Outside the project; imports leave a mark. The agent prints claude's records and reads what it is answered. */
function ownAdapter(
  world: World,
  { protocol = true, door = 'control', at = 'own' } = {},
): { file: string; mark: string } {
  const mark = join(world.root, 'imported');
  const agent = world.write(
    join(world.root, 'agent.mjs'),
    `const say = (record) => console.log(JSON.stringify(record));
say({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] });
say({ type: 'assistant', message: { id: 'm1', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'touch made' } }] } });
say({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] } });
say({ type: 'result', subtype: 'success', is_error: false, result: 'ok' });
process.stdin.resume();
`,
  );
  const reinsIndex = join(import.meta.dirname, '..', '..', 'dist', 'index.js');
  const file = world.write(
    join(world.root, at, 'mine.mjs'),
    `import { appendFileSync } from 'node:fs';
import { decoders, protocols } from ${JSON.stringify(reinsIndex)};
appendFileSync(${JSON.stringify(mark)}, 'x');
export default {
  id: 'mine', label: 'Mine', command: process.execPath, install: 'it is here',
  door: () => '${door}',
  plan: () => ({
    command: process.execPath, args: [${JSON.stringify(agent)}], env: {}, io: 'pipe', stdin: 'open', files: [], notes: [],
    ${protocol ? 'protocol: protocols.claudeControl()' : 'decoder: decoders.claudeStream()'},
  }),
};
`,
  );
  return { file, mark };
}

const naming = (file: string) => `adapters: {mine: {module: ${JSON.stringify(file)}}}\n`;

test('a committed file that names a module: nothing imports it, neither to run it nor to look at it', async () => {
  const world = newWorld();
  const { file, mark } = ownAdapter(world);
  world.write('reins.yml', `${naming(file)}cli: {backend: mine}\n`);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: world.project,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'theirs');
  const refused = await reins(world, RUN);
  expect(refused).toMatchObject({ code: 10, stdout: '' });
  expect(refused.stderr).toContain(`adapters.mine.module: ${file}`);
  for (const look of [[...RUN, '--dry-run'], ['config', 'check'], ['doctor'], ['policy', 'explain', 'Bash', 'ls']])
    await reins(world, look);
  expect(existsSync(mark)).toBe(false);
  expect(sessions(world)).toEqual([]);
});

test('named in the user’s own config it runs; a call it does not ask about ends the session', async () => {
  const world = newWorld();
  const { file, mark } = ownAdapter(world);
  world.write(join(world.root, 'config', 'reins', 'config.yml'), naming(file));
  const ended = await reins(world, RUN);
  expect(existsSync(mark)).toBe(true);
  expect(ended.code, ended.stderr).toBe(6);
  const [session] = sessions(world);
  expect(entries(world, session!).find(({ type }) => type === 'ungated')?.data).toMatchObject({
    tool: 'Bash',
    input: { command: 'touch made' },
    why: 'unasked',
  });
  // Trusted fully, it may.
  expect(await reins(world, [...RUN, '--trust', 'full'])).toMatchObject({ code: 0 });
});

test('refused under guarded: without a gate, or where its agent could rewrite it', async () => {
  const world = newWorld();
  const open = ownAdapter(world, { protocol: false, door: 'stream' });
  const set = (file: string) => ['--set', `adapters.mine.module=${file}`];
  const ungated = await reins(world, [...RUN, ...set(open.file)]);
  expect(ungated.code).toBe(20);
  expect(ungated.stderr).toContain('it brings no gate for its stream door');
  expect(sessions(world)).toEqual([]);
  const near = ownAdapter(world, { at: 'project/tools' });
  const own = await reins(world, [...RUN, ...set(near.file)]);
  expect(own.code).toBe(20);
  expect(own.stderr).toContain('could rewrite it');
  const replaced = await reins(world, [
    'run',
    '-b',
    'claude',
    '-p',
    'x',
    '--set',
    `adapters.claude.module=${near.file}`,
  ]);
  expect(replaced.code).toBe(10);
  expect(replaced.stderr).toContain('cannot be replaced');
});
