/** What a program without a protocol asks at its terminal: passwords and closed questions, answered from elsewhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { entry } from './support/journal.js';
import { detached } from './support/session.js';
import { reinsInTerminal } from './support/terminal.js';
import { newWorld, type World } from './support/world.js';

const SECRET = 'hunter2 correct';
/** The secret is not in its words either. */
const ASKS =
  'stty -echo; printf "Password: "; read -r x; stty echo; printf "\\n"; test "$x" = "hunter""2 correct"; echo "right: $?"';

/** Everything that is left on disk of a world whose processes are gone. */
async function onDisk(world: World): Promise<string> {
  await world.empty();
  return readdirSync(world.root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name)))
    .map((bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1'))
    .join('\n');
}

describe('asked at a terminal', () => {
  test('a password under exec waits for a person, is piped in, and stands nowhere', async () => {
    const world = newWorld();
    await detached(world, ['exec', '--', 'sh', '-c', ASKS]);
    const { inquiry } = (await entry(world, 'inquiry.opened')).data;
    expect(inquiry).toMatchObject({ exclusive: true, questions: [{ secret: true, text: 'Password:' }] });
    expect((await reins(world, ['inbox'])).stdout).toContain(`reins answer ${inquiry.id} --secret`);
    const bare = await reins(world, ['answer', inquiry.id, '--secret', 'on the command line']);
    expect(bare).toMatchObject({ code: 2, stdout: '' });
    const twoLines = await reins(world, ['answer', inquiry.id, '--text', 'two\nlines']);
    expect(twoLines).toMatchObject({ code: 2, stdout: '' });
    expect(await reins(world, ['answer', inquiry.id, '--secret'], { stdin: `${SECRET}\n` })).toMatchObject({ code: 0 });
    await entry(world, 'session.ended');
    expect((await entry(world, 'inquiry.closed')).data.how).toBe('delivered');
    const disk = await onDisk(world);
    expect(disk).toContain('right: 0');
    expect(disk).not.toContain('hunter2');
  });

  test('a person in front of it types as always, and sees nothing of ours', async () => {
    const world = newWorld();
    const terminal = reinsInTerminal(world, ['exec', '--', 'sh', '-c', ASKS]);
    await terminal.waitFor('Password:');
    await entry(world, 'inquiry.opened');
    terminal.type(`${SECRET}\r`);
    expect(await terminal.exit()).toBe(0);
    const { bytes } = terminal;
    expect(bytes.slice(0, bytes.indexOf('right: 0') + 8)).toBe('Password: \r\nright: 0');
    expect(bytes).not.toMatch(/reins|inquiry/i);
    const { data } = await entry(world, 'inquiry.closed');
    expect(data).toMatchObject({ how: 'cancelled', by: { kind: 'viewer' } });
    expect(await onDisk(world)).not.toContain('hunter2');
  });

  const CUSTOM = ['run', '-i', '-b', 'custom', '--trust', 'full', '--set', 'cli.command=sh'];
  const SCRIPT = ['--', '-c', 'printf "Go on? [y/N] "; read -r x; echo "said $x."'];

  test('a question of a custom agent waits for a person where policy would deny', async () => {
    const world = newWorld();
    await detached(world, [...CUSTOM, ...SCRIPT]);
    const { inquiry } = (await entry(world, 'inquiry.opened')).data;
    expect(inquiry).toMatchObject({ questions: [{ id: 'confirm', default: ['n'] }], exclusive: false });
    expect(await reins(world, ['answer', inquiry.id, 'y'])).toMatchObject({ code: 0 });
    await entry(world, 'session.ended');
    expect(await onDisk(world)).toContain('said y.');
  });

  test('and is answered in advance where policy says so', async () => {
    const world = newWorld();
    await detached(world, [...CUSTOM, '--set', 'tools.terminal.questions.confirm.answer=y', ...SCRIPT]);
    await entry(world, 'session.ended');
    expect((await entry(world, 'inquiry.answered')).data.answer.by.kind).toBe('policy');
    expect(await onDisk(world)).toContain('said y.');
  });
});
