// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
/**
 * Random commands for the fuzz that really runs what policy allows: by a small grammar in which every place may hold an
 * attack, and by mutating the commands of `attacks.cases.ts`. Whatever an attack reaches for is a canary: the programs
 * `curl`, `evil` and `./x`, the files `pwned…`, the variables HOME and PATH.
 */
import { R1, R1_ZSH, R2, R6, R6_MORE, R7, R8, R13 } from './attacks.cases.js';
import { EVERYDAY } from './everyday.cases.js';

/** Small and the same everywhere (mulberry32): a failure is found again with the same seed. */
export function generator(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
    chance: (p: number) => next() < p,
    below: (n: number) => Math.floor(next() * n),
  };
}

type Random = ReturnType<typeof generator>;

const NAMES = ['x', 'x', 'x', 'y', 'f', 'line', 'HOME', 'PATH', 'IFS', 'path', 'GIT_PAGER', 'LD_PRELOAD', 'BASH_ENV'];
const PLAIN = [
  'a',
  'b.txt',
  'src',
  'src/a.ts',
  './a',
  '1',
  '-n',
  '-l',
  '--',
  '-',
  'HEAD',
  '.',
  '*',
  '*.txt',
  'src/*',
  'EOF',
];
const EVIL = [
  ...["'a[$(curl)]'", "'$(curl)'", "'`curl`'", "'-v a[$(curl)]'", '--output=pwned', '-o', 'pwned', '-opwned', 'curl'],
  ...[
    '-exec',
    '\\;',
    '-delete',
    '-fprint',
    '--script-shell=./x',
    './x',
    '--upload-pack=./x',
    '-Ocurl',
    '-c',
    '-f',
    '-f-',
  ],
  ...["'1e curl'", "'w pwned'", 's/a/b/e', '\'BEGIN{system("curl")}\'', '\'{print > "pwned"}\'', '--eval=all:;curl'],
  ...[
    'SHELL=./x',
    '-Icurl',
    '--to-command=curl',
    '--checkpoint=1',
    '--checkpoint-action=exec=curl',
    'evil',
    '$@',
    '"$@"',
  ],
  ...['--ext-diff', '--open-files-in-pager=curl', '-C', '--compress-program=./x', '-S1', '-i', '--in-place', '-x', '+'],
];
const EXPANSIONS = [
  ...[
    '$x',
    '"$x"',
    '${x}',
    '"${x}"',
    '${x:-y}',
    '${x@P}',
    '"${x@P}"',
    '${!x}',
    '${x[0]}',
    '${x[$x]}',
    '${PWD:x}',
    '$((x))',
  ],
  ...[
    '$((1+1))',
    '$[x]',
    '${x:=y}',
    '${HOME:=src}',
    '${x/a/b}',
    '${x##*/}',
    '${#x}',
    '$?',
    '$#',
    '$1',
    "${x:-'$(curl)'}",
  ],
  ...[
    '"${x:-\'$(curl)\'}"',
    '${x:$y}',
    '${x:0:1}',
    '$((HOME=1))',
    "$'\\x24(curl)'",
    '$"a"',
    '{a,b}',
    '{-exec,curl,\\;}',
    '~',
  ],
  ...[
    '{a..c}',
    'a{b,c}',
    '${x^^}',
    '${x%.*}',
    '"$(cat <<\'E\'\nx\nE\n)"',
    '${@}',
    '"${@:1}"',
    '${x+y}',
    '${x?}',
    '$x$y',
    '-$x',
  ],
];
const PROGRAMS = [
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
    'timeout 2',
  ],
];
const OPTIONS: Record<string, string[]> = {
  sed: [
    '-n',
    '-e',
    'p',
    's/a/b/',
    "'s/a/b/g;p'",
    '1d',
    "'$d'",
    "'/a/p'",
    '-ne',
    '-s',
    "'s,a,b,'",
    "'1!d'",
    "'\\,a,p'",
    "'a x'",
    "'y/a/b/'",
  ],
  awk: [
    "'{print $1}'",
    "'$1 > 2'",
    '-F:',
    '-v',
    'x=1',
    "'/a|b/'",
    "'{print $1/2}'",
    "'{n=split($0,a,/,/);print a[1] > 1}'",
  ],
  find: [
    '.',
    '-name',
    "'*.ts'",
    '-type',
    'f',
    '-print',
    '-maxdepth',
    '1',
    '!',
    '\\(',
    '\\)',
    '{}',
    'wc',
    '-exec',
    '\\;',
  ],
  sort: ['-n', '-r', '-k2', '-u', '-t,', '--key=1'],
  tar: ['tf', '-tf', 'a.tar', '-v', 'cf', 'xf', '--list'],
  git: [
    '--stat',
    '-p',
    '--oneline',
    '-1',
    '--no-pager',
    '--',
    'HEAD',
    '-C',
    'src',
    '--name-only',
    '-Sx',
    '-n',
    '3',
    '-c',
  ],
  printf: ["'%s\\n'", "'%d\\n'", '%b', '-v', 'x', "'%n'", '%%'],
  make: ['all', '-n', '-s', '-j2', 'X=1'],
  xargs: ['-n1', '-I{}', '{}', '-0', 'wc', 'echo', 'ls', 'npm test', 'sh -c'],
  tee: ['out', 'out2', '-a', '/dev/null', '../pwned', '.git/config'],
  read: ['-r', 'x', 'y', 'HOME', '-p', '-a', '-d'],
  test: ['-f', '-n', '=', '!=', '-eq', '-v', '!', '-z', '-a', '-o', '1'],
  cd: ['src', '..', '.git', '-', '/', './src'],
  npm: ['--', '--silent', '-s', '--script-shell', '--prefix'],
};

