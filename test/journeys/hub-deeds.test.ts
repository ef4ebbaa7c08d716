/** What a page can do by HTTP, against a real hub: every route about sessions and inquiries, and what survives the hub. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userConfigFile } from '../../src/config/index.js';
import type { RouteName } from '../../src/contract/page.js';
import { reins } from './support/cli.js';
import { loginShell, type TestDevice, TestHub } from './support/hub.js';
import { entries as journal, sessionDir } from './support/journal.js';
import { until } from './support/wait.js';
import { World } from './support/world.js';

const world = new World();
let hub: TestHub;
let owner: TestDevice;

beforeAll(async () => {
  world.write(
    userConfigFile(world.env),
    'tools: {defaults: {attached: ask, reachable: defer, detached: defer}}\nevent_loop: {share_folder: true}\n',
  );
  loginShell(world, { ONLY_LOGIN: 'said by the login shell' });
  hub = await TestHub.start(world);
  owner = await hub.device();
});

afterAll(async () => {
  const rows = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string }[];
  for (const { id } of rows) await reins(world, ['kill', id]);
  await hub.close();
  await world.close();
});

let keys = 0;
const key = (): string => {
  keys += 1;
  return `key-000${keys}`;
};

async function refusal(name: RouteName, ask: { id?: string; args?: object }, device = owner) {
  const response = await device.request(name, ask);
  const { error } = (await response.json()) as { error?: { code: string; message: string; hint: string } };
  return { status: response.status, code: error?.code, words: `${error?.message} ${error?.hint}` };
}

const state = (id: string, wanted: string) =>
  until(
    `${id} is ${wanted}`,
    async () => {
      const row = await owner.ask('session', { id });
      return row.state === wanted && row;
    },
    () => JSON.stringify(journal(world, id).slice(-8), null, 1),
  );

const prompts = (id: string) =>
  journal(world, id).flatMap((entry) => (entry.type === 'prompt.given' ? [entry.data.text] : []));

test('W42: what will run is what a dry run prints; what is missing says what to do; a look writes nothing down', async () => {
  const agents = await owner.ask('agents');
  expect(agents.find(({ id }) => id === 'practice')).toMatchObject({ found: true });
  expect(agents.find(({ id }) => id === 'codex')).toMatchObject({ found: false, install: expect.any(String) });

  const { project: cwd } = world;
  for (const [args, flags] of [
    [{ agent: 'practice', mode: 'autonomous', prompt: 'do it', max_iterations: 3 }, ['-a', '--max-iterations', '3']],
    [{ agent: 'practice', mode: 'interactive', prompt: 'do it', trust: 'full' }, ['-i', '--trust', 'full']],
  ] as const) {
    const { text, needs } = await owner.ask('plan', { args: { cwd, ...args } });
    const dry = await reins(world, ['run', '--dry-run', '-b', 'practice', ...flags, 'do it']);
    expect(dry.code).toBe(0);
    const sameIds = (words: string) =>
      words.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replaceAll(/(sessions\/|REINS_SESSION=)\w{8}/g, '$1ID');
    expect(sameIds(text)).toBe(sameIds(dry.stdout));
    expect(needs).toBeUndefined();
  }

  expect(await refusal('plan', { args: { cwd, agent: 'codex', prompt: 'x' } })).toMatchObject({
    code: 'AGENT_NOT_FOUND',
    words: expect.stringContaining('install'),
  });
  const missing = join(world.root, 'nowhere');
  expect(await refusal('start', { args: { cwd: missing, agent: 'practice', prompt: 'x', key: key() } })).toMatchObject({
    code: 'CWD_INACCESSIBLE',
    words: expect.stringContaining('does not exist'),
  });
  expect(await owner.ask('folders', { args: { path: missing } })).toMatchObject([
    { ok: false, why: expect.any(String) },
  ]);
  expect(await owner.ask('folders', { args: { path: cwd } })).toEqual([{ path: cwd, ok: true }]);
  expect(await refusal('plan', { args: { cwd: 'here', prompt: 'x' } })).toMatchObject({ code: 'CWD_INACCESSIBLE' });

  // A file that came with the folder: shown, not followed, and a look with a yes leaves no yes behind.
  const brought = world.folder('brought');
  const file = world.write(join(brought, 'reins.yml'), 'trust: full\ncli: {backend: practice}\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: brought, env: world.env });
  const task = { cwd: brought, agent: 'practice', mode: 'autonomous', prompt: '[[env]]', max_iterations: 1 } as const;
  const yes = { ...task, follow: true };
  // Nobody was shown what it permits: a yes to it is none.
  expect(await refusal('start', { args: { ...yes, key: key() } })).toMatchObject({ code: 'FOLDER_UNTRUSTED' });
  const plan = await owner.ask('plan', { args: task });
  expect(plan.needs?.join('\n')).toContain('trust: full');
  expect(plan.text).toContain('reins init --trust');
  expect((await owner.ask('plan', { args: yes })).text).toContain('trust full');
  expect((await owner.ask('plan', { args: task })).needs).toEqual(plan.needs);
  expect(await refusal('start', { args: { ...task, key: key() } })).toMatchObject({ code: 'FOLDER_UNTRUSTED' });
  // Changed between the look and the yes: not what was said yes to.
  writeFileSync(file, 'trust: full\nrules: {allow: [Bash]}\ncli: {backend: practice}\n');
  expect(await refusal('start', { args: { ...yes, key: key() } })).toMatchObject({ code: 'FOLDER_UNTRUSTED' });
  await owner.ask('plan', { args: task });
  const { id } = await owner.ask('start', { args: { ...yes, key: key() } });
  await state(id, 'ended');
  const said = JSON.stringify(journal(world, id));
  expect(said).toContain(brought);
  expect((await owner.ask('plan', { args: task })).needs).toBeUndefined();
});

test('W35 W38 W39: a session from the page: said, queued, interrupted, paused, stopped, gone on with under the same id', async () => {
  const { id } = await owner.ask('start', {
    args: { cwd: world.project, agent: 'practice', mode: 'interactive', name: 'talk', key: key() },
  });
  await state(id, 'idle');
  expect((await owner.ask('sessions')).map((row) => row.id)).toContain(id);
  expect(await owner.ask('folders')).toContainEqual({ path: world.project, ok: true, recent: true });

  // L6: at rest an interrupt changes nothing.
  expect(await owner.ask('interrupt', { id })).toEqual({ ok: true });
  expect(journal(world, id).some(({ type }) => type === 'input.sent')).toBe(false);

  const say = (text: string, one: string) => owner.ask('message', { id, args: { text, key: one } });
  const [slow, one, two, three] = [key(), key(), key(), key()];
  expect(await say('slow 600', slow)).toMatchObject({ verdict: 'submitted' });
  expect(await say('slow 600', slow)).toMatchObject({ verdict: 'submitted' });
  for (const [at, waiting] of [one, two, three].entries())
    expect(await say(`hello ${at}`, waiting)).toMatchObject({ verdict: 'queued' });
  const queue = (args: object) => owner.ask('queue', { id, args: args as never });
  await queue({ do: 'edit', key: two, text: 'hello, changed' });
  await queue({ do: 'cancel', key: three });
  expect((await queue({ do: 'move', key: two, before: one })).map(({ key, text }) => [key, text])).toEqual([
    [two, 'hello, changed'],
    [one, 'hello 0'],
  ]);
  expect(await refusal('queue', { id, args: { do: 'edit', key: slow, text: 'x' } })).toMatchObject({
    status: 409,
    code: 'MESSAGE_NOT_WAITING',
  });
  const { pids } = await owner.ask('pause', { id });
  expect(pids.length).toBeGreaterThan(0);
  expect((await owner.ask('session', { id })).state).toBe('paused');
  expect(await owner.ask('resume', { id })).toEqual({ pids });
  await owner.ask('interrupt', { id });
  await until('what waited was given', () => prompts(id).length >= 3);
  expect(prompts(id)).toEqual(['slow 600', 'hello, changed', 'hello 0']);
  await state(id, 'idle');
  const screen = await owner.ask('screen', { id, args: { scrollback: 50 } });
  expect(screen.lines.join('\n')).toContain('hello');
  expect(await owner.ask('keys', { id, args: { keys: 'h e y' } })).toMatchObject({ verdict: expect.any(String) });
  await until('keys are typed', async () => (await owner.ask('screen', { id })).lines.join('\n').includes('hey'));
  expect(await refusal('keys', { id, args: { keys: 'Nonsense-Key' } })).toMatchObject({ status: 400 });

  const all = await owner.ask('entries', { id, args: { limit: 1000 } });
  const some = await owner.ask('entries', { id, args: { before: all.entries.at(-1)!.seq, limit: 2 } });
  expect([some.entries.length, some.more]).toEqual([2, true]);
  expect(some.entries[1]!.seq).toBe(all.entries.at(-1)!.seq - 1);

  const stopped = await owner.ask('stop', { id });
  expect(stopped.processes.length).toBeGreaterThan(0);
  expect(stopped.left).toBe(0);
  const ended = await owner.ask('session', { id });
  expect((await owner.ask('sessions')).map((row) => row.id)).not.toContain(id);
  expect(ended).toMatchObject({ outcome: 'stopped', detail: expect.stringContaining('a test') });
  // Of one that ended: its file is read, and who speaks to it is told.
  expect((await owner.ask('entries', { id, args: { limit: 1 } })).entries[0]!.type).toBe('session.ended');
  for (const [name, args] of [
    ['message', { text: 'x', key: key() }],
    ['screen', {}],
    ['interrupt', {}],
  ] as const)
    expect(await refusal(name, { id, args })).toMatchObject({ status: 410, code: 'SESSION_ENDED' });

  const again = key();
  for (const _ of [1, 2])
    expect(await owner.ask('continue', { id, args: { key: again, prompt: 'hello once more' } })).toEqual({ id });
  expect(await refusal('continue', { id, args: { key: key() } })).toMatchObject({
    words: expect.stringContaining('still running'),
  });
  await until('it is in the same chat', () => prompts(id).length === 4);
  expect((await owner.ask('kill', { id })).left).toBe(0);
  await state(id, 'ended');
});

test('who answered is told of nothing that waits no longer: the next look is after the answer', async () => {
  const max_iterations = 6;
  const { id } = await owner.ask('start', {
    args: {
      cwd: world.project,
      agent: 'practice',
      mode: 'autonomous',
      prompt: '[[ask-permission]]',
      max_iterations,
      key: key(),
    },
  });
  const answered: string[] = [];
  while (answered.length < max_iterations) {
    const { inquiry, digest } = await until(`card ${answered.length + 1}`, async () =>
      (await owner.ask('inbox')).find((card) => card.inquiry.session === id),
    );
    expect(answered).not.toContain(inquiry.id);
    await owner.ask('answer', { id: inquiry.id, args: { digest, words: ['allow'] } });
    answered.push(inquiry.id);
  }
  await state(id, 'ended');
});

test('a loop: what it asks is answered by what was shown, once, and who did is said; guided while it runs and after', async () => {
  const { id } = await owner.ask('start', {
    args: {
      cwd: world.project,
      agent: 'practice',
      mode: 'autonomous',
      prompt: '[[ask-permission]]',
      max_iterations: 1,
      key: key(),
    },
  });
  const card = await until('a card', async () =>
    (await owner.ask('inbox')).find(({ inquiry }) => inquiry.session === id),
  );
  const inquiry = card.inquiry.id;
  expect(await owner.ask('card', { id: inquiry })).toEqual(card);
  // Not spoken with, and its agent is started anew each time: both say what to do instead.
  expect(await owner.ask('model', { id, args: { model: 'larger' } })).toMatchObject({
    verdict: 'refused',
    reason: expect.stringContaining('--model NAME'),
  });
  expect(await owner.ask('message', { id, args: { text: 'hello', key: key() } })).toMatchObject({
    verdict: 'refused',
    reason: expect.stringContaining('reins guide'),
  });
  const guide = key();
  const guided = await owner.ask('guide', { id, args: { text: 'mind the gap', key: guide } });
  expect(await owner.ask('guide', { id, args: { text: 'mind the gap', key: guide } })).toEqual(guided);
  // Also by a hub that knows nothing of it: one guidance.
  await hub.kill();
  await hub.again();
  expect(await owner.ask('guide', { id, args: { text: 'mind the gap', key: guide } })).toEqual(guided);
  const guidances = () =>
    journal(world, id).filter((one) => one.type === 'guidance.given' && one.data.delivered_in === undefined);
  expect(guidances()).toHaveLength(1);

  expect(await refusal('answer', { id: inquiry, args: { digest: 'another', words: ['allow'] } })).toMatchObject({
    status: 409,
    code: 'INQUIRY_CHANGED',
  });
  const viewer = await hub.device('view');
  expect(
    await refusal('answer', { id: inquiry, args: { digest: card.digest, words: ['allow'] } }, viewer),
  ).toMatchObject({
    status: 403,
  });
  await owner.ask('answer', { id: inquiry, args: { digest: card.digest, words: ['allow'] } });
  expect(await refusal('answer', { id: inquiry, args: { digest: card.digest, words: ['deny'] } })).toMatchObject({
    status: 409,
    code: 'ANSWERED_ALREADY',
    words: expect.stringContaining('a test'),
  });
  await state(id, 'ended');
  expect(existsSync(join(world.project, 'practice.txt'))).toBe(true);
  expect(await owner.ask('inbox')).toEqual([]);
  expect(await refusal('answer', { id: inquiry, args: { digest: card.digest, words: ['deny'] } })).toMatchObject({
    status: 409,
    words: expect.stringContaining('a test'),
  });
  expect(await refusal('card', { id: `${id}.99` })).toMatchObject({ status: 404 });
  const later = { id, args: { text: 'later', key: key() } };
  const kept = await owner.ask('guide', later);
  expect(kept).toMatchObject({ kept: true });
  expect(await owner.ask('guide', later)).toEqual(kept);
  expect(guidances()).toHaveLength(2);

  // Its host is killed while it asks: what waits is answered from the page all the same, and by whom is on record.
  const dying = await owner.ask('start', {
    args: { cwd: world.project, agent: 'practice', mode: 'autonomous', prompt: '[[ask-permission]]', key: key() },
  });
  const waits = (lost: boolean) =>
    until('what waits', async () =>
      (await owner.ask('inbox')).find(
        (one) => one.inquiry.session === dying.id && (one.inquiry.lost === true) === lost,
      ),
    );
  await waits(false);
  process.kill((await owner.ask('session', { id: dying.id })).pid!, 'SIGKILL');
  const left = await waits(true);
  expect((await owner.ask('stop', { id: dying.id })).left).toBe(0);
  // Nobody is there to run anything but what was asked: an edited yes is none.
  for (const more of [{ input: { command: 'echo edited > edited.txt' } }, { suggested: 'mark' }])
    expect(
      await refusal('answer', { id: left.inquiry.id, args: { digest: left.digest, words: ['allow'], ...more } }),
    ).toMatchObject({ status: 422, code: 'ANSWER_INVALID', words: expect.stringContaining('no host') });
  expect((await owner.ask('inbox')).map(({ inquiry }) => inquiry.id)).toContain(left.inquiry.id);
  expect(
    await owner.ask('answer', { id: left.inquiry.id, args: { digest: left.digest, words: ['deny'] } }),
  ).toMatchObject({ kept: true });
  expect(
    await refusal('answer', { id: left.inquiry.id, args: { digest: left.digest, words: ['deny'] } }),
  ).toMatchObject({
    status: 409,
    words: expect.stringContaining('answered by a test'),
  });

  // Ended ones, page by page.
  const ended = (await owner.ask('sessions', { args: { ended: true } })).filter((row) => row.state === 'ended');
  const at = (row: (typeof ended)[number]) => row.ended_at ?? row.started_at;
  ended.sort((a, b) => at(b).localeCompare(at(a)));
  expect(ended.length).toBeGreaterThanOrEqual(3);
  const older = await owner.ask('sessions', { args: { before: at(ended[0]!), limit: 1 } });
  expect(older.map((row) => row.id)).toEqual([ended[1]!.id]);
  expect((await owner.ask('sessions')).map((row) => row.id)).not.toContain(id);
});

test('W13 F1: what was started from the page outlives the hub and is not started twice; another version is said on its row', async () => {
  const [begun, other] = [key(), (await reins(world, ['exec', '-d', '--name', 'other', '--', 'cat'])).stdout.trim()];
  const args = { cwd: world.project, agent: 'practice', mode: 'interactive', name: 'stays', key: begun } as const;
  const { id } = await owner.ask('start', { args });
  await state(id, 'idle');
  const goesOn = { id, args: { key: key(), prompt: 'hello' } };
  await owner.ask('message', { id, args: { text: 'hi', key: key() } });
  await owner.ask('stop', { id });
  await owner.ask('continue', goesOn);
  await until('it was told', () => prompts(id).length === 2);
  const row = await state(id, 'idle');
  expect(JSON.stringify(readFileSync(`/proc/${row.pid}/environ`, 'utf8'))).toContain('ONLY_LOGIN=said');
  const work = (await reins(world, ['exec', '--namespace', 'work', '--', 'sh', '-c', ':'])).code;
  expect(work).toBe(0);

  const group = hub.running.pid;
  process.kill(-group, 'SIGKILL');
  await hub.running.done;
  const file = join(sessionDir(world, other), 'host.json');
  const host = JSON.parse(readFileSync(file, 'utf8')) as { protocol: number };
  writeFileSync(file, JSON.stringify({ ...host, protocol: 98, newest: 99 }));
  await hub.again();

  expect(await owner.ask('start', { args })).toEqual({ id });
  expect(await owner.ask('continue', goesOn)).toEqual({ id });
  expect(prompts(id)).toEqual(['hi', 'hello']);
  expect(await owner.ask('session', { id })).toMatchObject({ id, state: 'idle', pid: row.pid });
  expect((await owner.ask('sessions')).filter(({ name }) => name.startsWith('stays'))).toHaveLength(1);
  expect(await owner.ask('message', { id, args: { text: 'hello', key: key() } })).toMatchObject({
    verdict: 'submitted',
  });

  expect(await owner.ask('session', { id: other })).toMatchObject({
    state: 'working',
    detail: 'other version',
    other: expect.stringContaining('98 to 99'),
  });
  const { log } = JSON.parse(hub.running.stdout) as { log: string };
  const lines = readFileSync(log, 'utf8').split('\n');
  expect(lines.filter((line) => line.includes(other))).toEqual([expect.stringContaining('another version')]);
  writeFileSync(file, JSON.stringify(host));

  // A session of another namespace that has ended is none either.
  const foreign = (await owner.ask('sessions', { args: { ended: true } })).filter(
    ({ namespace }) => namespace === 'work',
  );
  expect(foreign).toHaveLength(1);
  const guest = await hub.device('admin', ['--namespace', 'default']);
  expect((await guest.ask('sessions', { args: { ended: true } })).map((one) => one.id)).not.toContain(foreign[0]!.id);
  expect(await refusal('session', { id: foreign[0]!.id }, guest)).toMatchObject({ status: 404 });
});
