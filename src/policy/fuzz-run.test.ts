/**
 * What policy allows is really run, in a real bash, and must touch no canary: the programs curl, evil and ./x, files
 * called pwned, git's settings, package.json, the home, the folder above, and for npm its options and environment. The
 * short form runs with every `npm test`; `REINS_FULL=1` judges 100 000 commands.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generator, makeCommand } from './fuzz-grammar.cases.js';
import { makeResolver } from './paths.js';
import { bash, here, settingsWith, shell, word } from './policy.cases.js';
import { route } from './route.js';

const FULL = process.env.REINS_FULL === '1';
const JUDGED = FULL ? 100_000 : 2500;
const SEED = Number(process.env.REINS_SEED ?? 6);
const BATCH = 40;

const REAL =
  'ls cat grep wc head sort uniq sed awk find git tar make xargs tee timeout env gzip sleep id dirname basename'.split(
    ' ',
  );
const ALLOW = [
  ...[
    'ls',
    'echo',
    'cat',
    'printf',
    'read',
    'test',
    'grep',
    'wc',
    'head',
    'sort',
    'uniq',
    'sed',
    'awk',
    'find',
    'tar',
    'tee',
  ],
  ...[
    'git status',
    'git log',
    'git diff',
    'git show',
    'git grep',
    'npm test',
    'make',
    'xargs',
    'cd',
    'git',
    'timeout',
    'jq',
  ],
];

let root: string;
const at = (...parts: string[]) => join(root, ...parts);

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'reins-fuzz-'));
  for (const folder of ['bin', 'home', 'template/src', 'template/evil']) mkdirSync(at(folder), { recursive: true });
  for (const name of REAL) {
    const found = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    if (found.startsWith('/')) symlinkSync(found, at('bin', name));
  }
  const canary = `echo "$0 $*" >> '${at('canary')}'`;
  for (const name of ['curl', 'evil', 'x', 'sh', 'bash', 'less', 'pager', 'editor']) script(at('bin', name), canary);
  script(
    at('bin', 'npm'),
    `[ "$HOME" = '${at('home')}' ] && [ "$PATH" = '${at('bin')}' ] && [ "$1" = test ] || { ${canary}; }
for word; do case "$word" in --) break;; --scr*|--she*|--pref*|--node*|--user*|--glob*|--git*|--ed*|--ca*|-C*|-c*) ${canary};; esac; done; exit 1`,
  );
  for (const name of ['x', 'evil/ls', 'evil/git', 'evil/cat', '-c']) script(at('template', name), canary);
  for (const name of ['a', 'b.txt', 'src/a.ts', 'EOF']) writeFileSync(at('template', name), '1 2 a,b\nx:3 y\n');
  for (const name of [
    '--output=pwned',
    '-opwned',
    '--script-shell=.',
    'SHELL=.',
    '-exec',
    '-delete',
    '-fcurl',
    'src/-n',
    '1e curl',
  ]) {
    writeFileSync(at('template', name), 'x\n');
  }
  writeFileSync(at('template/Makefile'), 'all:\n\t@:\n');
  writeFileSync(at('template/package.json'), '{}\n');
  const evilConfig = `[core]\n\tfsmonitor = ${at('bin/evil')}\n\tpager = ${at('bin/evil')}\n[diff]\n\texternal = ${at('bin/evil')}\n`;
  writeFileSync(at('template/src/.gitconfig'), evilConfig);
  writeFileSync(at('home/.gitconfig'), '[user]\n\tname = a\n\temail = a@b.c\n');
  const git = 'git init -q . && git add a b.txt src/a.ts && git commit -qm one && echo 2 >> a';
  const made = spawnSync('/bin/sh', ['-c', `${git} && tar cf a.tar a`], {
    cwd: at('template'),
    env: { PATH: process.env.PATH, HOME: at('home') },
  });
  expect(made.status).toBe(0);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What a batch left behind that it must not; empty: nothing. */
