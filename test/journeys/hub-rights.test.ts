/** W2, W17, W23, W49, W55 on a real hub: what each right may say on a socket, rules that outlast a grant, and whom a push tells what. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { userConfigFile } from '../../src/config/index.js';
import { allows, PAGE_RIGHTS, type PageUp, RIGHTS, type Right } from '../../src/contract/page.js';
import { FakePushService } from '../../src/hub/push/push-service.cases.js';
import { processesWith } from '../../src/testing/index.js';
import { CLI, reins } from './support/cli.js';
import { loginShell, type TestDevice, TestHub } from './support/hub.js';
import { rawGet } from './support/hub-client.js';
import { entries } from './support/journal.js';
import { until } from './support/wait.js';
import { World } from './support/world.js';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const world = new World();
const service = new FakePushService();
let hub: TestHub;
let owner: TestDevice;

beforeAll(async () => {
  await service.listen();
  world.env.NODE_EXTRA_CA_CERTS = world.write(join(world.root, 'push-cert.pem'), service.cert);
  world.write(
    userConfigFile(world.env),
    [
      `hub: {push_hosts: ['inside:127.0.0.1:${service.port}']}`,
      'tools: {defaults: {attached: ask, reachable: defer, detached: defer}}',
      'event_loop: {share_folder: true}',
      'rules: {deny: ["Bash(git add evil)"]}',
    ].join('\n'),
  );
  loginShell(world);
  hub = await TestHub.start(world);
  owner = await hub.device();
});
afterAll(async () => {
  const rows = JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string }[];
  for (const { id } of rows) await reins(world, ['kill', id]);
  await hub.close();
  await service.close();
  await world.close();
});

async function started(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await reins(world, args);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Run the command' } });
const plays = (what: object[], ...flags: string[]) =>
  started('run', '-d', '-b', 'practice', '--once', ...flags, '-p', 'x', '--', '--scenario', JSON.stringify(what));
const cardOf = (session: string, text = '') =>
  until(`a card of ${session}`, async () =>
    (await owner.ask('inbox')).find(
      ({ inquiry }) => inquiry.session === session && JSON.stringify(inquiry).includes(text),
    ),
  );
const answers = (session: string) =>
  entries(world, session).flatMap((one) => (one.type === 'inquiry.answered' ? [one.data.answer] : []));

/** Written down once more, so that a message that becomes weaker is noticed. */
const TYPE = ['fit', 'keys', 'take'];
/** Every message there is, as one page says it of a session it follows. */
const SAID: Record<Exclude<keyof typeof PAGE_RIGHTS, 'keys'>, PageUp> = {
  hello: { t: 'hello', visible: true },
  here: { t: 'here', visible: true, touched: true },
  open: { t: 'open', ch: 2, session: '' },
  close: { t: 'close', ch: 2 },
  terminal: { t: 'terminal', ch: 1, shown: true },
  drawn: { t: 'drawn', ch: 1, bytes: 1 },
  pong: { t: 'pong' },
  take: { t: 'take', ch: 1 },
  fit: { t: 'fit', ch: 1, size: { cols: 33, rows: 11 } },
};

it.each(RIGHTS)(
  'W2: on its socket a device that may %s says what the table gives it, and the rest changes nothing',
  async (right: Right) => {
    const id = await started(
      'exec',
      '-d',
      '--',
      'sh',
      '-c',
      'stty -echo; while read -r line; do echo "got $line"; done',
    );
    const watcher = await owner.page();
    watcher.say({ t: 'open', ch: 1, session: id });
    await watcher.next('live');
    watcher.say({ t: 'terminal', ch: 1, shown: true });
    const page = await (await hub.device(right)).page();
    page.say({ t: 'open', ch: 1, session: id });
    const { size } = await page.next('opened');
    await page.next('live');
    const refused: string[] = [];
    for (const message of Object.keys(PAGE_RIGHTS) as (keyof typeof PAGE_RIGHTS)[]) {
      const before = page.heard.length;
      if (message === 'keys') page.keys(1, 'typed-by-it\r');
      else page.say(message === 'open' ? { t: 'open', ch: 2, session: id } : SAID[message]);
      // What comes back for a channel that is not there comes after whatever was said about this one.
      page.say({ t: 'open', ch: 9, session: 'zzzzzzzz' });
      await until('its end', () => page.heard.slice(before).some((one) => one.t === 'closed' && one.ch === 9));
      const wrongs = page.heard.slice(before).flatMap((one) => (one.t === 'wrong' ? [one.wrong.code] : []));
      if (wrongs.includes('RIGHT_MISSING')) refused.push(message);
      expect(page.closed, message).toBeUndefined();
    }
    const may = Object.entries(PAGE_RIGHTS).filter(([, need]) => !allows(right, need));
    expect(refused.sort()).toEqual(may.map(([message]) => message).sort());
    expect(refused).toEqual(allows(right, 'type') ? [] : TYPE);
    if (!allows(right, 'type')) {
      expect(page.all('driver').filter(({ driver }) => driver !== null)).toEqual([]);
      expect(watcher.all('size')).toEqual([]);
      watcher.say({ t: 'take', ch: 1 });
      await watcher.next('driver', ({ driver }) => driver !== null);
      watcher.keys(1, 'the owner\r');
      await until('it is shown', () => watcher.shown(1).includes('got the owner'));
      expect(watcher.shown(1)).not.toContain('typed-by-it');
    } else await watcher.next('driver', ({ driver }) => driver !== null);
    expect(size).not.toBeNull();
    page.close();
    watcher.close();
  },
);

