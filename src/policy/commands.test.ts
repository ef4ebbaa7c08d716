import { describe, expect, test } from 'vitest';
import { bash, run, verdict } from './policy.cases.js';

const NPM_TEST = { allow: ['Bash(npm test:*)'] };

describe('other shapes of rules', () => {
  test.each([
    ['Bash(npm test *)', 'npm test', 'allow'],
    ['Bash(npm test *)', 'npm test a b', 'allow'],
    ['Bash(npm test *)', 'npm testx', 'ask'],
    ['Bash(git diff)', 'git diff', 'allow'],
    ['Bash(git diff)', 'git diff --stat', 'ask'],
    ['Bash(ls*)', 'lsof -i', 'allow'],
    ['Bash(ls*)', 'als', 'ask'],
    ['Bash(git * main)', 'git push origin main', 'allow'],
    ['Bash(git * main)', 'git main', 'ask'],
    ['Bash(git * main)', 'git push main; rm x', 'ask'],
    ['Bash(git log --format=*)', 'git log --format=%h --all', 'allow'],
    ["Bash(echo 'a b')", 'echo "a b"', 'allow'],
    ["Bash(echo 'a b')", 'echo a b', 'ask'],
    ["Bash(echo '*')", 'echo "*"', 'allow'],
    ["Bash(echo '*')", 'echo x', 'ask'],
    ['Bash(FOO=1 npm test:*)', 'FOO=1 npm test', 'allow'],
    ['Bash(FOO=1 npm test:*)', 'FOO=2 npm test', 'ask'],
    ['Bash(FOO=1 npm test:*)', 'npm test', 'ask'],
    ['Bash', 'curl x | sh > /etc/x', 'allow'],
    ['Bash(*)', 'FOO=1 eval "$x"', 'allow'],
    ['Bash', 'curl "', 'ask'],
    ['*', 'curl x', 'allow'],
    ['Bash(git log:*)', "git -c core.pager='!rm x' log", 'ask'],
    ['Bash(git:*)', "git -c core.pager='!rm x' log", 'ask'],
    ['Bash(git -c color.ui=never log:*)', 'git -c color.ui=never log -3', 'allow'],
    ['Bash(awk:*)', `awk '{print $1}' a.txt`, 'allow'],
    ['Bash(awk:*)', `awk 'BEGIN{system("rm x")}'`, 'ask'],
    ['Bash(git -c color.ui=never log:*)', 'git -c color.ui=never log --output=x', 'ask'],
    ['Bash(git -c color.ui=never log:*)', 'git -c color.ui=always log', 'ask'],
    ['Bash(* test)', 'PATH=./evil npm test', 'ask'],
    ['Bash(sed:*)', 'sed -n 1,5p a.txt', 'allow'],
    ['Bash(sed:*)', 'sed s/a/where/g a.txt', 'allow'],
    ['Bash(sed:*)', "sed '1e rm x' a.txt", 'ask'],
    ['Bash(sed:*)', 'sed s/a/b/e a.txt', 'ask'],
    ['Bash(tar:*)', 'tar xf a.tar --to-command=sh', 'ask'],
  ])('%s on %j: %s', (rule, command, expected) => {
    expect(verdict(bash(command), { allow: [rule] })).toBe(expected);
  });
});

test('a command that changes directory redirects only to absolute places inside the working directory', () => {
  const rules = { allow: ['Bash(cd:*)', 'Bash(npm test:*)'] };
  expect(verdict(bash('cd src && npm test'), rules)).toBe('allow');
  expect(verdict(bash('cd src && npm test > /srv/app/out'), rules)).toBe('allow');
  expect(verdict(bash('cd src && npm test > out'), rules)).toBe('allow');
  expect(verdict(bash('cd src && npm test > ../../out'), rules)).toBe('ask');
  expect(verdict(bash('cd .. && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd src && cd ../.. && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd - && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd /tmp/x && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd /tmp/x && npm test'), { allow: ['Bash(cd /tmp/x)', 'Bash(npm test:*)'] })).toBe('allow');
  expect(verdict(bash('cd .git && npm test'), rules)).toBe('ask');
  expect(verdict(bash('cd .git && echo x > config'), { deny: ['Edit(.git/**)'], allow: ['Bash'] })).toBe('deny');
  expect(verdict(bash('cd /etc && npm test > passwd'), rules)).toBe('ask');
  expect(verdict(bash('(cd /etc; npm test) > passwd'), rules)).toBe('ask');
});

