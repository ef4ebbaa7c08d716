import { describe, expect, test } from 'vitest';
import { bash, run, verdict } from './policy.cases.js';

const ECHO = { allow: ['Bash(echo:*)', 'Bash(npm test:*)'] };

describe('R4: the call’s own working directory', () => {
  const KEYS = ['workdir', 'cwd', 'dir_path', 'directory', 'working_directory', 'workingDirectory', 'dir', 'chdir'];

  test.each(KEYS)('R4: %s elsewhere', (key) => {
    for (const tool of ['exec_command', 'shell', 'run_shell_command', 'Bash', 'execute']) {
      for (const folder of [
        '/elsewhere',
        '..',
        '../other',
        '/srv/app/../x',
        '/srv/application',
        '.git/hooks',
        '.git',
        '.claude',
      ]) {
        const input = { cmd: 'echo hi > x', [key]: folder };
        expect([folder, verdict(run(tool, input), ECHO)]).toEqual([folder, 'ask']);
        // What runs there is theirs, not what the rule was written for.
        expect([folder, verdict(run(tool, { command: 'npm test', [key]: folder }), ECHO)]).toEqual([folder, 'ask']);
      }
      for (const folder of ['/srv/app', '.', 'src', '/srv/app/src', '', null]) {
        expect([folder, verdict(run(tool, { cmd: 'echo hi > x', [key]: folder }), ECHO)]).toEqual([folder, 'allow']);
      }
    }
  });

  test('R4: paths count from there, also when they climb or lead to what decides', () => {
    const at = (workdir: string, cmd: string) => run('exec_command', { cmd, workdir });
    expect(verdict(at('src', 'echo hi > ../../x'), ECHO)).toBe('ask');
    expect(verdict(at('src', 'echo hi > ../x'), ECHO)).toBe('allow');
    expect(verdict(at('src', 'echo hi > ../.git/config'), ECHO)).toBe('ask');
    expect(verdict(at('.git', 'echo hi > config'), { allow: ['Bash'], deny: ['Edit(.git/**)'] })).toBe('deny');
    expect(verdict(at('secrets', 'cat < a'), { allow: ['Bash'], deny: ['Read(secrets/**)'] })).toBe('deny');
    expect(verdict(at('/elsewhere', 'echo hi > .git/config'), { allow: ['Bash'] })).toBe('ask');
  });

  test.each([
    { workdir: 7 },
    { workdir: ['/srv/app'] },
    { workdir: { path: '/srv/app' } },
    { workdir: '/srv/app', cwd: '/srv/app/src' },
    { workdir: '~/x' },
    { workdir: 'a'.repeat(5000) },
  ])('R4: where it works cannot be told: %j', (more) => {
    expect(verdict(run('exec_command', { cmd: 'echo hi > x', ...more }), ECHO)).toBe('ask');
    expect(
      verdict(run('exec_command', { cmd: 'echo hi > x', ...more }), { allow: ['Bash'], deny: ['Edit(.env)'] }),
    ).toBe('ask');
  });

  test('R4: paths of other tools are judged from both places', () => {
    const edit = (input: object) => verdict(run('Edit', input), { allow: ['Edit(src/**)'] });
    expect(edit({ file_path: 'src/a', cwd: '/elsewhere' })).toBe('ask');
    expect(edit({ file_path: 'src/a', cwd: '/srv/app' })).toBe('ask');
    expect(verdict(run('Read', { path: 'a', cwd: '/etc' }), {})).toBe('ask');
    expect(
      verdict(run('Edit', { file_path: 'config', directory: '.git' }), { deny: ['Edit(.git/**)'], allow: ['*'] }),
    ).toBe('deny');
  });
});

