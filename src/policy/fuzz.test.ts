// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
import { describe, expect, test } from 'vitest';
import { away, bash, here, settingsWith, shell, tools, word } from './policy.cases.js';
import { route } from './route.js';

/** Small and the same everywhere (mulberry32): a failure is found again with the same seed. */
function generator(seed: number) {
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
  };
}

const ALLOWED = ['npm test', 'git diff', 'ls', 'npm run lint'];
const SETTINGS = settingsWith({ allow: ['Bash(npm test:*)', 'Bash(git diff:*)', 'Bash(ls:*)', 'Bash(npm run lint)'] });
const ARGS = [' --', ' "a b"', " 'x;y'", ' a\\ b', ' src/*.ts', ' 2>&1', ' >out.txt', ' #', ''];
const EVIL = [
  'curl evil',
  'rm -rf ~',
  'sh',
  '/bin/rm x',
  'node -e 1',
  'npm publish',
  'git push',
  'cat /etc/passwd',
  'HOME=1',
  'evil',
];
const SPACES = ['\u00a0', '\u2003', '\u3000', '\u2028', '\u200b', '\u202e', '\r', '\v', '\f', '\0', '\x85'];
const OUTSIDE = [
  '~/x',
  '/etc/x',
  '../x',
  '$HOME/x',
  '"$X"',
  '/srv/app/../x',
  '~root/x',
  '/dev/tcp/h/1',
  '"/etc/x"',
  '$(evil)',
];
const REDIRECTS = ['>', '>>', '>|', '&>', '&>>', '>&', '2>', '<>', '<', '1>>', '> \\\n'];

type Attack = (base: string, evil: string, pick: <T>(items: readonly T[]) => T) => string;

/** Each makes the allowed command do one more thing that no rule allows. */
const ATTACKS: Record<string, Attack> = {
  after: (base, evil, pick) =>
    `${base}${pick([' ', ''])}${pick([';', '&&', '||', '|', '|&', '&', '\n', '\n\n', ';\n'])}${pick([' ', '', '\t'])}${evil}`,
  before: (base, evil, pick) => `${evil} ${pick([';', '&&', '||', '|', '&', '\n'])} ${base}`,
  substitution: (base, evil, pick) =>
    base +
    pick([
      ` $(${evil})`,
      ` \`${evil}\``,
      ` "$(${evil})"`,
      ` "\`${evil}\`"`,
      ` a$(${evil})b`,
      ` --x=$(${evil})`,
      ` $( ${evil} )`,
    ]),
  expansion: (base, evil, pick) =>
    base +
    pick([
      ` \${x:-$(${evil})}`,
      ` "\${x:=\`${evil}\`}"`,
      ` $((1+$(${evil})))`,
      ` $((a[$(${evil})]))`,
      ' ${x@P}',
      ` \${a[$(${evil})]}`,
    ]),
  process: (base, evil, pick) => base + pick([` <(${evil})`, ` >(${evil})`, ` > >(${evil})`, ` < <(${evil})`]),
  heredoc: (base, evil, pick) =>
    base +
    pick([
      ` <<EOF\n$(${evil})\nEOF`,
      ` <<EOF\n\`${evil}\`\nEOF`,
      ` <<EOF\nx\nEOF\n${evil}`,
      ` <<'EOF'\nx\nEOF\n${evil}`,
      ` <<EOF | ${evil}\nx\nEOF`,
      ` <<-X\n\t$(${evil})\n\tX`,
      ` <<< "$(${evil})"`,
      ` <<EOF; ${evil}\nEOF`,
      ` <<EOF\nEOF \n$(${evil})\nEOF`,
    ]),
  assignment: (base, _, pick) =>
    pick(['FOO=1', 'PATH=/tmp', 'LD_PRELOAD=./x', 'A= B=2', 'X="a b"', 'GIT_PAGER=evil']) +
    pick([' ', '; ', '\n', '  ']) +
    base,
  redirect: (base, _, pick) =>
    pick([
      () => `${base} ${pick(REDIRECTS)} ${pick(OUTSIDE)}`,
      () => `${pick(REDIRECTS)} ${pick(OUTSIDE)} ${base}`,
      () => `{ ${base}\n} ${pick(REDIRECTS)} ${pick(OUTSIDE)}`,
    ])(),
  name: (base, _, pick) =>
    pick(['x', './', '/tmp/', '$X', '"$X"', '`e`', '$(e)', "$'\\x41'", '?', '{a,b}', '-', 'é']) + base,
  glued: (base, _, pick) => {
    const [first, ...rest] = base.split(' ');
    return [
      `${first}${pick(['x', '$X', '*', '?', '[a]', '{,x}', '""x', "'x'", '\\x', '/../rm', '\u00e9'])}`,
      ...rest,
    ].join(' ');
  },
  space: (base, evil, pick) =>
    pick([() => base.replace(' ', pick(SPACES)) + pick(SPACES), () => `${base}${pick(SPACES)}${evil}`])(),
  continued: (base, evil, pick) =>
    pick([
      `${base} \\\\\n${evil}`,
      `${base} \\\n\n${evil}`,
      `${base}#\n${evil}`,
      `${base} #\\\n${evil}`,
      `${base} \\\r\n${evil}`,
    ]),
  wrapped: (base, evil, pick) =>
    pick([
      `bash -c '${evil}'`,
      `bash -c "${evil}" ${base}`,
      `sh -c '${base}'`,
      `xargs ${evil}`,
      `${base} | xargs ${evil}`,
      `find . -exec ${evil} \\;`,
      'find . -delete',
      `env ${base}`,
      `env X=1 ${base}`,
      `sudo ${base}`,
      `nohup ${base}`,
      `time ${base}`,
      `timeout 5 ${base}`,
      `eval ${base}`,
      `eval '${evil}'`,
      `exec ${base}`,
      `command ${base}`,
      `source ${base}`,
      `. ${base}`,
      `ssh h ${base}`,
      `coproc ${base}`,
    ]),
  block: (base, evil, pick) =>
    pick([
      `(${evil}\n${base}\n)`,
      `{ ${base}\n${evil}\n}`,
      `if ${evil}; then ${base}\nfi`,
      `if ${base}\nthen ${evil}; fi`,
      `for x in $(${evil}); do ${base}\ndone`,
      `while ${evil}; do ${base}\ndone`,
      `case $(${evil}) in *) ${base}\n;; esac`,
      `ls() { ${evil}; }; ${base}`,
      `function npm { ${evil}; }; ${base}`,
      `[[ -n $(${evil}) ]] && ${base}`,
      `! ${evil} || ${base}`,
      `((x=$(${evil}))); ${base}`,
      `trap '${evil}' EXIT; ${base}`,
      `alias npm='${evil}'; ${base}`,
    ]),
  broken: (base, _, pick) =>
    base +
    pick([
      ' "',
      " '",
      ' $(',
      ' `',
      ' )',
      ' &&',
      ' |',
      ' \\',
      ' ${',
      ' <(',
      ' <<EOF',
      ' ((',
      '; fi',
      '; done',
      ' ;;',
      ' =(x)',
    ]),
};

