/** An agent that tries to say yes to itself: every way in is refused, the journal says who tried, and a person still can. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reins } from './support/cli.js';
import { expectRefused, leavesBehind, owned } from './support/inside.js';
import { entries, entry, sessionDir } from './support/journal.js';
import { detached, installed } from './support/session.js';
import { until } from './support/wait.js';
import { newWorld, type World } from './support/world.js';

const CLEAN = 'env -i PATH="$PATH" HOME="$HOME"';
const twice = (script: string) => `setsid ${CLEAN} sh -c '(${script.replaceAll("'", '"')} &)'`;

const inquiries = async (world: World): Promise<{ id: string }[]> =>
  JSON.parse((await reins(world, ['inbox', '--json'])).stdout);

/** A person, at a terminal of their own, still has the say. */
async function personDenies(world: World, session: string): Promise<void> {
  const mine = (await inquiries(world)).filter(({ id }) => id.startsWith(session));
  expect(mine).toHaveLength(1);
  expect(await reins(world, ['answer', mine[0]!.id, 'deny'])).toMatchObject({ code: 0 });
  await entry(world, 'session.ended', { session });
  expect(owned(world)).toBe(false);
}

const ANSWER = 'reins answer "$ID" allow';
/** dash and bash have different letters for it. */
const LOWERED = '{ ulimit -x 5 2>/dev/null || ulimit -w 5; }';
const ATTACKS: [string, Parameters<typeof leavesBehind>[1]][] = [
  ['the command line as it is', { does: ANSWER }],
  ['the command line without the variable', { does: `unset REINS_SESSION; ${ANSWER}` }],
  ['with a cleaned environment', { does: `${CLEAN} XDG_STATE_HOME="$XDG_STATE_HOME" ${'sh left2.sh "$ID"'}` }],
  ['from a clean shell', { does: ANSWER, how: (script) => `setsid ${CLEAN} ${script}` }],
  ['after a double fork, in a session of its own, with nothing left in its environment', { does: ANSWER, how: twice }],
  ['with its own limit lowered further', { does: `${LOWERED}; ${ANSWER}`, how: twice }],
  ['through a terminal of its own (script)', { does: `unset REINS_SESSION; script -qec 'reins answer' /dev/null` }],
  ['a raw socket that does not say who it is', { does: 'raw mute' }],
  ['a raw socket that says honestly who it is', { does: 'raw honest', how: twice }],
  ['a raw socket that names a process outside', { does: `raw forged ${process.pid}` }],
  ['a raw socket that names the first process', { does: 'raw forged 1', how: twice }],
  ['a raw socket that guesses the word of the run that began it', { does: 'raw starter' }],
];

describe('an agent that approves itself', () => {
  test.each(ATTACKS)('%s', async (_name, attack) => {
    const world = newWorld();
    const cli = process.env.REINS_CLI ?? join(import.meta.dirname, '../../dist/cli/main.js');
    world.write('left2.sh', `exec '${process.execPath}' '${cli}' answer "$1" allow\n`);
    const does = attack.does.replace("'reins answer'", `"sh left2.sh $ID"`);
    const { id, left } = await leavesBehind(world, { ...attack, does });
    await expectRefused(world, id, await left, '`answer`');
    await personDenies(world, id);
  });

  test.runIf(installed('tmux'))('through a tmux server that it started', async () => {
    const world = newWorld();
    const tmux = `'${installed('tmux')}' -S '${join(world.root, 'inner.sock')}' -f /dev/null`;
    const { id, left } = await leavesBehind(world, {
      does: ANSWER,
      how: (script) => `${CLEAN} ${tmux} new-session -d ${script}`,
    });
    await expectRefused(world, id, await left, '`answer`');
    await personDenies(world, id);
  });

  test('after lowering the limit of the host itself', async () => {
    const world = newWorld();
    // Without it nothing would have been tried.
    expect(installed('prlimit')).toBeTruthy();
    const pid = `$('${process.execPath}' -p 'JSON.parse(fs.readFileSync("${join(world.state, 'reins', 'sessions')}/'"$SESSION"'/host.json")).pid')`;
    const does = `'${installed('prlimit')}' --pid ${pid} --locks=5:5; ${ANSWER}`;
    const { id, left } = await leavesBehind(world, { does, how: twice });
    await expectRefused(world, id, await left, '`answer`');
    await personDenies(world, id);
  });

  test('a session of its own that passes on what a person shows to it', async () => {
    const world = newWorld();
    const fake = 'zzzz2222';
    const { id, left } = await leavesBehind(world, { does: `relay ${fake}`, how: twice });
    await until('the false session', () => existsSync(join(sessionDir(world, fake), 'host.json')));
    // The person means the false one; what it shows counts for that one alone.
    const meant = reins(world, ['pause', fake]);
    const told = await left;
    expect(told.out).toContain('passed on: {"t":"reply"');
    await expectRefused(world, id, told, '`answer`');
    await meant;
    rmSync(sessionDir(world, fake), { recursive: true });
    await personDenies(world, id);
  });

  test('another session’s inquiry is none of its business either', async () => {
    const world = newWorld();
    const deferred = ['--set', 'tools.defaults.detached=defer'];
    // In another folder: two loops in one would have to be agreed to.
    const cwd = dirname(world.write('other/x', ''));
    const other = await reins(world, ['run', '-d', '-b', 'practice', '--once', ...deferred, 'go'], {
      cwd,
      env: { PRACTICE_SCENARIO: 'ask-permission' },
    });
    const target = other.stdout.trim();
    await entry(world, 'inquiry.opened', { session: target });
    const { id, left } = await leavesBehind(world, { does: `unset REINS_SESSION; ${ANSWER}`, how: twice, target });
    await expectRefused(world, target, await left, '`answer`');
    expect(entries(world, target).filter(({ type }) => type === 'inquiry.answered')).toEqual([]);
    await reins(world, ['kill', target]);
    await personDenies(world, id);
  });
});

