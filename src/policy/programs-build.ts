/**
 * More of `programs.ts`: what builds, tests, checks and deploys. Nearly all of these read a configuration that names code
 * to run, so an option that points them at another one is not understood; neither is a goal or task that the rule does not
 * name, where such a word means "run this".
 */
import type { Program } from './programs.js';

const named = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, program]));

const none = () => false;
const isFile = (text: string): boolean => !text.startsWith('@');

const GRADLE: Program = {
  safe: `-q -i -w -S -s -t -m --quiet --info --warn --stacktrace --full-stacktrace --scan --no-scan --continue --parallel
    --no-parallel --daemon --no-daemon --offline --rerun-tasks --dry-run --console= --warning-mode= --build-cache
    --no-build-cache --configuration-cache --no-configuration-cache --continuous --tests= --max-workers= --version`,
  operand: (text) =>
    /^:?([\w-]+:)*(test|check|build|assemble|clean|compile\w*|classes|testClasses|lint\w*)$/.test(text),
};
const MVN: Program = {
  safe: '-q -B -o -e -X -U -V -T: -am -amd -fae -ff -fn -ntp -nsu --quiet --batch-mode --offline --errors --debug --no-transfer-progress --fail-at-end --fail-fast --also-make --threads= --version -v',
  words: true,
  operand: (text) => /^(clean|validate|compile|test-compile|test|package|verify)$/.test(text),
};
const TERRAFORM: Program = {
  safe: '-version',
  words: true,
  subs: {
    ...named('plan validate', {
      safe: '-no-color -json -refresh= -lock= -compact-warnings -detailed-exitcode -parallelism=',
      words: true,
      operand: none,
    }),
    fmt: { safe: '-check -diff -recursive -list= -write=', words: true },
    ...named('show output version providers graph', { safe: '-json -no-color -raw', words: true }),
    workspace: { subs: named('list show', {}) },
  },
};
const TASKS: Program = { safe: '-n -s -l --list --list-all --dry-run --silent --summary --version', operand: none };
const PACKAGES: Program = { safe: '--version', operand: none };

const RSPEC: Program = {
  safe: '-f: -e: -t: -b -w -n: --format= --example= --tag= --fail-fast --backtrace --color --no-color --dry-run --seed= --order= --only-failures --next-failure --profile --version',
};
const PY_CHECK = (more = ''): Program => ({
  safe: `-q -v -j: --quiet --verbose --version --check --diff --color --no-color --exclude= --extend-exclude= --include= ${more}`,
  operand: isFile,
});

