/**
 * Files that decide what runs next: git's own, hooks, settings and instructions of agents and of Reins, start files of
 * shells and tools. A general allow rule (`Edit`, `Edit(src/**)`, `Bash(echo:*)` with a redirection) never covers them; a
 * rule that names the file or its folder does. This file is the list; who may write is decided in writes.ts.
 * What cannot be seen from a name: a hard link, and a program of the project's own that reads some other file.
 */

/** A name ends the path or, with a slash behind it, is a folder and all below it. `*` is any part of one name. */
const ALWAYS = `
  .git/ *.git/ git~1/ .gitmodules .gitattributes .gitconfig .config/git/ .githooks/ .husky/ hooks/pre-* hooks/post-*
  .hg/ .svn/ .jj/ .overcommit.yml .simple-git-hooks.* .pre-commit-config.yaml .pre-commit-config.yml lefthook.* .lefthook.* .lefthook-local.* .lintstagedrc*
  reins.yml reins.yaml ralph.yml ralph.yaml .reins/ reins/config.yml reins/trusted.json reins/sessions/ reins/decisions/ .config/reins/
  .local/state/reins/
  .claude/ .claude.json .claude-plugin/ CLAUDE.md CLAUDE.local.md .mcp.json mcp.json .codex/ AGENTS.md AGENTS.override.md
  AGENT.md .agents/ .gemini/ GEMINI.md .geminiignore .kiro/ .amazonq/ .amp/ .config/amp/ .cursor/ .cursorrules
  .opencode/ .opencode* opencode.json opencode.jsonc .config/opencode/ .qwen/ QWEN.md .copilot/ .config/github-copilot/
  .github/copilot-instructions.md .github/instructions/ .github/prompts/ .github/agents/ .github/hooks/ .github/skills/
  .aider* .continue/ .windsurf/ .windsurfrules .clinerules .clinerules/ .cline/ .roo/ .roorules .goosehints .config/goose/
  WARP.md .warp/ .kilocode/ .kilocodemodes .openhands/ .rules .roomodes .vibe/ .iflow/ IFLOW.md .kimi/ .grok/ .codebuddy/ .rovodev/
  .crush/ .crush.json crush.json CRUSH.md .factory/ .augment/ .junie/ .trae/ .zed/ .pi/ .config/Claude/ .config/crush/
  .github/workflows/ .github/actions/ .gitlab-ci.yml .circleci/ .travis.yml Jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml
  .drone.yml .woodpecker.yml .woodpecker/ .buildkite/ .semaphore/ .forgejo/ .gitea/ cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml
  appveyor.yml .appveyor.yml
  .vscode/ *.code-workspace .idea/ .devcontainer/ .devcontainer.json .emacs .emacs.d/ .vim/ .nvimrc .nvim.lua .exrc .vimrc .lvimrc .dir-locals.el
  .envrc .env.vault mise.toml .mise.toml .mise/ .tool-versions .npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnpmfile.mjs
  bunfig.toml .cargo/config .cargo/config.toml .cargo/bin/ pip.conf .pip/ .pypirc .pythonrc .pdbrc .gdbinit .lldbinit
  sitecustomize.py usercustomize.py .netrc .curlrc .wgetrc .screenrc .tmux.conf .inputrc .mailcap .gradle/ .m2/ .mvn/
  .irbrc .pryrc .rprofile .psqlrc .sqliterc .mylogin.cnf .my.cnf .ackrc .lesskey .terraformrc .xsession .pam_environment
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .logout .config/fish/ .config/autostart/ .config/systemd/ .config/environment.d/
  .config/gh/ .config/nushell/ .config/starship.toml .config/mise/ .config/direnv/ .config/zsh/ .config/nvim/ .config/tmux/ .local/bin/ .local/share/fish/ .xinitrc .xprofile
  .ssh/ .gnupg/ .docker/config.json .kube/ .aws/ authorized_keys crontab LaunchAgents/ LaunchDaemons/
`;

/** What others wrote and the project runs. Counts below the session's folder: a project may itself lie in such a one. */
const INSTALLED = 'node_modules/ .venv/ venv/';

/**
 * Everyday work in an editor, and therefore covered by `Edit(**)`; but a rule for `echo` or `cat` was never meant to
 * rewrite them by a redirection.
 */
const BY_COMMAND = `
  package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock deno.json deno.jsonc
  Makefile GNUmakefile *.mk justfile .justfile Taskfile.yml Taskfile.yaml Rakefile Gemfile *.gemspec Gruntfile.* gulpfile.*
  Cargo.toml build.rs go.mod pom.xml build.gradle* settings.gradle* gradlew mvnw CMakeLists.txt meson.build BUILD BUILD.bazel
  WORKSPACE .bazelrc pyproject.toml setup.py setup.cfg tox.ini noxfile.py pytest.ini conftest.py Pipfile manage.py composer.json
  *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts *.config.cts .*rc.js .*rc.cjs .*rc.mjs .eslintrc* .babelrc*
  .mocharc* .prettierrc* tsconfig*.json nx.json turbo.json lerna.json Dockerfile* docker-compose* compose.y* Procfile
  Vagrantfile vendor/ .env .env.* PROMPT.md
  .pylintrc pylintrc .rspec mypy.ini .mypy.ini .flake8 .coveragerc .rubocop.yml .swcrc .nycrc* .stylelintrc* .releaserc* .parcelrc .postcssrc*
  ansible.cfg gradle.properties gradle/wrapper/* *.sbt .sbtopts .jvmopts mix.exs Package.swift stack.yaml build.zig Podfile dune configure SConstruct
  wscript Snakefile build.xml binding.gyp *.pth rust-toolchain* go.work *.bazel .bazelversion *.nix flake.lock Brewfile requirements*.txt
  Cargo.lock go.sum poetry.lock uv.lock Gemfile.lock composer.lock deno.lock bun.lockb import_map.json hatch.toml uv.toml poetry.toml
  .nvmrc .python-version .node-version .ruby-version
`;