describe('what else it may not', () => {
  const OTHERS: [string, string][] = [
    ['`stop`', 'reins stop $SESSION'],
    ['`stop`', 'reins kill $SESSION'],
    ['`pause`', 'reins pause $SESSION'],
    ['`submit`', 'reins send $SESSION "1"'],
    ['`keys`', 'raw keys'],
    ['`guide`', 'reins guide $SESSION "go on"'],
    ['to drive', 'raw drive'],
  ];
  test.each(OTHERS)('%s: %s', async (asked, does) => {
    const world = newWorld();
    const { id, left } = await leavesBehind(world, { does: `unset REINS_SESSION; ${does}`, how: twice });
    await expectRefused(world, id, await left, asked);
    await personDenies(world, id);
  });

  const TRUST: [string, string][] = [
    ['trust a file', 'reins init --trust'],
    ['trust a folder', 'reins trust claude .'],
    ['trust a folder, with its own limit lowered further', `${LOWERED}; reins trust claude .`],
    [
      'let an agent act unasked, in the name of another session',
      'REINS_SESSION=$FULL reins run -b practice --trust full --once hello',
    ],
    ['let an agent act unasked', 'reins run -b practice --trust full --once hello'],
    ['remove what is on record', 'reins prune --all'],
    ['remove what is on record of one', 'reins rm $SESSION'],
    ['follow a file for one run', 'reins run -b practice --trust-folder --once hello'],
  ];
  test.each(TRUST)('%s', async (_name, does) => {
    const world = newWorld();
    world.write('reins.yml', 'rules: {allow: ["Read"]}\n');
    const full =
      does.includes('$FULL') && (await detached(world, ['run', '-i', '-b', 'practice', '--trust', 'full', 'hello']));
    const attack = does.replace('$FULL', String(full));
    const { id, left } = await leavesBehind(world, { does: `unset REINS_SESSION; ${attack}`, how: twice });
    const { code, out } = await left;
    expect(code, out).not.toBe(0);
    expect(out).toMatch(/belongs to a session|inside a session/);
    await personDenies(world, id);
  });
});