describe('a wrapper is allowed only with what it runs', () => {
  const both = (wrapper: string) => ({ allow: [`Bash(${wrapper}:*)`, 'Bash(npm test:*)'] });
  test.each([
    ['sudo', 'sudo npm test', 'sudo rm x'],
    ['sudo', 'sudo -u me npm test', 'sudo -u npm rm x'],
    ['sudo', 'sudo -n -- npm test', 'sudo --unknown npm test'],
    ['env', 'env -u X npm test', 'env X=1 npm test'],
    ['env', 'env npm test', "env -S 'rm x'"],
    ['nohup', 'nohup npm test', 'nohup rm x'],
    ['time', 'time -p npm test', 'time rm x'],
    ['timeout', 'timeout -k 5 10s npm test', 'timeout 10s rm x'],
    ['nice', 'nice -n 5 npm test', 'nice rm x'],
    ['command', 'command npm test', 'command rm x'],
    ['command', 'command -v rm', 'command -p rm x'],
    ['exec', 'exec npm test', 'exec rm x'],
    ['eval', 'eval "npm test"', 'eval "npm test; rm x"'],
    ['eval', 'eval npm test', 'eval $X'],
    ['bash', "bash -c 'npm test && npm test'", "bash -c 'npm test && rm x'"],
    ['bash', 'bash scripts/ci.sh', 'bash -s'],
    ['bash', 'bash -lc "npm test"', 'bash -c "$X"'],
    ['bash', 'bash -c \'bash -c "npm test"\'', 'bash -c \'bash -c "rm x"\''],
    ['bash', 'bash -x scripts/ci.sh', 'bash'],
    ['bash', "bash -ec 'npm test'", "bash -c -x 'rm x'"],
    ['find', 'find . -name "*.ts" -exec npm test {} \\;', 'find . -exec rm {} +'],
    ['find', 'find . -name x -type f', 'find . -name x -delete'],
    ['find', 'find . -exec npm test {} +', 'find . -fprint /etc/x'],
    ['ssh', 'ssh host npm test', 'ssh host rm x'],
    ['ssh', 'ssh -p 22 host "npm test"', 'ssh -o ProxyCommand=x host npm test'],
    ['trap', "trap 'npm test' EXIT", "trap 'rm x' EXIT"],
    ['flock', "flock x -c 'npm test'", "flock x -c 'rm x'"],
    ['busybox', 'busybox npm test', 'busybox rm x'],
  ])('%s: %j but not %j', (wrapper, good, bad) => {
    expect([good, verdict(bash(good), both(wrapper))]).toEqual([good, 'allow']);
    expect([bad, verdict(bash(bad), both(wrapper))]).toEqual([bad, 'ask']);
    expect(verdict(bash(good), NPM_TEST)).toBe('ask');
  });

  test('words that come in on the input are given only to programs that can neither run nor write', () => {
    const rules = { allow: ['xargs', 'fd', 'npm test', 'wc', 'sh', 'git status'].map((name) => `Bash(${name}:*)`) };
    for (const good of ['xargs wc -l', 'xargs -n 1 -P4 wc', 'xargs -I {} wc {}', 'git status | xargs -0 wc']) {
      expect([good, verdict(bash(good), rules)]).toEqual([good, 'allow']);
    }
    const bad = [
      'xargs rm',
      'xargs npm test',
      'xargs -I{} {} x',
      'xargs -I {} sh -c {}',
      'xargs -a x wc',
      'fd -x npm test',
    ];
    for (const one of bad) expect([one, verdict(bash(one), rules)]).toEqual([one, 'ask']);
  });

  test('a rule that goes on into the command inside answers for it', () => {
    const rules = { allow: ['Bash(npx eslint:*)', 'Bash(timeout 60 npm test:*)', 'Bash(uv run pytest:*)'] };
    for (const good of [
      'npx eslint src',
      'timeout 60 npm test -- x',
      'uv run pytest -q',
      'npx eslint --fix src/*.ts',
    ]) {
      expect([good, verdict(bash(good), rules)]).toEqual([good, 'allow']);
    }
    for (const bad of [
      'npx evil',
      'npx eslint -c x',
      'timeout 60 npm run x',
      'uv run pytest -p x',
      'uv run evil',
      'npx -p evil eslint',
    ]) {
      expect([bad, verdict(bash(bad), rules)]).toEqual([bad, 'ask']);
    }
  });

  test('the exact text of a wrapper may be allowed as a whole', () => {
    expect(verdict(bash("bash -c 'rm x'"), { allow: ["Bash(bash -c 'rm x')"] })).toBe('allow');
    expect(verdict(bash("bash -c 'rm y'"), { allow: ["Bash(bash -c 'rm x')"] })).toBe('ask');
  });

  test('how an agent carries its commands is not a wrapper, the same text under the name Bash is', () => {
    const carried = "/bin/bash -lc 'npm test'";
    expect(verdict(run('commandExecution', { command: carried }), NPM_TEST)).toBe('allow');
    expect(verdict(run('shell', { command: ['bash', '-lc', 'npm test'] }), NPM_TEST)).toBe('allow');
    expect(verdict(run('shell', { command: ['npm', 'test', '; rm x'] }), NPM_TEST)).toBe('allow');
    expect(verdict(run('shell', { command: ['bash', '-lc', 'npm test; rm x'] }), NPM_TEST)).toBe('ask');
    expect(verdict(run('Bash', { command: carried }), NPM_TEST)).toBe('ask');
  });
});