export const BUILD_PROGRAMS: Readonly<Record<string, Program>> = {
  ...named('mvn mvnw mvnd', MVN),
  ...named('gradle gradlew', GRADLE),
  ant: { safe: '-q -v -d -k -version', words: true, operand: none },
  sbt: { safe: '--version', operand: none },
  dotnet: {
    safe: '--version --info --list-sdks',
    subs: {
      ...named('test build clean', {
        // `/p:x=y` and `@file` are options too.
        operand: (text) => !/^@|^\/[^/]*:/.test(text),
        safe: '-c: -v: -f: --configuration= --verbosity= --no-build --no-restore --nologo --filter= --framework= --blame --list-tests',
      }),
      list: {},
    },
  },
  bazel: { safe: '--version', operand: none },
  cmake: { safe: '--version', operand: none },
  ctest: { safe: '-V -VV -N -Q -j: -R: -E: -L: --verbose --output-on-failure --rerun-failed --version', operand: none },
  ninja: { safe: '-n -v -k: -j: --version --quiet' },
  meson: { safe: '--version', operand: none },
  ...named('tox nox', { safe: '-l -q -v --list --version', operand: none }),
  ...named('rake just task invoke fab', TASKS),
  rspec: RSPEC,
  rubocop: { safe: '-a -A -l -P -D --autocorrect --lint --parallel --display-cop-names --fail-fast --version --color' },
  bundle: { safe: '--version', subs: { exec: { script: true }, ...named('list show check outdated info', {}) } },
  phpunit: {
    safe: '-v --filter= --testsuite= --group= --stop-on-failure --colors --colors= --testdox --version --list-tests',
  },
  phpstan: { safe: '--version', subs: { analyse: { safe: '-l: --level= --no-progress -v --error-format=' } } },
  composer: {
    safe: '--version',
    subs: named('show validate outdated licenses', { safe: '-D -i -l --no-ansi --strict' }),
  },
  ...named('terraform tofu', TERRAFORM),
  helm: {
    safe: '',
    subs: named('list ls status history version', { safe: '-n: -A -o: --namespace= --output= --all-namespaces' }),
  },
  ...named('ansible ansible-playbook vagrant packer pulumi serverless', PACKAGES),
  mypy: {
    safe: '-p: -m: --strict --pretty --no-error-summary --show-error-codes --ignore-missing-imports --version --no-incremental',
    operand: isFile,
  },
  pylint: { safe: '-j: -E --errors-only --disable= --enable= --output-format= --score= --version', operand: isFile },
  ruff: {
    safe: '--version',
    subs: {
      ...named('check format', {
        safe: '-q -v -n --fix --unsafe-fixes --diff --check --watch --select= --ignore= --extend-select= --exclude= --output-format= --statistics --show-files --preview --line-length= --target-version=',
      }),
      rule: {},
      version: {},
    },
  },
  ...named(
    'black isort',
    PY_CHECK('-l: --line-length= --target-version= --check-only --profile= --skip-string-normalization'),
  ),
  flake8: PY_CHECK(
    '--select= --ignore= --extend-ignore= --max-line-length= --count --statistics --show-source --format=',
  ),
  pyright: { safe: '-w --stats --verbose --outputjson --warnings --level= --version' },
  ...named('webpack vite rollup esbuild babel parcel nodemon ncc swc', PACKAGES),
  ...named('ava tap c8 nyc cypress wdio karma', PACKAGES),
  playwright: {
    safe: '--version',
    subs: {
      test: {
        safe: '-g: -x --grep= --grep-invert= --headed --list --project= --workers= --retries= --last-failed --reporter=list --reporter=line --reporter=dot --reporter=json --reporter=junit --reporter=github --reporter=null',
      },
    },
  },
  ...named('nx turbo lerna', { safe: '--version', operand: none }),
  ...named('swift xcodebuild flutter dart mix rebar3 stack cabal zig nim crystal', PACKAGES),
  ...named('rustc ghc javac kotlinc scalac tcc as nasm', { safe: '--version -version -v', operand: none }),
  rustfmt: { safe: '-l -q -v --check --list-files --quiet --verbose --edition= --version' },
  gofmt: { safe: '-l -d -s -e -w', words: true },
  'golangci-lint': {
    safe: '--version',
    subs: {
      run: { safe: '-v --fast --fix --new --timeout= -E: -D: --enable= --disable= --build-tags=' },
      linters: {},
      version: {},
    },
  },
  ...named('poetry pipenv hatch pdm conda mamba', {
    safe: '--version',
    subs: {
      run: { script: true },
      ...named('show list check env version', { safe: '--tree --outdated --latest --no-ansi', operand: none }),
    },
  }),
  ...named('brew apt apt-get dpkg rpm dnf yum pacman snap flatpak gem apk nix nix-shell nix-env', PACKAGES),
  ...named('systemctl launchctl crontab at batch service initctl', PACKAGES),
  journalctl: {
    safe: '-u: -n: -f -e -r -x -b -p: -o: --unit= --lines= --since= --until= --no-pager --follow --priority= --output=',
  },
  ...named('svn hg jj fossil bzr', {
    safe: '--version',
    subs: named('status st log diff info cat annotate blame', {
      safe: '-r: -l: -p -v --limit= --stat',
      operand: isFile,
    }),
  }),
  'ssh-keygen': { safe: '-l -f:', operand: none },
  ...named('aws gcloud az vercel netlify fly heroku doctl', { safe: '--version', operand: none }),
  ...named('redis-cli mongosh mongo clickhouse-client duckdb osql sqlcmd', { safe: '--version', operand: none }),
  ...named('nc ncat socat telnet ftp tftp lftp', PACKAGES),
  ...named('gdb lldb valgrind perf', PACKAGES),
  ...named('tmux screen zellij byobu', { safe: '-V -v', operand: none }),
  ...named('direnv asdf mise nvm fnm pyenv rbenv', { safe: '--version', operand: none }),
};