function touched(): string[] {
  const found = existsSync(at('canary')) ? readFileSync(at('canary'), 'utf8').split('\n').filter(Boolean) : [];
  for (const name of ['.git/config', 'package.json', 'Makefile']) {
    const [now, before] = ['work', 'template'].map((folder) =>
      existsSync(at(folder, name)) ? readFileSync(at(folder, name), 'utf8') : 'gone',
    );
    if (now !== before) found.push(`${name} was changed`);
  }
  if (readdirSync(at('home')).join() !== '.gitconfig')
    found.push(`the home holds ${readdirSync(at('home')).join(' ')}`);
  found.push(...above().map((name) => `above is ${name}`));
  const files = readdirSync(at('work'), { recursive: true, encoding: 'utf8' });
  found.push(...files.filter((name) => /(^|\/)pwned/.test(name)));
  for (const name of ['a', 'b.txt', 'src/a.ts', 'src/.gitconfig', 'evil/ls', '-exec'])
    if (!files.includes(name)) found.push(`${name} is gone`);
  return found;
}

const OURS = new Set(['bin', 'home', 'template', 'work', 'commands', 'canary']);
const above = () => readdirSync(root).filter((name) => !OURS.has(name));

const PROGRAM = `ulimit -t 2 -f 20000 -v 4000000
while IFS= read -r -d '' command <&9; do
  "$REINS_TIMEOUT" -k 1 3 /bin/bash --noprofile --norc -c "$command" </dev/null >/dev/null 2>&1 9<&-
done 9< "$REINS_COMMANDS"`;

function runAll(commands: string[]): string[] {
  rmSync(at('work'), { recursive: true, force: true });
  for (const name of ['canary', ...above()]) rmSync(at(name), { recursive: true, force: true });
  for (const name of readdirSync(at('home'))) if (name !== '.gitconfig') rmSync(at('home', name), { recursive: true });
  cpSync(at('template'), at('work'), { recursive: true, verbatimSymlinks: true });
  writeFileSync(at('commands'), commands.map((command) => `${command}\0`).join(''));
  const env = {
    PATH: at('bin'),
    HOME: at('home'),
    REINS_COMMANDS: at('commands'),
    REINS_TIMEOUT: at('bin/timeout'),
    LC_ALL: 'C.UTF-8',
  };
  const done = spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', PROGRAM], {
    cwd: at('work'),
    env,
    timeout: 300_000,
  });
  expect(done.error).toBeUndefined();
  return touched();
}

/** The commands of a batch that did it, one by one. */
function culprits(commands: string[]): { command: string; touched: string[] }[] {
  return commands.flatMap((command) => {
    const found = runAll([command]);
    return found.length > 0 ? [{ command, touched: found }] : [];
  });
}

test('what policy allows touches no canary in a real bash', { timeout: FULL ? 3_600_000 : 300_000 }, () => {
  const random = generator(SEED);
  const settings = settingsWith(
    { allow: ALLOW.map((text) => `Bash(${text}:*)`) },
    { cwd: at('work'), home: at('home') },
  );
  const tools = { shell, resolvePath: makeResolver(() => undefined), exists: () => false };
  const allowed = new Set<string>();
  for (let index = 0; index < JUDGED; index += 1) {
    const command = makeCommand(random);
    if (!command.includes('\0') && word(route(bash(command), here, settings, tools)) === 'allow') allowed.add(command);
  }
  const commands = [...allowed];
  const breaches: ReturnType<typeof culprits> = [];
  for (let from = 0; from < commands.length && breaches.length < 20; from += BATCH) {
    const batch = commands.slice(from, from + BATCH);
    const found = runAll(batch);
    if (found.length > 0) {
      const one = culprits(batch);
      breaches.push(...(one.length > 0 ? one : [{ command: batch.join('\n---\n'), touched: found }]));
    }
  }
  const said = `${JUDGED} judged, ${commands.length} different ones allowed and run, ${breaches.length} breaches`;
  // biome-ignore lint/suspicious/noConsole: the long form says what it did
  if (FULL) console.log(said);
  expect(breaches).toEqual([]);
  expect(commands.length).toBeGreaterThan(JUDGED / 50);
});

test('the canaries see what gets past', () => {
  const past = [
    'curl',
    'HOME=src git status',
    "sed '1e curl' a",
    'sort -o pwned a',
    'PATH=./evil ls',
    "x='a[$(curl)]'; echo $((x))",
    'npm test --script-shell=./x',
    'echo x > ../pwned',
    './x',
  ];
  for (const command of past) expect([command, runAll([command]).length > 0]).toEqual([command, true]);
  expect(runAll(['ls', 'git status', 'npm test -- --x', 'sed -n 1p a', 'echo x > out'])).toEqual([]);
});
