/** What goes into an agent's terminal: who put it there and why is on record, a password never is. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InquiryId } from '../../src/contract/index.js';
import { openRecording } from '../../src/terminal/recording-read.js';
import { reins, sha256 } from './support/cli.js';
import { entries, entry, sessionDir } from './support/journal.js';
import { detached, json, keys, linkTo, send, shows } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const ASK = [
  'until [ "$n" = done ]; do read -r -p "name: " n; done; read -r -s -p "secret: " s; echo',
  'read -r -p "pasted: " p; read -r -s -p "again: " t; echo',
  'echo "thanks $p"; sleep 300',
].join('; ');

async function typedInto(world: World, id: string): Promise<string> {
  const recording = await openRecording(join(sessionDir(world, id), 'terminal.cast'));
  let typed = '';
  for await (const event of recording.events()) if (event.code === 'i') typed += event.data;
  return typed;
}

function everything(dir: string): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

test('input is recorded with who and why; while echo is off, and in doubt, never what', async () => {
  const world = newWorld();
  const id = await detached(world, ['exec', '--', 'bash', '-c', ASK]);
  await shows(world, id, 'name:');
  // Sent: the terminal is looked at before it is typed, and what it echoes is shown. A look that a busy machine delays
  // leaves a doubt, and then it is hidden: sent again.
  await until('a sent name on the recording', async () => {
    expect((await send(world, id, 'ada')).verdict).toBe('submitted');
    return (await typedInto(world, id)).includes('ada\r');
  });
  expect((await send(world, id, 'done')).verdict).toBe('submitted');
  const viewer = reinsInTerminal(world, ['attach', id], { cols: 120, rows: 40 });
  await viewer.waitFor('secret:');
  for (const key of 'hunter2') viewer.type(key);
  viewer.type('\r');
  await viewer.waitFor('pasted:');
  viewer.type('lovelace');
  // An unfinished line is shown as soon as it is sure that the terminal echoes.
  await until('the name on the recording', async () => (await typedInto(world, id)).includes('lovelace'));
  viewer.type('\r');
  await viewer.waitFor('again:');
  // A whole line at once: it is over before anybody could look.
  viewer.type('hunter3\r');
  await viewer.waitFor('thanks lovelace');
  await reins(world, ['stop', id]);
  await entry(world, 'session.ended', { session: id });

  const typed = await typedInto(world, id);
  expect(typed).toContain('ada\r');
  expect(typed).toContain('lovelace');
  expect(typed).toContain('•');
  expect(everything(sessionDir(world, id))).not.toContain('hunter');
  const sent = entries(world, id).filter((one) => one.type === 'input.sent');
  const whos = sent.map(({ data }) => `${data.by}: ${data.why}`);
  expect([...new Set(whos)]).toEqual(['api: send', 'human: typed']);
  // In steps: the number itself would be the length of a secret.
  const humans = sent.filter(({ data }) => data.by === 'human');
  expect(humans.every(({ data }) => data.bytes > 0 && data.bytes % 64 === 0)).toBe(true);
  expect(humans.every(({ data }) => data.viewer?.startsWith('v-') && !('text' in data))).toBe(true);
});

test('inquiries and answers are chapters of the recording', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer']);
  await shows(world, id, '/help');
  await send(world, id, 'ask a question');
  const { data } = await entry(world, 'inquiry.opened', { session: id });
  const inquiry: InquiryId = data.inquiry.id;
  expect((await reins(world, ['answer', inquiry, 'PostgreSQL'])).code).toBe(0);
  await shows(world, id, 'PostgreSQL');
  await reins(world, ['stop', id]);
  await entry(world, 'session.ended', { session: id });
  const listed = await reins(world, ['replay', id, '--chapters']);
  const chapters = listed.stdout.trim().split('\n');
  expect(chapters).toEqual([
    expect.stringMatching(/^\d+:\d\d\t.* asks: Which database/),
    expect.stringMatching(/^\d+:\d\d\t.* answered: values$/),
  ]);
  const moment = await reins(world, ['replay', id, '--at', '100']);
  expect(moment.stdout).toContain('practice agent');
  expect(moment.stdout).not.toContain('\x1b');
});

test('send: multi-line, emoji, escape sequences and 200 KB arrive once and whole', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice']);
  await shows(world, id, '/help');
  let printed = '';
  const viewer = await linkTo(world, id, { output: (bytes) => (printed += Buffer.from(bytes).toString('latin1')) });
  await viewer.attach({ kind: 'api', role: 'watcher', visible: true, bytes: true, entries: false, answers: 'no' });
  viewer.ready();
  const idle = (count: number) =>
    entry(world, 'state.changed', {
      session: id,
      is: (one) =>
        one.data.agent_state !== 'working' &&
        one.data.agent_state !== 'starting' &&
        entries(world, id).filter((other) => other.type === 'input.sent').length >= count &&
        one.seq > (entries(world, id).findLast((other) => other.type === 'input.sent')?.seq ?? 0),
    });
  const cases: [string, string][] = [
    ['echo one\ntwo 😀 👩‍👩‍👧 drei', 'echo one\ntwo 😀 👩‍👩‍👧 drei'],
    ['echo before\x1b[201~\x1b[31m after\x07\x03', 'echo before[201~[31m after'],
    [`echo ${'x'.repeat(200_000)}`, `echo ${'x'.repeat(200_000)}`],
  ];
  for (const [index, [given, arrived]] of cases.entries()) {
    const receipt = await send(world, id, given);
    expect(receipt).toEqual({ verdict: 'submitted', evidence: 'hook' });
    await until('what the agent got', () => printed.includes(sha256(arrived)));
    await idle(index + 1);
  }
  expect(entries(world, id).filter((one) => one.type === 'input.sent').length).toBe(cases.length);
});

test('send: one idempotency key is one message; a busy agent queues; an open dialog refuses; keys are pressed', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--set', 'tools.defaults.detached=defer']);
  await shows(world, id, '/help');
  const twice = await Promise.all([1, 2].map(() => send(world, id, 'slow 20', ['--key', 'k1'])));
  expect(twice).toEqual([
    { verdict: 'submitted', evidence: 'hook' },
    { verdict: 'submitted', evidence: 'hook' },
  ]);
  expect(await send(world, id, 'slow 20', ['--key', 'k1'])).toEqual(twice[0]);
  expect(entries(world, id).filter((one) => one.type === 'input.sent').length).toBe(1);

  const queued = await reins(world, ['send', id, '--json', 'ask a question']);
  expect(JSON.parse(queued.stdout)).toMatchObject({ verdict: 'queued', reason: 'the agent was working' });
  expect(queued.code).toBe(0);
  expect((await reins(world, ['interrupt', id])).code).toBe(0);
  await entry(world, 'inquiry.opened', { session: id });
  const refused = await reins(world, ['send', id, '--json', 'into the dialog']);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    verdict: 'refused',
    reason: expect.stringContaining('dialog is open'),
  });
  expect(refused.code).toBe(1);

  expect(await keys(world, id, 'Esc')).toMatchObject({ verdict: 'submitted' });
  await entry(world, 'inquiry.closed', { session: id });
  const whys = entries(world, id).flatMap((one) => (one.type === 'input.sent' ? [one.data.why] : []));
  expect(whys).toEqual(['send', 'interrupt', 'send', 'send', 'keys']);
  const inbox = await json<unknown[]>(world, ['inbox']);
  expect(inbox).toEqual([]);
});

test('messages sent at the same moment arrive one by one, each once and whole', async () => {
  const world = newWorld();
  const id = await detached(world, ['run', '-i', '-b', 'practice', '--idle-timeout', '0']);
  await shows(world, id, '❯');
  const client = await linkTo(world, id);
  const texts = ['one', 'two', 'three', 'four'].map((count) => `message number ${count}`);
  const receipts = await Promise.all(texts.map((text) => client.command('submit', { text })));
  expect(receipts.map(({ verdict }) => verdict).filter((one) => one !== 'submitted' && one !== 'queued')).toEqual([]);
  const shown = async () => (await client.command('screen', { scrollback: 200 })).lines;
  const prompts = async () => (await shown()).filter((line) => line.startsWith('❯ message')).map((line) => line.trim());
  await until('all four', async () => (await prompts()).length >= texts.length);
  expect(await prompts()).toEqual(texts.map((text) => `❯ ${text}`));
});

test('several lines sent to a program at the same moment do not mix', async () => {
  const world = newWorld();
  const id = await detached(world, [
    'exec',
    '--',
    'sh',
    '-c',
    'echo up; while read -r line; do echo "got $line"; done',
  ]);
  await shows(world, id, 'up');
  const client = await linkTo(world, id);
  const lines = (name: string) => Array.from({ length: 5 }, (_, at) => `${name}${at}`);
  await Promise.all(['a', 'b'].map((name) => client.command('submit', { text: lines(name).join('\n') })));
  const { lines: shown } = await shows(world, id, 'got b4');
  expect(shown.filter((line) => line.startsWith('got')).map((line) => line.slice(4).trim())).toEqual([
    ...lines('a'),
    ...lines('b'),
  ]);
});