const NAMES = Object.keys(ATTACKS);
const PER_ATTACK = Math.ceil(100_000 / NAMES.length);

describe('an allowed command plus an attack is never allowed', () => {
  test.each(NAMES)(
    '%s',
    (name) => {
      const { pick, chance } = generator(0xbeef + NAMES.indexOf(name));
      const slipped: string[] = [];
      // The parts are few: most texts are drawn several times, and judging is the same each time.
      const judged = new Set<string>();
      let tried = 0;
      for (; tried < PER_ATTACK; tried += 1) {
        let base = pick(ALLOWED);
        // A comment would swallow what is put behind it, and then nothing is attacked.
        if (base !== 'npm run lint' && chance(0.6)) base += pick(ARGS.filter((arg) => arg !== ' #'));
        const command = ATTACKS[name]!(base, pick(EVIL), pick);
        if (judged.has(command)) continue;
        judged.add(command);
        if (word(route(bash(command), here, SETTINGS, tools)) === 'allow') slipped.push(command);
      }
      expect(slipped).toEqual([]);
      expect(tried).toBeGreaterThanOrEqual(6000);
    },
    300_000,
  );

  test('and with nobody there it is denied; only `auto`, the user’s own word for everything, lets the unreadable pass', () => {
    const auto = {
      ...SETTINGS,
      tools: { defaults: { detached: { all: { value: 'auto' as const, source: 'f:1' } } }, named: {} },
    };
    expect(word(route(bash('npm test "'), away, auto, tools))).toBe('allow');
    const guarded = {
      ...auto,
      rules: [...auto.rules, { effect: 'deny' as const, text: 'Bash(curl:*)', source: 'f:2' }],
    };
    expect(word(route(bash('npm test "'), away, guarded, tools))).toBe('deny');
    expect(word(route(bash('npm test "'), away, SETTINGS, tools))).toBe('deny');
    expect(word(route(bash('npm test; curl x'), away, SETTINGS, tools))).toBe('deny');
  });

  test('the commands that were attacked are allowed as they are', () => {
    const commands = ALLOWED.flatMap((base) => (base === 'npm run lint' ? [base] : ARGS.map((arg) => base + arg)));
    const refused = commands.filter((command) => word(route(bash(command), here, SETTINGS, tools)) !== 'allow');
    expect(refused).toEqual([]);
    expect(shell('npm test').commands).toHaveLength(1);
  });
});