describe('what a deny rule for a command forbids', () => {
  const NO_RM = { deny: ['Bash(rm:*)'], allow: ['Bash'] };
  test.each([
    'rm x',
    '/bin/rm x',
    '../../bin/rm x',
    '\\rm x',
    "r'm' x",
    "$'\\x72m' x",
    'RM x',
    'FOO=1 rm x',
    'ls; rm x',
    'ls | rm',
    'ls $(rm x)',
    'ls "`rm x`"',
    'ls <<EOF\n$(rm x)\nEOF',
    'ls <(rm x)',
    '(rm x)',
    'f() { rm x; }',
    'if true; then rm x; fi',
    'sudo rm x',
    'sudo --odd rm x',
    'env X=1 rm x',
    "env -S 'rm x'",
    'nohup nice -n 3 rm x',
    'timeout 5 rm x',
    'xargs rm',
    'find . -exec rm {} \\;',
    "bash -c 'ls; rm x'",
    "bash -c -x 'rm x'",
    "sudo bash -lc 'rm x'",
    'eval "rm x"',
    'eval rm x',
    'ssh host rm x',
    'watch rm x',
    'busybox rm x',
    'command rm x',
    'rm x "unfinished',
    'rm x\u00a0y',
    '[[ -n $(rm x) ]]',
    'echo $((1+$(rm x)))',
    'x=$(rm y)',
    'export X=$(rm y)',
  ])('%j is denied', (command) => {
    expect(verdict(bash(command), NO_RM)).toBe('deny');
    expect(verdict(bash(command), NO_RM, { trust: { value: 'full', source: 'flag' } })).toBe('deny');
  });

  test.each(['$X y', '$(echo rm) x', 'r? x', 'eval "$X"', 'bash -c "$X"', 'curl x | bash', 'ls "'])(
    '%j cannot be ruled out: asked, even when everything is allowed',
    (command) => {
      expect(verdict(bash(command), NO_RM)).toBe('ask');
      expect(verdict(bash(command), NO_RM, { trust: { value: 'full', source: 'flag' } })).toBe('ask');
    },
  );

  test.each(['ls', 'npm test', 'echo rm', 'git rm x', 'perform x', 'ls rm', 'ls $X'])('%j is not', (command) => {
    expect(verdict(bash(command), NO_RM)).toBe('allow');
  });

  test.each([
    ['Bash(rm -rf:*)', 'rm -fr x', 'deny'],
    ['Bash(rm -rf:*)', 'rm -r -f x', 'deny'],
    ['Bash(rm -rf:*)', 'rm x -rvf', 'deny'],
    ['Bash(rm -rf:*)', 'rm -r x', 'allow'],
    ['Bash(rm -rf:*)', 'rm $X', 'ask'],
    ['Bash(git push:*)', 'git -C /x push origin', 'deny'],
    ['Bash(git push:*)', 'git --no-pager push', 'deny'],
    ['Bash(git push:*)', 'git log push', 'allow'],
    ['Bash(git push:*)', 'git $X', 'ask'],
    ['Bash(git push:*)', 'git log $X', 'allow'],
    ['Bash(git push --force:*)', 'git push origin --force', 'deny'],
    ['Bash(git push --force:*)', 'git push origin', 'allow'],
    ['Bash(git push)', 'git push -f', 'deny'],
    ['Bash(git push)', 'git push origin', 'allow'],
    ['Bash(npm * evil)', 'npm install evil', 'deny'],
    ['Bash(curl*)', 'curl7 x', 'deny'],
  ])('%s on %j: %s', (rule, command, expected) => {
    expect(verdict(bash(command), { deny: [rule], allow: ['Bash'] })).toBe(expected);
  });

  test('a redirection is a way to write or read a forbidden path', () => {
    const rules = { deny: ['Edit(secrets/**)', 'Read(.env)'], allow: ['Bash'] };
    expect(verdict(bash('echo x > secrets/a'), rules)).toBe('deny');
    expect(verdict(bash('echo x > "$F"'), rules)).toBe('ask');
    expect(verdict(bash('wc < sub/.env'), rules)).toBe('deny');
    expect(verdict(bash('echo x > src/a'), rules)).toBe('allow');
  });
});
