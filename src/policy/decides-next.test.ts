import { describe, expect, test } from 'vitest';
import { makeResolver } from './paths.js';
import { bash, here, run, settingsWith, shell, verdict, word } from './policy.cases.js';
import { route } from './route.js';

const edit = (path: string) => run('Edit', { file_path: path });

const DECIDING = [
  '.git/config',
  '.git/hooks/pre-commit',
  'sub/.git/config',
  '.git',
  '.GIT/config',
  '.git./config',
  '.g\u200cit/config',
  'x/../.git/config',
  './/.git//config',
  'vendor/lib.git/hooks/post-receive',
  '.gitmodules',
  '.gitattributes',
  'reins.yml',
  'ralph.yml',
  'Reins.yml',
  '.reins/decisions.jsonl',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/skills/x/SKILL.md',
  'CLAUDE.md',
  'docs/CLAUDE.md',
  'claude.md',
  '.mcp.json',
  '.codex/config.toml',
  'AGENTS.md',
  '.gemini/settings.json',
  'GEMINI.md',
  '.kiro/settings/mcp.json',
  '.cursor/rules/x.mdc',
  'opencode.json',
  '.qwen/settings.json',
  '.github/copilot-instructions.md',
  '.github/workflows/ci.yml',
  '.github',
  '.husky/pre-commit',
  '.githooks/pre-push',
  '.envrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.vscode/tasks.json',
  '.pre-commit-config.yaml',
  '.bashrc',
  ...[
    '.overcommit.yml',
    '.simple-git-hooks.json',
    'bitbucket-pipelines.yml',
    '.drone.yml',
    '.buildkite/pipeline.yml',
    '.woodpecker.yml',
  ],
  ...[
    '.forgejo/workflows/a.yml',
    '.gitea/workflows/a.yml',
    'cloudbuild.yaml',
    'buildspec.yml',
    'appveyor.yml',
    '.semaphore/semaphore.yml',
  ],
  ...[
    'WARP.md',
    '.warp/x.md',
    '.kilocode/rules/x.md',
    '.kilocodemodes',
    '.openhands/setup.sh',
    '.rules',
    '.roomodes',
    '.vibe/config.toml',
  ],
  ...[
    '.irbrc',
    '.pryrc',
    '.Rprofile',
    '.psqlrc',
    '.sqliterc',
    '.ackrc',
    '.emacs',
    '.emacs.d/init.el',
    '.vim/vimrc',
    '.config/gh/config.yml',
  ],
  ...[
    '.mvn/jvm.config',
    '.mvn/extensions.xml',
    '.lesskey',
    '.terraformrc',
    '.config/nushell/config.nu',
    '.config/starship.toml',
    '.xsession',
  ],
];

/** Everyday work in an editor; never by a redirection of a command that is allowed for something else. */
const BY_COMMAND = [
  ...[
    '.pylintrc',
    'pylintrc',
    '.rspec',
    'mypy.ini',
    '.flake8',
    '.coveragerc',
    '.rubocop.yml',
    '.swcrc',
    '.nycrc',
    '.stylelintrc',
    '.releaserc',
  ],
  ...[
    '.parcelrc',
    '.postcssrc',
    'ansible.cfg',
    'gradle.properties',
    'gradle/wrapper/gradle-wrapper.properties',
    'build.sbt',
  ],
  ...[
    'project/plugins.sbt',
    '.sbtopts',
    '.jvmopts',
    'mix.exs',
    'Package.swift',
    'stack.yaml',
    'build.zig',
    'Podfile',
    'dune',
    'configure',
  ],
  ...[
    'SConstruct',
    'wscript',
    'Snakefile',
    'build.xml',
    'binding.gyp',
    'lib/x.pth',
    'rust-toolchain.toml',
    'go.work',
    'WORKSPACE.bazel',
  ],
  ...[
    'MODULE.bazel',
    'shell.nix',
    'flake.nix',
    'default.nix',
    'Brewfile',
    'requirements.txt',
    'requirements-dev.txt',
    'Cargo.lock',
    'go.sum',
  ],
  ...[
    'poetry.lock',
    'uv.lock',
    'Gemfile.lock',
    'composer.lock',
    'deno.lock',
    'bun.lockb',
    'import_map.json',
    'hatch.toml',
    'uv.toml',
    '.nvmrc',
  ],
  ...['.python-version', '.node-version', '.ruby-version', '.bazelversion', 'flake.lock', 'PROMPT.md'],
];

test.each(BY_COMMAND)('R10: a command does not redirect into %s because it may print', (path) => {
  for (const command of [`echo x > ${path}`, `cat a >> ${path}`]) {
    expect([command, verdict(bash(command), { allow: ['Bash(echo:*)', 'Bash(cat:*)', 'Edit(src/**)'] })]).toEqual([
      command,
      'ask',
    ]);
  }
  expect(verdict(edit(path), { allow: ['Edit(./**)'] })).toBe('allow');
  expect(verdict(bash(`echo x > ${path}`), { allow: ['Bash(echo:*)', `Edit(${path})`] })).toBe('allow');
});