describe('R9: everything a call names is looked at', () => {
  test.each([
    ['Grep', { pattern: 'KEY' }],
    ['Grep', { pattern: 'KEY', path: '.' }],
    ['Grep', { pattern: 'KEY', path: 'src' }],
    ['Grep', { pattern: 'KEY', glob: '.env*' }],
    ['Grep', { pattern: 'KEY', glob: '*' }],
    ['Grep', { pattern: 'KEY', glob: '!x' }],
    ['Grep', { pattern: 'KEY', glob: '*.ts', include: '*' }],
    ['Glob', { pattern: '**/*' }],
    ['Glob', { pattern: '**/.e*' }],
    ['Glob', { pattern: '*', path: 'src' }],
    ['read_many_files', { paths: ['**'] }],
    ['read_many_files', { include: ['**/*'] }],
    ['read_many_files', { paths: ['.'] }],
    ['read_many_files', { paths: ['src/'] }],
    ['read_many_files', { include: '**' }],
    ['read_many_files', { paths: 'src' }],
    ['Read', { file_path: '.' }],
    ['view', { path: 'src/' }],
    ['Read', { file_path: '.e*' }],
    ['search_file_content', { pattern: 'KEY' }],
    ['list_directory', { dir_path: '.' }],
    ['search', { pattern: 'KEY', path: '.' }],
    ['search', {}],
    ['search', { title: 'looking' }],
    ['LS', { path: '.' }],
  ])('R9: deny Read(.env) against %s %j', (tool, input) => {
    expect(verdict(run(tool, input), { deny: ['Read(.env)'], allow: ['*', 'Read', 'Grep'] })).toBe('ask');
    expect(verdict(run(tool, input), { deny: ['Read(.env)'] })).toBe('ask');
    expect(verdict(run(tool, input), { deny: ['Read(.env)'] }, { trust: { value: 'full', source: 'flag' } })).toBe(
      'ask',
    );
  });

  test.each([
    ['Grep', { pattern: 'KEY', glob: '*.ts' }],
    ['Grep', { pattern: 'KEY', glob: '**/*.{ts,tsx}' }],
    ['Glob', { pattern: 'src/**/*.ts' }],
    ['read_many_files', { include: ['src/**/*.ts'] }],
    ['Read', { file_path: 'src/a.ts' }],
    ['read_many_files', { include: ['src/**/*.ts'], exclude: ['.env', '**/*.env'] }],
  ])('R9: what certainly opens no .env is not asked about: %s %j', (tool, input) => {
    expect(verdict(run(tool, input), { deny: ['Read(.env)'] })).toBe('allow');
  });

  test('R9: a denied folder, from above, beside and below', () => {
    const grep = (path: string) => verdict(run('Grep', { pattern: 'x', path }), { deny: ['Read(secrets/**)'] });
    expect([grep('.'), grep('src'), grep('secrets'), grep('secrets/a')]).toEqual(['ask', 'allow', 'deny', 'deny']);
    expect(verdict(run('Grep', { pattern: 'x', path: '/' }), { deny: ['Read(~/.ssh/**)'], allow: ['Grep'] })).toBe(
      'ask',
    );
  });

  test('R9: an ACP search without a place is not on the read-only list', () => {
    expect(verdict(run('search', {}), {})).toBe('ask');
    expect(verdict(run('search', { pattern: 'x' }), {})).toBe('ask');
    expect(verdict(run('search', { path: 'src' }), {})).toBe('allow');
    expect(verdict(run('search', { title: 'x', locations: ['src'] }), {})).toBe('ask');
    expect(verdict(run('Grep', { pattern: 'x', where: '/etc' }), {})).toBe('ask');
  });

  test('R9: command and cmd are both judged', () => {
    const both = (input: object, texts = {}) => verdict(run('shell', input), { allow: ['Bash(echo:*)'], ...texts });
    expect(both({ command: 'echo a', cmd: 'rm -rf ~' })).toBe('ask');
    expect(both({ cmd: 'rm -rf ~', command: 'echo a' })).toBe('ask');
    expect(both({ command: 'echo a', cmd: 'git push' }, { deny: ['Bash(git push:*)'] })).toBe('deny');
    expect(both({ command: 'echo a', script: ['rm', 'x'] })).toBe('ask');
    expect(both({ command: 'echo a', cmd: 7 })).toBe('ask');
    expect(both({ command: 'echo a', cmd: 'echo a' })).toBe('allow');
    expect(both({ command: 'echo a', cmd: 'echo b' })).toBe('allow');
  });

  test.each([
    { env: { PATH: '/tmp' } },
    { environment: ['LD_PRELOAD=x'] },
    { args: ['x'] },
    { stdin: 'rm x' },
    { shell: '/tmp/evil' },
    { executable: 'x' },
    { user: 'root' },
  ])('R9: a field that may change what runs is asked about: %j', (more) => {
    expect(verdict(run('shell', { command: 'echo a', ...more }), { allow: ['Bash(echo:*)', 'Bash'] })).toBe('ask');
    expect(
      verdict(run('Bash', { command: 'echo a', description: 'x', timeout: 5, run_in_background: true }), ECHO),
    ).toBe('allow');
  });

  test.each(['destination', 'new_path', 'old_path', 'source', 'target_file', 'newPath', 'to', 'output_file', 'where'])(
    'R9: %s is looked at',
    (key) => {
      const input = { path: 'src/a', [key]: '.git/config' };
      expect(verdict(run('move', input), { allow: ['Edit(src/**)'] })).toBe('ask');
      expect(verdict(run('move', input), { allow: ['*'], deny: ['Edit(.git/**)'] })).toBe('deny');
    },
  );

  test.each([
    { paths: ['src/a', '.git/config'] },
    { files: [{ name: 'x', path: '.git/config' }], path: 'src/a' },
    { edits: [{ path: 'src/a' }, { path: '.git/config' }] },
    { file_path: { uri: 'file:///srv/app/.git/config' } },
    { file_path: 'src/a', options: { also: { more: { target: '.git/config' } } } },
    { changes: { 'src/a': {}, '.git/config': {} } },
    { file_path: 'file:///srv/app/%2egit/config' },
  ])('R9: nested: %j', (input) => {
    expect(verdict(run('Edit', input), { allow: ['Edit(**)'] })).toBe('ask');
    expect(verdict(run('Edit', input), { allow: ['*'], deny: ['Edit(.git/**)'] })).toBe('deny');
  });

  test('R9: too deep or too much to be looked at is asked about', () => {
    let deep: object = { path: '.git/config' };
    for (let level = 0; level < 10; level += 1) deep = { more: deep };
    const many = { paths: Array.from({ length: 5000 }, (_, index) => `src/${index}`) };
    for (const input of [{ file_path: 'src/a', ...deep }, many]) {
      expect(verdict(run('Edit', input), { allow: ['Edit(src/**)', 'Edit'] })).toBe('ask');
      expect(verdict(run('Edit', input), { allow: ['Edit(src/**)', '*'], deny: ['Edit(.git/**)'] })).toBe('ask');
    }
  });

  test('R9: a tool nobody knows: its paths can forbid, and what decides is not covered by its name', () => {
    expect(verdict(run('mcp__fs__write', { path: '.git/config' }), { allow: ['mcp__fs'] })).toBe('ask');
    expect(verdict(run('mcp__fs__write', { anything: ['CLAUDE.md'] }), { allow: ['mcp__fs__*'] })).toBe('ask');
    expect(verdict(run('mcp__fs__write', { path: 'src/a' }), { allow: ['mcp__fs'] })).toBe('allow');
    expect(verdict(run('mcp__fs__read', { path: '.env' }), { allow: ['mcp__fs'], deny: ['Read(.env)'] })).toBe('ask');
    expect(verdict(run('mcp__git__clone', { url: 'https://x.y/a.git' }), { allow: ['mcp__git'] })).toBe('allow');
  });

  test.each([
    '*** Begin Patch\n*** Update File: src/a\n@@\n-x\n+y\n *** Add File: .git/config\n+x\n*** End Patch',
    '*** Begin Patch\n  *** Add File: .git/config\n+x\n*** End Patch',
    '*** Begin Patch\n\t*** Update File:.git/config  \n@@\n+x\n*** End Patch',
    '*** Begin Patch\n*** Update File: src/a\n*** Move to: .git/config\n*** End Patch',
    '*** begin patch\r\n***  update  file :  .git/config\r\n+x\r\n*** end patch',
    '***Begin Patch\n*** Begin Patch\n***Add File: .git/config\n+x\n*** End Patch',
  ])('R9: a patch, however its headers are written: %j', (input) => {
    expect(verdict(run('apply_patch', { input }), { allow: ['Edit(src/**)'] })).toBe('ask');
    expect(verdict(run('apply_patch', { input }), { allow: ['*'], deny: ['Edit(.git/**)'] })).toBe('deny');
    const shell = `apply_patch <<'EOF'\n${input.replaceAll('\r', '')}\nEOF`;
    expect(['ask', 'deny']).toContain(verdict(bash(shell), { allow: ['Bash'], deny: ['Edit(.git/**)'] }));
  });

  test('R9: a patch that is not wholly understood is asked about, one that is counts', () => {
    const patch = (body: string) => run('apply_patch', { input: `*** Begin Patch\n${body}\n*** End Patch` });
    expect(
      verdict(patch('*** Update File: src/a\n@@ x\n-a\n+b\n c\n*** End of File'), { allow: ['Edit(src/**)'] }),
    ).toBe('allow');
    expect(verdict(patch('*** Update File: src/a\n@@\nodd line'), { allow: ['Edit(src/**)'] })).toBe('ask');
    expect(verdict(patch('*** Update File: src/a\n*** Frobnicate: x'), { allow: ['Edit(src/**)', 'Edit'] })).toBe(
      'ask',
    );
  });

  test('R9: deny Edit(.git/**) against a change of directory', () => {
    const texts = { allow: ['Bash'], deny: ['Edit(.git/**)'] };
    expect(verdict(bash('cd .git && echo x > config'), texts)).not.toBe('allow');
    expect(verdict(bash('pushd .git; echo x > config'), texts)).not.toBe('allow');
    expect(verdict(bash('(cd .git; cd hooks; echo x >> pre-commit)'), texts)).not.toBe('allow');
    expect(verdict(bash('cd .git && echo x > config'), { allow: ['Bash(cd:*)', 'Bash(echo:*)'] })).toBe('ask');
  });

  test('R4: in a loop each round goes on from where the last one went', () => {
    const rules = { allow: ['Bash'], deny: ['Edit(a/a/**)', 'Read(a/a/**)'] };
    for (const text of [
      'for i in 1 2; do cd a; done; echo x > secret',
      'while cd a; do echo x > secret; done',
      'until cd a && cat < secret; do true; done',
      'for i in 1 2; do if true; then (cd a; cat < secret); cd a; fi; done; cat < secret',
    ]) {
      expect([text, verdict(bash(text), rules)]).toEqual([text, 'ask']);
    }
    expect(verdict(bash('cd a && cd a && echo x > secret'), rules)).toBe('deny');
    expect(verdict(bash('cd a && echo x > secret'), rules)).toBe('allow');
    expect(verdict(bash('for i in 1 2; do cd /srv/app/a && echo x > secret; done'), rules)).toBe('allow');
  });
});