export function makeCommand(random: Random): string {
  const command = random.chance(0.35) ? mutated(random) : statement(random, 0);
  // tee writes what it is told to: inside the folder that is no attack.
  return /\btee\b/.test(command) ? command.replace(/(?<!\/)pwned/g, 'out') : command;
}

function word(random: Random, depth: number, own: string[] = []): string {
  const { pick, chance, below } = random;
  if (own.length > 0 && chance(0.5)) return pick(own);
  const kind = below(10);
  if (kind < 4) return pick(PLAIN);
  if (kind < 6) return pick(EXPANSIONS);
  if (kind < 8) return pick(EVIL);
  if (kind === 8 && depth < 3)
    return `${pick(['$(', '"$(', '<(', '`'])}${simple(random, depth + 2)}`
      .replace(/^(\$\(|<\().*/s, '$&)')
      .replace(/^"\$\(.*/s, '$&)"')
      .replace(/^`.*/s, '$&`');
  return pick([`'${pick(PLAIN)}'`, `"${pick(PLAIN)} ${pick(EXPANSIONS).replaceAll('"', '')}"`, `a${pick(EXPANSIONS)}`]);
}

function simple(random: Random, depth: number): string {
  const { pick, chance, below } = random;
  const program = pick(PROGRAMS);
  const own = OPTIONS[program.split(' ')[0]!] ?? [];
  const words = Array.from({ length: below(5) }, () => word(random, depth, own));
  if (program === 'timeout 2' || (program === 'xargs' && chance(0.5)))
    words.unshift(pick(['ls', 'cat', 'npm test', 'sh']));
  const before = chance(0.06) ? `${pick(NAMES)}=${word(random, depth)} ` : '';
  return `${before}${[program, ...words].join(' ')}${chance(0.25) ? redirect(random, depth) : ''}`;
}

function redirect(random: Random, depth: number): string {
  const { pick } = random;
  return pick([
    () =>
      ` ${pick(['>', '>>', '2>', '&>', '>|'])} ${pick(['out', 'src/out', '/dev/null', '../pwned', '.git/config', '~/pwned', '"$x"', 'out$((x))'])}`,
    () => ' 2>&1',
    () => ` <<< ${word(random, depth)}`,
    () => ` < ${pick(['a', 'b.txt', 'src/a.ts', '/dev/null'])}`,
    () => ` {${pick(NAMES)}}>out`,
    () =>
      `${pick([" <<'E'", ' <<E', ' <<-E', ' <<"E"'])}\n${pick(['text', '$x', '$(curl)', '$((x))', '${x@P}', 'curl', '`ls`', '\\$(curl)'])}\nE\n`,
  ])();
}

function statement(random: Random, depth: number): string {
  const { pick, below } = random;
  if (depth > 2) return simple(random, depth);
  const inner = () => statement(random, depth + 1);
  const one = () => simple(random, depth + 1);
  return pick([
    one,
    one,
    () => `${one()} | ${one()}`,
    () => `${one()} ${pick([';', '&&', '||', '&'])} ${inner()}`,
    () =>
      `for ${pick(NAMES)} in ${Array.from({ length: 1 + below(2) }, () => word(random, depth)).join(' ')}; do ${inner()}; done`,
    () => `case ${word(random, depth)} in ${pick(['*', 'a', 'x*', '$x', '$((x))', '"$x"'])}) ${inner()};; esac`,
    () => `if ${condition(random, depth)}; then ${inner()}; fi`,
    () => `${condition(random, depth)} ${pick(['&&', '||'])} ${inner()}`,
    () => `${pick(NAMES)}${pick(['=', '=', '+='])}${word(random, depth)}${pick(['; ', '\n', ' && '])}${inner()}`,
    () => `${one()} | while read ${pick(['-r ', ''])}${pick(NAMES)}; do ${inner()}; done`,
    () => `{ ${inner()}; }${redirect(random, depth)}`,
    () => `(${inner()})${pick(['', redirect(random, depth)])}`,
    () => `${pick(['! ', 'set -e; ', ': ', 'true; ', '((x)); ', 'let x; ', 'export x=1; ', 'unset x; '])}${inner()}`,
    () => `${pick(['f', 'ls', 'echo'])}() { ${inner()}; }; ${one()}`,
  ])();
}

function condition(random: Random, depth: number): string {
  const { pick } = random;
  const operand = () => word(random, depth);
  return pick([
    () => `[ ${pick(['-f', '-n', '-v', '-z', '!', '-d'])} ${operand()} ]`,
    () => `[ ${operand()} ${pick(['=', '!=', '-eq', '-gt', '-nt', '-a'])} ${operand()} ]`,
    () => `[[ ${operand()} ${pick(['==', '-eq', '=~', '<', '-lt', '!='])} ${operand()} ]]`,
    () => `[[ ${pick(['-v', '-n', '-f', '!'])} ${operand()} ]]`,
    () => `test ${operand()} ${operand()}`,
    () => `[ ${operand()} ]`,
  ])();
}

const CORPUS = [
  ...[...R1, ...R1_ZSH, ...R2, ...R6, ...R6_MORE, ...R7, ...R8].flatMap(({ commands }) => commands),
  ...R13.map(([command]) => command),
  ...EVERYDAY.map(([command]) => command),
];

/** A known command with a few tokens changed, taken out, doubled, or exchanged with another one's. */
function mutated(random: Random): string {
  const { pick, chance, below } = random;
  const tokens = (text: string): string[] => text.match(/\s+|\w+|[^\w\s]/g) ?? [];
  let parts = tokens(pick(CORPUS));
  for (let round = 1 + below(3); round > 0; round -= 1) {
    const at = below(parts.length + 1);
    const change = below(6);
    if (change === 0) parts.splice(at, 1);
    else if (change === 1) parts.splice(at, 0, parts[at] ?? ' ');
    else if (change === 2) parts.splice(at, 1, ...tokens(pick([...EXPANSIONS, ...EVIL, ...PLAIN])));
    else if (change === 3) parts.splice(at, 0, ...tokens(pick([...EXPANSIONS, ...EVIL])));
    else if (change === 4) parts = [...parts.slice(0, at), ...tokens(pick(CORPUS)).slice(below(6))];
    else
      parts.splice(
        at,
        0,
        pick(['"', "'", '\\', ' ', '\n', ';', '$', '{', '}', '(', ')', '`', '<', '>', '|', '&', '#', '=']),
      );
  }
  // Programs that do not exist here would make most of them idle.
  const text = parts.join('');
  return chance(0.5) ? text.replace(/\b(ls|git|npm|sort)\b/, () => pick(PROGRAMS)) : text;
}