it('W17: what was allowed for the session is not what the config denies', async () => {
  const id = await plays([bash('git add one'), bash('git add two'), bash('git add evil'), { say: 'all done' }]);
  const { inquiry, digest, offer } = await cardOf(id, 'git add one');
  expect(offer).toEqual(['Bash(git add:*)']);
  await owner.ask('answer', { id: inquiry.id, args: { digest, words: ['allow'], scope: 'session' } });
  await until('its end', () => entries(world, id).some(({ type }) => type === 'session.ended'));
  expect(answers(id).map(({ by, verdict }) => [by.kind, verdict.kind])).toEqual([
    ['viewer', 'allow'],
    ['grant', 'allow'],
    ['rule', 'deny'],
  ]);
});

it('W23 N3: answered in the agent’s own terminal, or interrupted, the card is off; a late answer is told so', async () => {
  const page = await owner.page();
  const id = await started('run', '-d', '-i', '-b', 'practice', '-p', '[[ask-permission]]');
  const { inquiry, digest } = await cardOf(id);
  await until('the dialog', async () =>
    (await owner.ask('screen', { id })).lines.join('\n').includes('echo practised'),
  );
  await owner.ask('keys', { id, args: { keys: '1' } });
  expect(await page.next('settled', (one) => one.inquiry === inquiry.id)).toMatchObject({ session: id });
  await until('it ran', () => existsSync(join(world.project, 'practice.txt')));
  expect((await owner.request('answer', { id: inquiry.id, args: { digest, words: ['deny'] } })).status).toBe(409);
  expect((await owner.ask('inbox')).map((one) => one.inquiry.id)).not.toContain(inquiry.id);
  await reins(world, ['kill', id]);

  // N3: a turn that is interrupted takes its card along.
  const next = await started('run', '-d', '-i', '-b', 'practice', '-p', '[[ask-permission]]');
  const stale = await cardOf(next);
  await owner.ask('interrupt', { id: next });
  await page.next('settled', (one) => one.inquiry === stale.inquiry.id);
  const late = { digest: stale.digest, words: ['allow'] };
  expect((await owner.request('answer', { id: stale.inquiry.id, args: late })).status).toBe(409);
  await reins(world, ['kill', next]);
  page.close();
});

it('F1: what a session was started by is nothing of its guest’s; names of other namespaces are neither refused nor counted', async () => {
  const inside = `'${process.execPath}' '${CLI}' exec -d --name below -- sleep 600 > below.txt; sleep 600`;
  const parent = await started('exec', '-d', '--name', 'above', '--', 'sh', '-c', inside);
  const file = join(world.project, 'below.txt');
  const child = await until(
    'the session inside',
    () => (existsSync(file) && readFileSync(file, 'utf8').trim()) || undefined,
  );
  await until('the hub knows it', async () => (await owner.ask('sessions')).some(({ id }) => id === child));
  expect(await owner.ask('session', { id: child })).toMatchObject({ parent });
  const guest = await hub.device('view', ['--session', child]);
  const page = await guest.page();
  page.say({ t: 'open', ch: 1, session: child });
  await page.next('live');
  const all = [
    page.heard,
    await guest.ask('sessions'),
    await guest.ask('session', { id: child }),
    await guest.ask('entries', { id: child }),
  ];
  expect(JSON.stringify(all)).toContain(child);
  expect(JSON.stringify(all)).not.toContain(parent);
  page.close();

  // The hub's own link is nobody's look; a page that follows is.
  const viewers = async () => (await owner.ask('session', { id: parent })).viewers;
  const rowNow = async () =>
    (JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string; viewers: number }[]).find(
      ({ id }) => id === parent,
    )!;
  expect((await rowNow()).viewers).toBe(0);
  const looking = await owner.page();
  looking.say({ t: 'open', ch: 1, session: parent });
  await looking.next('live');
  expect((await rowNow()).viewers).toBe(1);
  looking.close();
  expect(await viewers()).toBeLessThan(2);

  const player = await hub.device('admin', ['--namespace', 'play']);
  const start = (name: string | undefined, n: number) =>
    player.request('start', {
      args: {
        cwd: world.project,
        agent: 'practice',
        mode: 'interactive',
        key: `name-of-${n}-x`,
        ...(name ? { name } : {}),
      },
    });
  const rows = async () => (await player.ask('sessions')).map(({ name }) => name).sort();
  expect((await start('above', 1)).status).toBe(200);
  expect((await start('above', 2)).status).not.toBe(200);
  const usual = world.project.split('/').at(-1)!;
  // Taken in the namespace of others, now or before.
  await reins(world, ['exec', '-d', '--name', usual, '--', 'sleep', '600']);
  expect((await start(undefined, 3)).status).toBe(200);
  await until('both', async () => (await rows()).length === 2);
  expect(await rows()).toEqual(['above', usual]);
  expect(await reins(world, ['screen', 'above'])).toMatchObject({ code: 30, stderr: expect.stringContaining(parent) });
});