describe('R9: every address of a call is judged, under whatever key', () => {
  const rules = { allow: ['WebFetch(domain:example.com)'] };
  const good = 'https://example.com/a';
  test.each([
    { url: good, URL: 'https://evil.org' },
    { url: good, href: 'https://evil.org' },
    { uri: good, address: 'https://evil.org' },
    { url: good, redirect: 'https://evil.org' },
    { url: good, proxy: 'http://evil.org:8080' },
    { url: good, options: { base: 'ftp://evil.org' } },
    { url: good, mirrors: ['https://evil.org'] },
    { url: good, Uri: 'evil.org/x' },
    { url: good, link: { url: 'https://evil.org' } },
    { url: good, more: { a: { b: { c: { d: { e: { f: { g: { h: 'https://evil.org' } } } } } } } } },
  ])('%j', (input) => {
    expect(verdict(run('WebFetch', input), rules)).toBe('ask');
    expect(verdict(run('WebFetch', input), { allow: ['WebFetch'], deny: ['WebFetch(domain:evil.org)'] })).not.toBe(
      'allow',
    );
  });

  test('what is said about the page is no address', () => {
    expect(verdict(run('WebFetch', { url: good, prompt: 'compare with https://evil.org' }), rules)).toBe('allow');
    expect(verdict(run('WebFetch', { url: good, format: 'markdown', timeout: 5 }), rules)).toBe('allow');
    expect(verdict(run('web_fetch', { prompt: `read ${good} and https://evil.org` }), rules)).toBe('ask');
  });
});
