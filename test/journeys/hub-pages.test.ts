/** Pages of a real hub: the picture, sessions followed without a gap, terminals, and what a page may not do. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { type TestDevice, TestHub } from './support/hub.js';
import { sessionDir } from './support/journal.js';
import { until } from './support/wait.js';
import { World } from './support/world.js';

const world = new World();
let hub: TestHub;
let owner: TestDevice;

beforeAll(async () => {
  world.write(
    `${world.root}/config/reins/config.yml`,
    'tools: {defaults: {attached: ask, reachable: defer, detached: defer}}\n',
  );
  hub = await TestHub.start(world);
  owner = await hub.device();
});

afterAll(async () => {
  const { rows } = { rows: JSON.parse((await reins(world, ['ls', '--json'])).stdout) as { id: string }[] };
  for (const { id } of rows) await reins(world, ['kill', id]);
  await hub.close();
  await world.close();
});

/** The id of a session that runs detached. */
async function started(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await reins(world, args);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

const asking = (name: string, prompt = '[[ask-permission]]', more: string[] = []) =>
  started(['run', '-d', '-b', 'practice', '--once', '--share-folder', '--name', name, ...more, prompt]);

test('W10 W11 W14 W6: cards survive the hub; the chat has no gap and no double', async () => {
  const first = await owner.page();
  const ids = await Promise.all(['a', 'b', 'c'].map((name) => asking(name)));
  for (const id of ids) {
    const { card } = await first.next('card', (one) => one.card.inquiry.session === id);
    expect(card.view.spans?.map(({ text }) => text).join('')).toContain('echo practised');
  }
  const second = await owner.page();
  const { cards } = second.all('hello')[0]!;
  expect(new Set(cards.map(({ inquiry }) => inquiry.session))).toEqual(new Set(ids));
  second.say({ t: 'open', ch: 1, session: ids[0]! });
  await second.next('live');
  const seen = second.entries(1).map(({ seq }) => seq);
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, at) => seen[0]! + at));

  await hub.kill();
  await until('the page is cut', () => first.closed);
  await hub.again();
  const third = await owner.page();
  expect(
    third
      .all('hello')[0]!
      .cards.map(({ digest }) => digest)
      .sort(),
  ).toEqual(cards.map(({ digest }) => digest).sort());
  third.say({ t: 'open', ch: 7, session: ids[0]!, since: seen.at(-1)! });
  await third.next('live');
  for (const id of ids) expect((await reins(world, ['answer', `${id}.1`, 'allow'])).code).toBe(0);
  for (const id of ids) {
    const settled = await third.next('settled', (one) => one.session === id);
    expect(settled).toMatchObject({ how: 'allowed' });
    await third.next('row', ({ row }) => row.id === id && row.state === 'ended');
  }
  await until('the end is in the chat', () => third.entries(7).some(({ type }) => type === 'session.ended'));
  const all = [...seen, ...third.entries(7).map(({ seq }) => seq)];
  expect(all).toEqual(Array.from({ length: all.length }, (_, at) => seen[0]! + at));
  third.close();
});

test('W26 F2 W28: no byte while hidden; only the driver types and sets the size; answers of a terminal are not keys', async () => {
  const id = await started([
    'exec',
    '-d',
    '--name',
    'sh',
    '--',
    'sh',
    '-c',
    'stty -echo; while read -r line; do eval "$line"; done',
  ]);
  const [one, two] = [await owner.page(), await owner.page()];
  for (const page of [one, two]) {
    page.say({ t: 'open', ch: 3, session: id });
    await page.next('live');
  }
  const size = one.all('opened')[0]!.size!;
  one.say({ t: 'terminal', ch: 3, shown: true });
  one.say({ t: 'take', ch: 3 });
  await one.next('driver', ({ driver }) => driver === one.all('opened')[0]!.you);
  await two.next('driver', ({ driver }) => driver === one.all('opened')[0]!.you);
  one.keys(3, 'echo first-$((1+1))\r');
  await until('it is shown', () => one.shown(3).includes('first-2'));
  expect(two.bytes).toEqual([]);
  // Not the driver: ignored, and told; a size is refused.
  two.keys(3, 'echo second-$((1+1))\r');
  two.say({ t: 'fit', ch: 3, size: { cols: 40, rows: 20 } });
  expect((await two.next('wrong')).wrong.code).toBe('NOT_DRIVER');
  expect(one.all('size')).toEqual([]);
  // What its own terminal says is no key: neither typed nor a wish to drive.
  one.keys(3, '\x1b[?62;c\x1b[10;3R\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[I');
  one.keys(3, 'echo third-$((1+1))\r');
  await until('it is shown', () => one.shown(3).includes('third-2'));
  expect(one.shown(3)).not.toContain('second-2');
  expect(one.shown(3)).not.toContain('not found');
  // Hidden: nothing over a flood; shown again: a picture, then live.
  one.say({ t: 'terminal', ch: 3, shown: false });
  two.say({ t: 'terminal', ch: 3, shown: true });
  await until('the other sees it', () => two.shown(3).includes('third-2'));
  const before = one.bytes.length;
  one.keys(3, 'i=0; while [ $i -lt 20000 ]; do echo flood-$i; i=$((i+1)); done; echo flood-over\r');
  await until('the flood is over', () => two.shown(3).includes('flood-over'));
  expect(one.bytes.length).toBe(before);
  one.say({ t: 'terminal', ch: 3, shown: true });
  const redrawn = await until('it is drawn anew', () =>
    one.bytes.slice(before).find(({ kind }) => kind === 'snapshot'),
  );
  expect(Buffer.from(redrawn.bytes).toString()).toContain('flood-over');
  one.say({ t: 'fit', ch: 3, size: { cols: size.cols - 10, rows: size.rows - 2 } });
  await two.next('size', (told) => told.size.cols === size.cols - 10);
  // A page that draws nothing is sent a window, not a flood.
  two.draws = false;
  const held = two.bytes.length;
  one.keys(
    3,
    'i=0; while [ $i -lt 60000 ]; do echo a-line-that-is-somewhat-longer-$i; i=$((i+1)); done; echo all-$((1+1))\r',
  );
  await until('the driver has it', () => one.shown(3).includes('all-2'));
  const sent = two.bytes.slice(held).reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect(sent).toBeLessThan(700 * 1024);
  two.draws = true;
  two.say({ t: 'drawn', ch: 3, bytes: sent });
  await until('it is brought up to date', () => two.shown(3).includes('all-2'));
  for (const page of [one, two]) page.close();
});