it('a guest whose time is over types nothing any more, to the moment, and its socket is closed', async () => {
  const id = await started('exec', '-d', '--', 'cat');
  const guest = await hub.device('type', ['--session', id, '--expires', '3s']);
  const { device } = await guest.ask('me');
  const page = await guest.page();
  page.say({ t: 'open', ch: 1, session: id });
  await page.next('live');
  page.say({ t: 'take', ch: 1 });
  await page.next('driver', ({ driver }) => driver !== null);
  await until('its time is over', () => Date.now() > Date.parse(device.expires_at!));
  page.keys(1, 'too late\r');
  expect((await until('it is closed', () => page.closed)).code).toBe(4401);
  expect((await guest.request('me')).status).toBe(401);
  expect((await owner.ask('screen', { id })).lines.join('')).not.toContain('too late');
});

it('a guest whose time is over is shown nothing of what comes after, though it says nothing', async () => {
  // It says the time, over and over.
  const id = await started(
    'exec',
    '-d',
    '--',
    process.execPath,
    '-e',
    'setInterval(() => console.log(Date.now()), 50)',
  );
  const guest = await hub.device('view', ['--session', id, '--expires', '10s']);
  const { device } = await guest.ask('me');
  const page = await guest.page();
  page.say({ t: 'open', ch: 1, session: id });
  await page.next('live');
  page.say({ t: 'terminal', ch: 1, shown: true });
  const times = () => page.shown(1).match(/\d{13}/g) ?? [];
  await until('it is shown', () => times().length > 5);
  // It says nothing from here on, not even what it drew.
  page.draws = false;
  expect((await until('it is closed', () => page.closed)).code).toBe(4401);
  expect(Math.max(...times().map(Number))).toBeLessThanOrEqual(Date.parse(device.expires_at!));
});

it('S9: who may only answer has no command run of its own, stops no turn, and is not on record as somebody else', async () => {
  const phone = await hub.device('answer');
  const { device } = await owner.ask('me');
  // Called like another: whoever reads the record would take it for that one.
  const { device: mine } = await phone.ask('me');
  for (const name of [device.name, device.name.toUpperCase(), `\u200b${device.name} `]) {
    const renamed = await phone.ask('rename', { id: mine.id, args: { name } });
    expect(renamed.name.toLowerCase()).toMatch(/ \(\d+\)$/);
  }
  const id = await plays([bash('echo a > asked.txt'), bash('echo a > asked-too.txt')]);
  const first = await cardOf(id, 'asked.txt');
  expect(first.inquiry.editable).toBe(true);
  const said = (args: object) =>
    phone.request('answer', { id: first.inquiry.id, args: { digest: first.digest, ...args } });
  const input = { command: 'echo a > pwned.txt', description: 'x' };
  expect((await said({ input })).status).toBe(403);
  expect((await said({ words: ['allow'], input })).status).toBe(403);
  expect((await said({ words: ['deny'], interrupt: true })).status).toBe(403);
  expect(answers(id)).toEqual([]);
  expect((await said({ words: ['allow'] })).status).toBe(200);
  const second = await cardOf(id, 'asked-too.txt');
  expect(answers(id)[0]?.by).toMatchObject({ who: { name: expect.stringMatching(/ \(\d+\)$/) } });
  // Who may type may.
  const laptop = await hub.device('type');
  await laptop.ask('answer', { id: second.inquiry.id, args: { digest: second.digest, input } });
  await until('its end', () => entries(world, id).some(({ type }) => type === 'session.ended'));
  expect([
    existsSync(join(world.project, 'asked.txt')),
    existsSync(join(world.project, 'asked-too.txt')),
    existsSync(join(world.project, 'pwned.txt')),
  ]).toEqual([true, false, true]);
});