describe('R10: files that decide what runs next', () => {
  test.each(DECIDING)('R10: no general rule covers %s, by editing or by a command', (path) => {
    for (const rule of ['Edit', 'Edit(**)', 'Edit(./**)', 'Edit(.*/**)', 'Edit(*)', '*']) {
      expect([rule, verdict(edit(path), { allow: [rule] })]).toEqual([rule, 'ask']);
      expect([rule, verdict(run('write_file', { path: `/srv/app/${path}` }), { allow: [rule] })]).toEqual([
        rule,
        'ask',
      ]);
    }
    const word = `'${path}'`;
    for (const command of [`echo hi > ${word}`, `echo hi >> ${word}`, `echo hi >| ${word}`, `echo hi &> ${word}`]) {
      for (const rule of ['Bash(echo:*)', 'Bash', '*']) {
        expect([command, verdict(bash(command), { allow: [rule, 'Edit(**)'] })]).toEqual([command, 'ask']);
      }
    }
    for (const command of [
      `cp x ${word}`,
      `tee ${word}`,
      `tee -a ${word}`,
      `mv x ${word}`,
      `ln -sf x ${word}`,
      `dd if=x of=${word}`,
    ]) {
      const allow = ['Bash(cp:*)', 'Bash(tee:*)', 'Bash(mv:*)', 'Bash(ln:*)', 'Bash(dd:*)'];
      expect([command, verdict(bash(command), { allow })]).toEqual([command, 'ask']);
      expect([command, verdict(bash(command), { allow: ['Bash'] })]).toEqual([command, 'ask']);
    }
  });

  test.each(['package.json', 'sub/package.json', 'Makefile', 'conftest.py', 'vitest.config.ts'])(
    'R10: %s is everyday work in an editor, but not by a redirection',
    (path) => {
      expect(verdict(edit(path), { allow: ['Edit(./**)'] })).toBe('allow');
      expect(verdict(bash(`echo hi > ${path}`), { allow: ['Bash(echo:*)', 'Edit(./**)'] })).toBe('ask');
      expect(verdict(bash(`echo hi > ${path}`), { allow: ['Bash(echo:*)', `Edit(${path})`] })).toBe('allow');
      expect(verdict(bash(`cat ${path}`), { allow: ['Bash(cat:*)'] })).toBe('allow');
      expect(verdict(bash(`sed -n 1,5p ${path}`), { allow: ['Bash(sed:*)'] })).toBe('allow');
    },
  );

  test.each([
    ['Edit(.claude/settings.json)', '.claude/settings.json'],
    ['Edit(./.claude/**)', '.claude/settings.json'],
    ['Edit(.github/**)', '.github/workflows/ci.yml'],
    ['Edit(CLAUDE.md)', 'docs/CLAUDE.md'],
    ['Edit(reins.yml)', 'reins.yml'],
    ['Edit(.git/config)', '.git/config'],
    ['Edit(//srv/app/.npmrc)', '.npmrc'],
  ])('R10: %s names it', (rule, path) => {
    expect(verdict(edit(path), { allow: [rule] })).toBe('allow');
    expect(verdict(edit(path), { grants: [rule] })).toBe('allow');
    expect(verdict(bash(`echo hi > ${path}`), { allow: ['Bash(echo:*)', rule] })).toBe('allow');
  });

  test.each([
    ['Edit(settings.json)', '.claude/settings.json'],
    ['Edit(config)', '.git/config'],
    ['Edit(.cl*/**)', '.claude/settings.json'],
    ['Edit({.claude,src}/**)', '.claude/settings.json'],
    ['Edit(.claude/**)', '.claude/x/.git/config'],
    ['Edit(sub/**)', 'sub/CLAUDE.md'],
    ['Edit(.git*)', '.git/config'],
  ])('R10: %s does not name %s', (rule, path) => {
    expect(verdict(edit(path), { allow: [rule] })).toBe('ask');
  });

  test('R10: an exact command names its arguments; reading is not writing; other files are as before', () => {
    expect(verdict(bash('cp x .git/hooks/pre-commit'), { allow: ['Bash(cp x .git/hooks/pre-commit)'] })).toBe('allow');
    expect(verdict(bash('echo a < .git/config'), { allow: ['Bash(echo:*)'] })).toBe('allow');
    expect(verdict(run('Read', { file_path: 'CLAUDE.md' }), {})).toBe('allow');
    for (const path of ['src/a.ts', 'docs/git.md', 'gitx', '.agent/scratchpad.md', '.gitignore', 'claude/a.md']) {
      expect(verdict(edit(path), { allow: ['Edit(./**)'] })).toBe('allow');
      expect(verdict(bash(`echo hi > ${path}`), { allow: ['Bash(echo:*)'] })).toBe('allow');
    }
  });

  test('R10: a worktree below an agent’s folder is judged by what lies in it', () => {
    const cwd = '/srv/app/.claude/worktrees/one';
    expect(verdict(edit('src/a.ts'), { allow: ['Edit(./**)'] }, { cwd })).toBe('allow');
    expect(verdict(edit('.claude/settings.json'), { allow: ['Edit(./**)'] }, { cwd })).toBe('ask');
    expect(verdict(edit('settings.json'), { allow: ['Edit(./**)'] }, { cwd: '/home/me/.claude' })).toBe('ask');
    expect(verdict(edit('settings.json'), { allow: ['Edit(./settings.json)'] }, { cwd: '/home/me/.claude' })).toBe(
      'allow',
    );
  });

  test.each([
    ['.claude/agents/.claude/worktrees/x/evil.md', 'Edit(./**)'],
    ['.git/.claude/worktrees/x/config', 'Edit(./**)'],
    ['.claude/worktrees/x/.claude/settings.json', 'Edit(./**)'],
    ['vendor/CLAUDE.md', 'Edit(vendor/**)'],
    ['node_modules/.bin/tsc', 'Edit(./**)'],
    ['.git\\config', 'Edit(./**)'],
    ['/proc/self/cwd/src/a.ts', 'Edit(//**)'],
    ['/proc/self/root/srv/app/.git/config', 'Edit(//**)'],
  ])('R10: %s is not covered by %s, nor by a command', (path, rule) => {
    expect(verdict(edit(path), { allow: [rule, 'Edit'] })).toBe('ask');
    expect(verdict(bash(`echo x > '${path}'`), { allow: ['Bash(echo:*)', rule] })).toBe('ask');
    expect(verdict(bash(`echo x > '${path}'`), { allow: ['Bash', rule] })).toBe('ask');
  });

  test.each([
    'cp x .g?t/hooks/pre-commit',
    'cp x .[g]it/config',
    'cp x {.git,y}/config',
    'tee "$X"',
    'cp x $(echo .git/config)',
    'mv x .gi*',
    "dd of='.git/config'",
    'install -t.git/hooks x',
    'cp --target-directory=.git/hooks x',
    'sed -i.bak s/a/b/ .git/config',
    'perl -pi -e s/a/b/ .claude/settings.json',
    'curl -o.git/hooks/pre-commit x',
    'tar -xf a.tar -C .git/hooks',
    'ln -s ../.git/hooks src/x',
    'sudo tee .git/config',
    'cd .git && cp x config',
    'cd .git; cd hooks; tee pre-commit',
    'cd "$X" && cp x config',
  ])('R10: %s is not covered by a rule for its program', (command) => {
    const names = 'cp tee mv dd install sed perl curl tar ln sudo echo cd'.split(' ');
    expect(verdict(bash(command), { allow: names.map((name) => `Bash(${name}:*)`) })).toBe('ask');
  });

  test.each(['rm -f dist/*.js', 'cp src/a.ts dist/', 'mv a b', 'tee out.log', 'mkdir src/hooks', 'touch src/x'])(
    'R10: %s is as before',
    (command) => {
      const names = 'rm cp mv tee mkdir touch'.split(' ');
      expect(verdict(bash(command), { allow: names.map((name) => `Bash(${name}:*)`) })).toBe('allow');
    },
  );

  test('R10: a patch handed to the shell', () => {
    const patch = (path: string) =>
      `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEOF`;
    for (const path of ['.git/hooks/pre-commit', '.claude/settings.json', '/etc/x', '../x']) {
      expect(verdict(bash(patch(path)), { allow: ['Bash(apply_patch:*)'] })).toBe('ask');
      expect(verdict(bash(patch(path)), { allow: ['Bash'] })).toBe('ask');
    }
  });

  test('R10: a link to such a file is such a file', () => {
    const links: Record<string, string> = { '/srv/app/harmless': '.git/hooks', '/srv/app/cfg': '/srv/app/.claude' };
    const tools = { shell, resolvePath: makeResolver((path) => links[path]) };
    const settings = settingsWith({ allow: ['Edit(./**)', 'Bash(echo:*)', 'Edit(cfg/**)'] });
    for (const asked of [
      edit('harmless/pre-commit'),
      edit('cfg/settings.json'),
      bash('echo x > harmless/pre-commit'),
    ]) {
      expect(word(route(asked, here, settings, tools))).toBe('ask');
    }
  });

  test('G8: an allowed Edit writes no agent’s settings; trust: full and a deny stay what they are', () => {
    expect(verdict(edit('.claude/settings.json'), { allow: ['Edit(./**)'] })).toBe('ask');
    expect(verdict(edit('.claude/settings.json'), {}, { trust: { value: 'full', source: 'flag' } })).toBe('allow');
    expect(verdict(edit('.claude/settings.json'), { allow: ['Edit(.claude/**)'], deny: ['Edit(.claude/**)'] })).toBe(
      'deny',
    );
  });
});