test('W7: a killed host is on its row, with what it left; W39: an ended session is read from its file', async () => {
  const id = await asking('dies');
  const page = await owner.page();
  const { card } = await page
    .next('card', (one) => one.card.inquiry.session === id)
    .catch(
      () =>
        page
          .all('hello')[0]!
          .cards.map((one) => ({ card: one }))
          .find((one) => one.card.inquiry.session === id)!,
    );
  page.say({ t: 'open', ch: 1, session: id });
  await page.next('live');
  const { pid } = page.all('opened')[0]!.row;
  process.kill(pid!, 'SIGKILL');
  const { row } = await page.next('row', (one) => one.row.id === id && one.row.state === 'ended');
  expect(row.detail).toContain('its host died');
  // What waited there still does, as lost.
  await page.next('card', (one) => one.card.inquiry.id === card.inquiry.id && one.card.inquiry.lost === true);
  expect((await reins(world, ['kill', id])).code).toBe(0);
  await page.next('row', (one) => one.row.id === id && one.row.left === undefined);
  page.say({ t: 'open', ch: 2, session: id });
  await until('its file is read', () => page.entries(2).some(({ type }) => type === 'inquiry.opened'));
  page.close();
});

test('W7: a host whose link is cut before it is dead is on its row as dead once it is', async () => {
  const id = await started(['exec', '-d', '--', 'sleep', '600']);
  const page = await owner.page();
  await until('it is known', async () => (await owner.ask('sessions')).some((row) => row.id === id));
  const file = join(sessionDir(world, id), 'host.json');
  const host = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start_ticks: number };
  // Dying takes as long as the kernel likes: here as long as another process lives that is taken for it.
  const other = spawn('sleep', ['600'], { env: world.env });
  const ticks = Number(readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]);
  writeFileSync(file, JSON.stringify({ ...host, pid: other.pid, start_ticks: ticks }));
  process.kill(host.pid, 'SIGKILL');
  await until('it is gone, and the hub has heard', async () => {
    await owner.ask('me');
    return !existsSync(`/proc/${host.pid}/fd/0`);
  });
  await owner.ask('me');
  other.kill('SIGKILL');
  await page.next('row', ({ row }) => row.id === id && row.state === 'ended');
  await reins(world, ['kill', id]);
  page.close();
});

test('F1 W49: a session of another namespace is one that never was, on the socket too', async () => {
  const id = await started(['exec', '-d', '--namespace', 'work', '--', 'sleep', '600']);
  const guest = await hub.device('type', ['--namespace', 'play']);
  const page = await guest.page();
  await (await owner.page()).next('hello', (one) => one.rows.some((row) => row.id === id));
  expect(page.all('hello')[0]).toMatchObject({ rows: [], cards: [] });
  page.say({ t: 'open', ch: 1, session: id });
  page.say({ t: 'open', ch: 2, session: 'zzzzzzzz' });
  const [foreign, missing] = [
    await page.next('closed', ({ ch }) => ch === 1),
    await page.next('closed', ({ ch }) => ch === 2),
  ];
  const words = (text: unknown, name: string) => JSON.stringify(text).replaceAll(name, 'ID');
  expect(words(foreign.why, id)).toBe(words(missing.why, 'zzzzzzzz'));
  await reins(world, ['kill', id]);
  await until('the owner has heard', async () => (await reins(world, ['ls', '-q'])).stdout.includes(id) === false);
  expect(page.heard.map(({ t }) => t).filter((t) => t !== 'ping')).toEqual(['hello', 'closed', 'closed']);
  page.close();
});

test('W52: what is no message of a page ends its socket, and nobody else’s', async () => {
  const good = await owner.page();
  for (const bad of [
    '{',
    '{"t":"nothing"}',
    '{"t":"open","ch":-1,"session":"x"}',
    JSON.stringify({ t: 'open', ch: 1, session: 'x'.repeat(300) }),
  ]) {
    const page = await owner.page();
    page.socket.send(bad);
    expect((await until('it is cut', () => page.closed)).code).toBe(1008);
  }
  const long = await owner.page();
  long.socket.send('x'.repeat(100 * 1024));
  expect((await until('it is cut', () => long.closed)).code).toBe(1009);
  const flood = await owner.page();
  for (let at = 0; at < 5000; at += 1) flood.say({ t: 'here', visible: true, touched: true });
  await until('it is cut', () => flood.closed);
  const many = await owner.page();
  for (let ch = 0; ch < 40; ch += 1) many.say({ t: 'open', ch, session: 'zzzzzzzz' });
  await until('all are answered', () => many.all('closed').length === 40);
  expect(good.closed).toBeUndefined();
  good.close();
  many.close();
});