const told = (name: string) => service.got.filter(({ path }) => path === `/push/${name}`).map(({ message }) => message);
const ALL = ['inquiry', 'ended', 'limit', 'died'] as const;

it('W49: a device of another namespace is pushed nothing of it, nor counted in what it is told', async () => {
  const [mine, theirs] = [
    await hub.device('answer', ['--namespace', 'work']),
    await hub.device('answer', ['--namespace', 'play']),
  ];
  await mine.ask('subscribe', { args: { ...service.subscription('mine'), kinds: [...ALL] } });
  await theirs.ask('subscribe', { args: { ...service.subscription('theirs'), kinds: [...ALL] } });
  const secret = await plays([bash('touch secret-plan.txt')], '--namespace', 'work', '--name', 'secret-plan');
  const asked = await until('a push of it', () => told('mine').find(({ kind }) => kind === 'inquiry'));
  await mine.ask('answer', { id: asked.tag, args: { digest: asked.digest!, words: ['allow'] } });
  const dying = await plays([bash('touch b.txt')], '--namespace', 'work', '--name', 'secret-dying');
  await until('the end', () => told('mine').some(({ tag }) => tag === `ended:${secret}`));
  await cardOf(dying);
  process.kill((await owner.ask('session', { id: dying })).pid!, 'SIGKILL');
  await until(
    'the death',
    () => told('mine').some(({ tag }) => tag === `died:${dying}`),
    () =>
      `${JSON.stringify(told('mine'))}\n${readFileSync(join(world.state, 'reins/logs/hub.log'), 'utf8').slice(-3000)}`,
  );
  // Its own come, in the same lane: whatever was sent before would have come first.
  const own = await plays([bash('touch c.txt')], '--namespace', 'play', '--name', 'game');
  await until('its own', () => told('theirs').some(({ kind }) => kind === 'inquiry'));
  expect(told('theirs').map(({ tag, badge }) => [tag.split('.')[0], badge])).toEqual([[own, 1]]);
  expect(JSON.stringify(told('theirs'))).not.toMatch(/secret/);
  await reins(world, ['kill', dying]);
});

it('W55: neither the key of the hub’s pushes nor where a browser gets them is in a log, an argument, an environment, a journal or an answer', async () => {
  const dir = join(world.state, 'reins', 'hub');
  const { privateKey } = JSON.parse(readFileSync(join(dir, 'push-keys.json'), 'utf8')) as { privateKey: string };
  const { endpoint, keys } = service.subscription('mine');
  const hex = Buffer.from(privateKey, 'base64url').toString('hex');
  const secrets = [privateKey, hex, keys.auth, keys.p256dh, endpoint];
  const holds = (text: string) => secrets.filter((secret) => text.includes(secret));
  const kept: string[] = [];
  const all = join(world.state, 'reins');
  for (const name of readdirSync(all, { recursive: true, encoding: 'utf8' })) {
    const file = join(all, name);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile() || holds(readFileSync(file, 'latin1')).length === 0)
      continue;
    kept.push(name.replace(/devices\/\w+/, 'devices/ID'));
    expect(statSync(file).mode & 0o777, name).toBe(0o600);
  }
  // Where they belong, and nowhere else: logs and journals are among what was read.
  expect(kept.sort()).toEqual(['hub/devices/ID/push.json', 'hub/push-keys.json']);
  expect(readFileSync(join(all, 'logs', 'hub.log'), 'utf8')).toContain('pushed');
  const running = processesWith(world.mark).map(({ pid }) => pid);
  expect(running).toContain(hub.running.pid);
  for (const pid of running)
    for (const file of ['cmdline', 'environ'])
      expect(holds(readFileSync(`/proc/${pid}/${file}`, 'latin1')), `${file} of ${pid}`).toEqual([]);
  expect(holds(hub.running.stdout + hub.running.stderr)).toEqual([]);
  const device = await hub.device('answer', ['--namespace', 'work']);
  const paths = [
    '/api/push',
    '/api/me',
    '/api/devices',
    '/api/openapi.json',
    '/api/sessions',
    '/api/nowhere',
    '/nowhere',
    '/%00',
  ];
  for (const path of paths)
    for (const who of [device, owner])
      expect(holds(await rawGet(hub.url, path, `Cookie: ${who.cookie}\r\n`)), path).toEqual([]);
});