export type ChangeKind = 'edit' | 'command';

/** Only what has a `*` in it needs an expression: there are hundreds, in every host. */
type Name = string | RegExp;

interface Pattern {
  first: string;
  names: Name[];
  folder: boolean;
}

/** Found by their first name, so that a path of many names is not tried against the whole list at each. */
interface List {
  exact: Map<string, Pattern[]>;
  wild: Pattern[];
  isWild: RegExp;
}

function readList(...texts: string[]): List {
  const patterns = texts.flatMap((text) => text.trim().split(/\s+/)).map(readPattern);
  const wild = patterns.filter(({ first }) => first.includes('*'));
  const exact = new Map<string, Pattern[]>();
  for (const pattern of patterns) exact.set(pattern.first, [...(exact.get(pattern.first) ?? []), pattern]);
  const isWild = new RegExp(wild.map(({ first }) => nameExpression(first).source).join('|'), 's');
  return { exact, wild, isWild };
}

function readPattern(entry: string): Pattern {
  const names = entry.toLowerCase().replace(/\/$/, '').split('/');
  return { first: names[0]!, names: names.map(readName), folder: entry.endsWith('/') };
}

const nameExpression = (name: string) => new RegExp(`^${name.replace(/[.~]/g, '\\$&').replaceAll('*', '.*')}$`, 's');

const readName = (name: string): Name => (name.includes('*') ? nameExpression(name) : name);

const fits = (pattern: Name, name: string): boolean =>
  typeof pattern === 'string' ? pattern === name : pattern.test(name);

const TEXTS: Record<ChangeKind | 'above', string[]> = {
  above: [ALWAYS],
  edit: [ALWAYS, INSTALLED],
  command: [ALWAYS, INSTALLED, BY_COMMAND],
};

/** Read when something is first judged by them. */
const lists = new Map<ChangeKind | 'above', List>();

function listFor(kind: ChangeKind | 'above'): List {
  const list = lists.get(kind) ?? readList(...TEXTS[kind]);
  lists.set(kind, list);
  return list;
}

/** Names as disks may take them for the same: case, ignorable characters, trailing dots and blanks, `::$DATA`. */
export function sameName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/::?\$.*$/s, '');
  let end = plain.length;
  while (end > 0 && (plain[end - 1] === '.' || plain[end - 1] === ' ')) end -= 1;
  return plain.slice(0, end);
}

/** Trees of their own inside such a folder: what lies in them is judged anew. */
const OWN_TREES = ['.claude/worktrees', '.codex/worktrees', '.cursor/worktrees'];

/**
 * The names in a path that make it decide what runs next; empty: it does not. A hidden folder above such a file counts
 * when the path ends there: who replaces `.github` replaces its workflows. What a command may not redirect into counts
 * below the folder the session works in: a project may itself lie in somebody's `vendor`.
 */
export function decidingNames(path: string, how: ChangeKind, cwd = ''): string[] {
  const names = namesOf(path);
  const inside = cwd !== '' && `${path}/`.startsWith(`${cwd}/`) ? namesOf(cwd).length : 0;
  const found = (part: string[], from: number) =>
    part.filter((_, at) => at >= from && decides(part, at, at >= inside ? how : 'above'));
  const tree = names.findIndex((name, at) => OWN_TREES.includes(`${name}/${names[at + 1]}`) && at + 3 < names.length);
  const isOwn = tree >= 0 && found(names.slice(0, tree), 0).length === 0;
  return found(names, isOwn ? tree + 3 : 0);
}

const namesOf = (path: string): string[] =>
  path
    .split(/[/\\]/)
    .filter((name) => name !== '')
    .map(sameName);

function decides(names: string[], at: number, list: ChangeKind | 'above'): boolean {
  const { exact, wild, isWild } = listFor(list);
  const near = [...(exact.get(names[at]!) ?? []), ...(isWild.test(names[at]!) ? wild : [])];
  return near.some((pattern) => fitsAt(pattern, names, at));
}

function fitsAt(pattern: Pattern, names: string[], at: number): boolean {
  const ends = at + pattern.names.length;
  if (!pattern.folder && ends < names.length) return false;
  if (ends > names.length && !names[at]!.startsWith('.')) return false;
  return pattern.names.every((name, index) => at + index >= names.length || fits(name, names[at + index]!));
}
