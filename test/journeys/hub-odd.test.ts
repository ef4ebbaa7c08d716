/** A hub among sessions that are in the way: hosts that are stopped, things in their folder that are none, loops of others in a folder. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reins } from './support/cli.js';
import { loginShell, type TestDevice, TestHub } from './support/hub.js';
import { sessionDir } from './support/journal.js';
import { until } from './support/wait.js';
import { World } from './support/world.js';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const world = new World();
let hub: TestHub;
let owner: TestDevice;

beforeAll(async () => {
  loginShell(world);
  hub = await TestHub.start(world);
  owner = await hub.device();
});
afterAll(async () => {
  const rows = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string }[];
  for (const { id } of rows) await reins(world, ['kill', id]);
  await hub.close();
  await world.close();
});

async function started(name: string): Promise<string> {
  const { code, stdout, stderr } = await reins(world, ['exec', '-d', '--name', name, '--', 'sleep', '600']);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

const hostOf = (id: string): number =>
  (JSON.parse(readFileSync(join(sessionDir(world, id), 'host.json'), 'utf8')) as { pid: number }).pid;

it('hosts that are stopped are on the list of a hub that starts, and keep no page from the others', async () => {
  const stopped = await Promise.all(['one', 'two', 'three', 'four', 'five'].map(started));
  const living = await started('living');
  for (const id of stopped) process.kill(hostOf(id), 'SIGSTOP');
  try {
    await hub.kill();
    await hub.again();
    const rows = await owner.ask('sessions');
    expect(rows.map(({ id }) => id).sort()).toEqual([...stopped, living].sort());
    expect(
      rows
        .filter(({ detail }) => detail === 'its host does not answer')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...stopped].sort());
    const page = await owner.page();
    for (const id of stopped) await page.next('silent', ({ session, silent }) => session === id && silent);
    stopped.forEach((session, ch) => void page.say({ t: 'open', ch, session }));
    page.say({ t: 'open', ch: 9, session: living });
    await page.next('live', ({ ch }) => ch === 9);
    for (const id of stopped) process.kill(hostOf(id), 'SIGCONT');
    for (const ch of stopped.keys()) await page.next('live', (one) => one.ch === ch);
    for (const id of stopped) await page.next('row', ({ row }) => row.id === id && row.detail === undefined);
    page.close();
  } finally {
    for (const id of stopped) process.kill(hostOf(id), 'SIGCONT');
  }
});

it('what lies among the sessions and is none hides nobody, and is no session to who asks for it', async () => {
  const id = await started('sound');
  const dir = join(sessionDir(world, id), '..');
  const put = (name: string) => join(dir, name);
  symlinkSync('circle', put('circle'));
  symlinkSync('/', put('elsewhere'));
  mkdirSync(put('empty'));
  mkdirSync(put('torn'));
  writeFileSync(join(put('torn'), 'session.json'), '{"v":1');
  writeFileSync(put('file'), '');
  try {
    await hub.kill();
    await hub.again();
    const seen = await until('it is seen', async () => (await owner.ask('sessions')).find((row) => row.id === id));
    expect(seen.name).toBe('sound');
    const { code, stdout } = await reins(world, ['ls', '-q']);
    expect([code, stdout.split('\n').includes(id)]).toEqual([0, true]);
    const asked = ['circle', 'elsewhere', 'empty', 'torn', 'file', 'x'.repeat(5000)];
    const replies = await Promise.all(asked.map((name) => owner.request('session', { id: name })));
    expect(replies.map(({ status }) => status)).toEqual(asked.map(() => 404));
  } finally {
    for (const name of ['circle', 'elsewhere', 'empty', 'torn', 'file']) rmSync(put(name), { recursive: true });
  }
});

it('F1: a loop where one of another namespace works is refused without a word of which', async () => {
  const [ours, theirs] = await Promise.all(['ours', 'theirs'].map((one) => hub.device('admin', ['--namespace', one])));
  const task = { cwd: world.project, agent: 'practice', mode: 'autonomous' as const, key: 'key-beside' };
  const { id } = await theirs!.ask('start', { args: { ...task, name: 'hidden-name', prompt: 'slow 600' } });
  const refused = async (device: TestDevice) => {
    const reply = await device.request('start', { args: { ...task, prompt: 'hello' } });
    return { status: reply.status, said: await reply.text() };
  };
  const { status, said } = await refused(ours!);
  expect([status, (JSON.parse(said) as { error: { code: string } }).error.code]).toEqual([409, 'FOLDER_BUSY']);
  for (const fact of [id, 'hidden-name', 'theirs', 'practice']) expect(said).not.toContain(fact);
  // Who sees it is told which.
  expect((await refused(owner)).said).toContain(`${id} (hidden-name, practice)`);
  await reins(world, ['kill', id]);
});
