/**
 * Files that decide what runs next: git's own, hooks, settings and instructions of agents and of Reins, start files of
 * shells and tools. A general allow rule (`Edit`, `Edit(src/**)`, `Bash(echo:*)` with a redirection) never covers them; a
 * rule that names the file or its folder does. This file is the list; who may write is decided in writes.ts.
 * What cannot be seen from a name: a hard link, and a program of the project's own that reads some other file.
 */

/** A name ends the path or, with a slash behind it, is a folder and all below it. `*` is any part of one name. */
const ALWAYS = `
  .git/ *.git/ git~1/ .gitmodules .gitattributes .gitconfig .config/git/ .githooks/ .husky/ hooks/pre-* hooks/post-*
  .hg/ .svn/ .jj/ .pre-commit-config.yaml .pre-commit-config.yml lefthook.* .lefthook.* .lefthook-local.* .lintstagedrc*
  reins.yml reins.yaml ralph.yml ralph.yaml .reins/ reins/config.yml reins/trusted.json reins/sessions/ .config/reins/
  .local/state/reins/
  .claude/ .claude.json .claude-plugin/ CLAUDE.md CLAUDE.local.md .mcp.json mcp.json .codex/ AGENTS.md AGENTS.override.md
  AGENT.md .agents/ .gemini/ GEMINI.md .geminiignore .kiro/ .amazonq/ .amp/ .config/amp/ .cursor/ .cursorrules
  .opencode/ .opencode* opencode.json opencode.jsonc .config/opencode/ .qwen/ QWEN.md .copilot/ .config/github-copilot/
  .github/copilot-instructions.md .github/instructions/ .github/prompts/ .github/agents/ .github/hooks/ .github/skills/
  .aider* .continue/ .windsurf/ .windsurfrules .clinerules .clinerules/ .cline/ .roo/ .roorules .goosehints .config/goose/
  .crush/ .crush.json crush.json CRUSH.md .factory/ .augment/ .junie/ .trae/ .zed/ .pi/ .config/Claude/ .config/crush/
  .github/workflows/ .github/actions/ .gitlab-ci.yml .circleci/ .travis.yml Jenkinsfile azure-pipelines.yml
  .vscode/ *.code-workspace .idea/ .devcontainer/ .devcontainer.json .nvimrc .nvim.lua .exrc .vimrc .lvimrc .dir-locals.el
  .envrc .env.vault mise.toml .mise.toml .mise/ .tool-versions .npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs .pnpmfile.mjs
  bunfig.toml .cargo/config .cargo/config.toml .cargo/bin/ pip.conf .pip/ .pypirc .pythonrc .pdbrc .gdbinit .lldbinit
  sitecustomize.py usercustomize.py .netrc .curlrc .wgetrc .screenrc .tmux.conf .inputrc .mailcap .gradle/ .m2/
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .logout .config/fish/ .config/autostart/ .config/systemd/ .config/environment.d/
  .config/mise/ .config/direnv/ .config/zsh/ .config/nvim/ .config/tmux/ .local/bin/ .local/share/fish/ .xinitrc .xprofile
  .ssh/ .gnupg/ .docker/config.json .kube/ .aws/ authorized_keys crontab LaunchAgents/ LaunchDaemons/
`;

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
  Vagrantfile node_modules/ .venv/ venv/ vendor/ .env .env.*
`;

export type How = 'edit' | 'command';

interface Pattern {
  names: RegExp[];
  folder: boolean;
}

function readList(text: string): Pattern[] {
  return text
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const names = entry.replace(/\/$/, '').split('/');
      return { names: names.map(nameExpression), folder: entry.endsWith('/') };
    });
}

const nameExpression = (name: string) =>
  new RegExp(`^${name.toLowerCase().replace(/[.~]/g, '\\$&').replaceAll('*', '.*')}$`, 's');

const LISTS: Record<How, Pattern[]> = {
  edit: readList(ALWAYS),
  command: [...readList(ALWAYS), ...readList(BY_COMMAND)],
};

/** Names as disks may take them for the same: case, ignorable characters, trailing dots and blanks, `::$DATA`. */
export const sameName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/::?\$.*$/s, '')
    .replace(/[. ]+$/, '');

/** Trees of their own inside such a folder: what lies in them is judged anew. */
const OWN_TREES = ['.claude/worktrees', '.codex/worktrees', '.cursor/worktrees'];

/**
 * The names in a resolved path that make it decide what runs next, each with the folder it begins at; empty: it does not.
 * A folder above such a file counts when the path ends there: who replaces `.github` replaces its workflows. What a command
 * may not redirect into counts below the folder the session works in: a project may itself lie in somebody's `vendor`.
 */
export function decidingNames(path: string, how: How, cwd = ''): string[] {
  const names = namesOf(path);
  const inside = cwd !== '' && `${path}/`.startsWith(`${cwd}/`) ? namesOf(cwd).length : 0;
  const found: string[] = [];
  for (let at = ownTree(names); at < names.length; at += 1) {
    const lists = at >= inside ? LISTS[how] : LISTS.edit;
    if (lists.some((pattern) => fitsAt(pattern, names, at))) found.push(names[at]!);
  }
  return found;
}

const namesOf = (path: string): string[] =>
  path
    .split(/[/\\]/)
    .filter((name) => name !== '')
    .map(sameName);

function ownTree(names: string[]): number {
  for (let at = names.length - 4; at >= 0; at -= 1) {
    if (OWN_TREES.includes(`${names[at]}/${names[at + 1]}`)) return at + 3;
  }
  return 0;
}

function fitsAt(pattern: Pattern, names: string[], at: number): boolean {
  const ends = at + pattern.names.length;
  if (!pattern.folder && ends < names.length) return false;
  return pattern.names.every((name, index) => at + index >= names.length || name.test(names[at + index]!));
}