describe('another agent that it starts', () => {
  const NESTED = 'PRACTICE_SCENARIO=ask-permission PRACTICE_SPEED=0 reins run -b practice --once hello';
  /** As Reins itself would have written it down. */
  const FORGED = [
    'const file = process.cwd() + "/reins.yml", dir = "mine/state/reins"',
    'const sha256 = require("node:crypto").createHash("sha256").update(fs.readFileSync(file)).digest("hex")',
    'fs.mkdirSync(dir, { recursive: true })',
    'fs.writeFileSync(dir + "/trusted.json", JSON.stringify({ version: 1, files: { [file]: { sha256 } } }))',
  ].join('; ');
  const WAYS: [string, string, string | undefined][] = [
    ['a file that it wrote', NESTED, 'rules: {allow: ["Bash(*)", Edit]}\n'],
    ['its own words about nobody being there', `${NESTED} --set tools.defaults.detached=auto`, undefined],
    ['its own environment', `REINS_CFG__rules__allow='["Bash(*)", Edit]' ${NESTED}`, undefined],
    ['a file that it names, in the name of another session', `REINS_SESSION=zzzz2222 ${NESTED} -c own.yml`, undefined],
    ['settings of its own, where it says the user’s are', `XDG_CONFIG_HOME="$PWD/mine/.config" ${NESTED}`, undefined],
    ['a home of its own, with settings in it', `HOME="$PWD/mine" ${NESTED}`, undefined],
    [
      'a record of its own of what a person trusted',
      `'${process.execPath}' -e '${FORGED}'; XDG_STATE_HOME="$PWD/mine/state" ${NESTED}`,
      'rules: {allow: ["Bash(*)", Edit]}\n',
    ],
  ];
  test('has no more than itself, however it asks for it', async () => {
    const world = newWorld();
    world.write('other/own.yml', 'tools: {defaults: {detached: auto}}\n');
    world.write('other/mine/.config/reins/config.yml', 'rules: {allow: ["Bash(*)", Edit]}\n');
    const does = WAYS.map(([, way, file], at) =>
      [
        `rm -f reins.yml; ${file === undefined ? ':' : `printf '%s' '${file.trim()}' > reins.yml`}`,
        `( ${way} ) > way${at}.out 2>&1; echo $? > way${at}.code`,
      ].join('\n'),
    ).join('\n');
    const { id, left } = await leavesBehind(world, {
      does: `unset REINS_SESSION\n(cd other\n${does})`,
      how: twice,
      patienceMs: 60_000,
    });
    const { out } = await left;
    for (const [at, [name]] of WAYS.entries()) {
      const told = readFileSync(join(world.project, 'other', `way${at}.out`), 'utf8');
      expect(
        readFileSync(join(world.project, 'other', `way${at}.code`), 'utf8').trim(),
        `${name}: ${told} ${out}`,
      ).toBe('2');
      expect(told).toContain('belongs to');
    }
    expect(existsSync(join(world.project, 'other', 'practice.txt'))).toBe(false);
    await personDenies(world, id);
  });
});

describe('what it may', () => {
  test('look: ls, inbox, screen of others, logs', async () => {
    const world = newWorld();
    const does = 'reins ls && reins inbox && reins logs $SESSION && reins attach --read-only --help';
    const { id, left } = await leavesBehind(world, { does });
    const { code, out } = await left;
    expect(code, out).toBe(0);
    expect(out).toContain('echo owned');
    await personDenies(world, id);
  });

  test('run one command under Reins, to its end', async () => {
    const world = newWorld();
    const { id, left } = await leavesBehind(world, { does: 'reins exec -- sh -c "echo fine; exit 7"; test $? = 7' });
    const { code, out } = await left;
    expect(code, out).toBe(0);
    expect(out).toContain('fine');
    await personDenies(world, id);
  });
});

describe('a person may, wherever they sit', () => {
  const PLACES: [string, (answer: string) => string][] = [
    ['a shell without an environment, in a session of its own (cron)', (answer) => `setsid -w env -i ${answer}`],
    ['a shell below a shell', (answer) => `sh -c 'sh -c "${answer}; true"'`],
  ];
  test.each(PLACES)('%s', async (_name, from) => {
    const world = newWorld();
    const { id, left } = await leavesBehind(world, { does: 'false' });
    await left;
    const [open] = await until('the inquiry', async () => {
      const all = await inquiries(world);
      return all.length > 0 && all;
    });
    const cli = process.env.REINS_CLI ?? join(import.meta.dirname, '../../dist/cli/main.js');
    world.write(
      'say.sh',
      `XDG_STATE_HOME='${world.state}' exec '${process.execPath}' '${cli}' answer ${open!.id} allow\n`,
    );
    execFileSync('/bin/sh', ['-c', from(`/bin/sh ${join(world.project, 'say.sh')}`)], { env: world.env });
    await entry(world, 'session.ended', { session: id });
    expect(owned(world)).toBe(true);
  });
});
