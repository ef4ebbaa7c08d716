/**
 * Programs that can run others, or write files, through their arguments, as data. For these, an option that is not known
 * to be safe is not understood: full names only (an abbreviation is not the name), and every letter of a bundle. A word
 * that is not understood must be named by the rule. A program that is not here is the user's own word: a rule for it
 * covers whatever plain words follow.
 */
import { BUILD_PROGRAMS } from './programs-build.js';
import { GIT } from './programs-git.js';

export interface Program {
  /** `-x`, `-x:` (the rest of the word is its value), `-#` (a number), `--name`, `--name=` (with a value). */
  safe?: string;
  /** Options have one dash and are whole words (`go test -run X`); `-name=`: with a value behind `=`. */
  words?: boolean;
  /** The first word that is no option names what is done. One that is not listed must be named by the rule. */
  subs?: Record<string, Program>;
  /** Options that are not safe and take the next word, so that what follows can still be read. */
  takes?: string[];
  /** Options end at the first word that is none: what follows belongs to a script or to another program. */
  script?: boolean;
  /** Words behind `--` belong to a script. */
  rest?: boolean;
  /** Whether a word that is no option is harmless. */
  operand?(text: string): boolean;
  /** At most so many words that are no options: a further one is written to. */
  most?: number;
  /** One of the words must be this, else it writes. */
  needs?: RegExp;
  /** Its words are files it writes, judged like redirections. */
  writes?: boolean;
  /** A word is code, read by a reader of its own. */
  code?: 'sed' | 'awk' | 'find' | 'test' | 'printf' | 'read';
  /** What comes in on its input is data to it. */
  data?: boolean;
}

const NPM_SAFE = `-s -q -w: -D -E -P -O -B -F: -r --silent --quiet --verbose --loglevel= --if-present --workspaces --workspace=
  --include-workspace-root --no-color --color --json --long --depth= --omit= --include= --prod --production --dev --all
  --parseable --offline --prefer-offline --no-audit --no-fund --no-progress --ignore-scripts --foreground-scripts --no-save
  --save-dev --save --save-exact --save-optional --audit-level= --dry-run --legacy-peer-deps --no-package-lock --filter=
  --recursive --frozen-lockfile --immutable --no-bail --version`;
const npmSub: Program = { safe: NPM_SAFE, rest: true };
const named = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, program]));

const NPM: Program = {
  safe: NPM_SAFE,
  rest: true,
  subs: {
    ...named('exec x dlx', { safe: '-y -q --yes --no --quiet --silent', script: true }),
    ...named(
      `test t tst run run-script start stop restart ls list ll la outdated view info show audit why explain prefix root ping
     whoami search fund doctor query`,
      npmSub,
    ),
  },
};

const GO_SAFE = `-v -race -short -count= -run= -timeout= -cover -covermode= -coverpkg= -bench= -benchmem -benchtime= -parallel=
  -p= -failfast -json -list= -tags= -x -n -a -mod= -cpu= -shuffle= -skip= -fullpath -trimpath -vet=  -asan
  -msan -f= -m -deps -e -test -u -compat= -diff -versions -all`;
const CARGO_SAFE = `-q -v -p: -j: -F: -r -- --quiet --verbose --package= --workspace --all --exclude= --lib --bins --bin= --examples
  --example= --tests --test= --benches --bench= --all-targets --release --profile= --features= --all-features
  --no-default-features --message-format= --locked --offline --frozen --jobs= --keep-going --no-run --no-fail-fast
  --doc --no-deps --color= --future-incompat-report --depth= --invert= --edges= --check --version`;
const cargoSub: Program = { safe: CARGO_SAFE, rest: true };
/** What follows its dashes are options of the compiler. */
const clippy: Program = { safe: `${CARGO_SAFE} -D: -W: -A:` };

const GREP_LIKE = `-n -i -l -L -c -w -v -x -s -S -F -P -H -I -N -U -u -o -q -a -0 -A: -B: -C: -e: -g: -t: -T: -m: -j: -M: -r: -E: -d: -.
  --line-number --ignore-case --files-with-matches --files-without-match --count --count-matches --word-regexp --invert-match
  --line-regexp --smart-case --case-sensitive --fixed-strings --pcre2 --with-filename --no-filename --only-matching --quiet
  --text --null --after-context= --before-context= --context= --regexp= --glob= --iglob= --type= --type-not= --max-count=
  --max-depth= --threads= --max-columns= --replace= --hidden --no-ignore --no-ignore-vcs --files --heading --no-heading
  --color= --colors= --sort= --sortr= --stats --json --vimgrep --column --multiline --multiline-dotall --follow --no-messages
  --trim --type-list --pretty --passthru --version --unrestricted --one-file-system --byte-offset --no-config --block-buffered
  --line-buffered --debug --null-data --max-filesize= --no-line-number --encoding=`;

const INTERPRETER = (safe: string): Program => ({ safe, script: true });

const GH_READS = named('list view status diff checks', {
  safe: `-L: -s: -R: -A: -a: -l: -B: -H: -S: -b: -u: -q: -t: -c --limit= --state= --repo= --author= --assignee= --label= --base=
    --head= --search= --json= --jq= --template= --comments --log --log-failed --job= --verbose --watch --name-only --patch
    --color= --workflow= --branch= --user= --event= --status= --required --exit-status`,
});
const GH_WRITES = named('create comment edit close reopen ready', {
  safe: `-t: -b: -F: -B: -H: -l: -a: -r: -d -f -m: -p: -R: --title= --body= --body-file= --base= --head= --label= --assignee=
    --reviewer= --draft --fill --milestone= --project= --repo= --add-label= --remove-label= --add-assignee= --comment=
    --reason= --undo --dry-run --fill-first --fill-verbose`,
  data: true,
});

export const PROGRAMS: Readonly<Record<string, Program>> = {
  ...BUILD_PROGRAMS,
  git: GIT,
  npm: NPM,
  pnpm: NPM,
  yarn: NPM,
  bun: {
    safe: '--version --silent',
    rest: true,
    subs: named('test run', { safe: '--silent --timeout= --bail --coverage --watch -t: --only --todo', rest: true }),
  },
  npx: { safe: '-y -q --yes --no --no-install --quiet --silent', script: true },
  bunx: { safe: '--silent', script: true },
  corepack: { script: true },
  sort: {
    safe: `-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k: -t: -S: --ignore-leading-blanks --dictionary-order --ignore-case
      --general-numeric-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check
      --check= --key= --merge --stable --field-separator= --unique --zero-terminated --parallel= --buffer-size= --debug
      --version`,
    data: true,
  },
  uniq: {
    safe: '-c -d -D -i -u -z -f: -s: -w: --count --repeated --ignore-case --unique --skip-fields= --skip-chars= --check-chars=',
    most: 1,
    data: true,
  },
  tar: {
    safe: '-t -v -z -j -J -f -Z --list --verbose --gzip --bzip2 --xz --zstd --exclude= --version --wildcards --numeric-owner --full-time',
    // Its first word may be a bundle of letters without a dash; `host:file` is fetched by another program.
    operand: (text) => !text.includes(':') && (/[./]/.test(text) || /^[tvzjJf]+$/.test(text)),
    needs: /^(-[tvzjJ]*t[tvzjJ]*f?|[tvzjJ]*t[tvzjJ]*f?|--list|--version)$/,
  },
  sed: {
    safe: '-n -E -r -s -u -z -e: -l: --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --line-length= --posix --debug --sandbox --version',
    code: 'sed',
    data: true,
  },
  awk: { safe: '-F: -v: --field-separator= --assign= --version --posix --re-interval', code: 'awk', data: true },
  find: { code: 'find' },
  split: {
    safe: '-a: -b: -C: -d -l: -n: -x --bytes= --lines= --number= --suffix-length= --verbose --line-bytes=',
    // A second word is how its files are called.
    most: 1,
    data: true,
  },
  make: {
    safe: `-j: -k -n -s -B -i -q -t -w -d -l: -O: --jobs --jobs= --keep-going --dry-run --just-print --silent --quiet --always-make
      --ignore-errors --question --touch --print-directory --no-print-directory --output-sync --output-sync= --version
      --warn-undefined-variables --trace --debug --debug= --load-average=`,
    operand: (text) => !/[=:!]/.test(text),
  },
  go: {
    safe: '-version',
    words: true,
    subs: {
      ...named('test vet list fmt', { safe: GO_SAFE, words: true }),
      build: { safe: GO_SAFE, words: true },
      version: { safe: '-m -v', words: true },
      env: { safe: '-json', words: true },
      doc: { safe: '-all -c -src -u -short', words: true },
      help: {},
      mod: { words: true, subs: named('tidy download verify graph why', { safe: GO_SAFE, words: true }) },
    },
  },
  cargo: {
    safe: `${CARGO_SAFE} -V`,
    rest: true,
    subs: {
      ...named('test t build b check c doc d bench tree metadata search version help locate-project pkgid', cargoSub),
      ...named('clippy fmt', clippy),
    },
  },
  rg: { safe: GREP_LIKE, data: true },
  ag: {
    safe: '-i -l -L -c -w -v -Q -s -S -A: -B: -C: -g: -G: -m: --ignore= --hidden --nocolor --color --literal --count --nogroup --noheading --column',
    data: true,
  },
  fd: {
    safe: `-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -d: -t: -e: -E: -c: -j: -S: --hidden --no-ignore --unrestricted
      --case-sensitive --ignore-case --glob --fixed-strings --absolute-path --list-details --follow --full-path --print0
      --max-depth= --min-depth= --type= --extension= --exclude= --color= --threads= --size= --changed-within=
      --changed-before= --max-results= --no-ignore-vcs --strip-cwd-prefix --version`,
  },
  vim: { safe: '--version', operand: () => false },
  emacs: { safe: '--version', operand: () => false },
  nano: { safe: '--version', operand: () => false },
  ed: { safe: '--version', operand: () => false },
  less: { safe: '-F -X -R -N -S -i -E -e --version', operand: (text) => !text.startsWith('+'), data: true },
  more: { safe: '-d -f -s', operand: (text) => !text.startsWith('+'), data: true },
  man: { safe: '-k -f -w -a -s: -K --where --whatis --apropos --version', operand: (text) => !/[/.]/.test(text) },
  rsync: {
    safe: `-a -v -r -l -p -t -g -o -D -z -n -h -u -c -i -P -x -q --archive --verbose --recursive --dry-run --compress --delete
      --progress --stats --exclude= --include= --update --checksum --human-readable --itemize-changes --version --partial`,
    operand: (text) => !text.includes(':'),
  },
  scp: { safe: '-r -p -q -v -C -P: -i: -4 -6' },
  sftp: { safe: '-r -p -q -v -C -P: -i: -4 -6' },
  curl: {
    safe: `-s -S -f -L -I -i -k -v -G -4 -6 -N -g -H: -A: -e: -m: -X: -u: -w: -b: -x: -r: --silent --show-error --fail --location
      --head --include --insecure --verbose --get --ipv4 --ipv6 --no-buffer --globoff --header= --user-agent= --referer=
      --max-time= --connect-timeout= --request= --user= --write-out= --retry= --retry-delay= --retry-max-time=
      --retry-connrefused --retry-all-errors --compressed --http1.1 --http2 --no-progress-meter --progress-bar
      --fail-with-body --version --url= --resolve= --max-redirs= --limit-rate= --tlsv1.2 --tlsv1.3 --proto= --oauth2-bearer=
      -d: --data= --data-raw= --json=`,
    // `@file` is sent, `%output{file}` is written.
    operand: (text) => !text.startsWith('@') && !text.includes('%output'),
  },
  wget: {
    safe: '-q -v -c -N -nv -S -T: -t: --quiet --verbose --no-verbose --spider --timeout= --tries= --server-response --no-check-certificate --version',
  },
  node: INTERPRETER(
    '-v --version --test --check -c --enable-source-maps --no-warnings --trace-warnings --watch --throw-deprecation --trace-deprecation --max-old-space-size=',
  ),
  // What is not a file of this machine is fetched and run.
  deno: { safe: '--version', subs: named('check lint fmt test', { operand: (text) => !/^[\w+.-]+:/.test(text) }) },
  python: INTERPRETER('-V -B -u -O -I -s -E --version'),
  perl: INTERPRETER('-v -c -w --version'),
  ruby: INTERPRETER('-v -c -w --version'),
  php: INTERPRETER('-v -l --version'),
  lua: INTERPRETER('-v'),
  tsx: INTERPRETER('--version --no-cache'),
  'ts-node': INTERPRETER('--version -T --transpile-only'),
  tee: { safe: '-a -i --append --ignore-interrupts', writes: true, data: true },
  dd: { operand: (text) => /^(if|bs|ibs|obs|count|skip|status|iflag)=/.test(text), data: true },
  docker: {
    safe: '-v --version',
    subs: {
      ...named('ps images version info logs inspect stats top port diff history events', {
        safe: `-a -q -f: -n: -l -s -t --all --quiet --filter= --format= --no-trunc --size --tail= --since= --until= --timestamps
          --follow --no-stream --details`,
      }),
      compose: {
        safe: '',
        subs: named('ps logs config ls images top version', {
          safe: '-a -q -f --all --quiet --follow --tail= --no-color --services --format=',
        }),
      },
      ...named('image container volume network context', {
        subs: named('ls list inspect', { safe: '-a -q -f: --all --quiet --filter= --format= --no-trunc' }),
      }),
    },
  },
  kubectl: {
    safe: '-n: --namespace= --context=',
    subs: {
      ...named('get describe logs top version explain api-resources api-versions cluster-info', {
        safe: '-n: -o: -l: -A -w -f -c: -p --namespace= --context= --output= --selector= --all-namespaces --watch --follow --container= --tail= --since= --previous --sort-by= --show-labels --no-headers --field-selector=',
      }),
    },
  },
  gh: {
    safe: '--version',
    subs: {
      ...named('pr issue', { subs: { ...GH_READS, ...GH_WRITES } }),
      ...named('run release repo workflow label', { subs: GH_READS }),
      auth: { subs: { status: {} } },
      search: {
        subs: named('code issues prs repos commits', {
          safe: '-L: --limit= --repo= --owner= --state= --json= --jq= --author= --language= --label=',
        }),
      },
      status: {},
    },
  },
  zip: { safe: '-r -q -9 -j -u --recurse-paths --quiet' },
  unzip: { safe: '-l -t -v -Z -q -p', needs: /^-[qv]*[ltpZ]/ },
  gcc: {
    safe: '-c -S -E -g -w -O -O0 -O1 -O2 -O3 -Os -Wall -Wextra -Werror -pedantic -std= -v -fsyntax-only -m32 -m64 -pthread -fPIC -shared -static --version -D -U -dumpversion -dumpmachine -MM',
    words: true,
    operand: (text) => !text.startsWith('@'),
    needs: /^(-fsyntax-only|-E|-MM|--version|-v|-dumpversion|-dumpmachine)$/,
  },
  ld: { safe: '--version -v', operand: () => false },
  pip: {
    safe: '-V -q --version',
    subs: named('list show freeze check index debug', {
      safe: '-q -v -o -u -l -f --outdated --format= --verbose --files --uptodate --local --user --all',
    }),
  },
  uv: {
    safe: '--version',
    subs: {
      run: { script: true },
      pip: { subs: named('list show freeze check tree', { safe: '--format= --outdated' }) },
      tree: {},
      version: {},
    },
  },
  pytest: {
    safe: `-v -q -x -s -l -k: -m: -r: -n: --verbose --quiet --exitfirst --maxfail= --tb= --lf --ff --last-failed --failed-first --nf
      --durations= --co --collect-only --no-header --no-summary --cov --cov= --cov-branch --capture= --timeout= --color=
      --strict-markers --disable-warnings --sw --stepwise --version --markers --fixtures --numprocesses= --deselect= --ignore=`,
  },
  eslint: {
    safe: '--fix --fix-dry-run --quiet --max-warnings --max-warnings= --ext= --cache --no-error-on-unmatched-pattern --color --no-color --version --report-unused-disable-directives --no-warn-ignored',
  },
  prettier: {
    safe: '-c -l -w -u --check --write --list-different --ignore-unknown --log-level= --loglevel= --no-error-on-unmatched-pattern --no-color --single-quote --no-semi --print-width= --tab-width= --version --cache',
  },
  tsc: {
    safe: '-p: -b -w -v --project= --noEmit --pretty --watch --build --skipLibCheck --strict --listFiles --version --showConfig --incremental --noErrorTruncation --traceResolution --extendedDiagnostics --explainFiles --target= --module= --jsx= --lib= --moduleResolution= --esModuleInterop --allowJs --checkJs --types= --diagnostics',
    operand: (text) => !text.startsWith('@'),
  },
  vitest: {
    safe: `-t: -u -w --run --watch --coverage --reporter=verbose --reporter=dot --reporter=default --reporter=json --reporter=basic --bail= --silent --testNamePattern= --update --project= --maxWorkers=
      --minWorkers= --no-color --passWithNoTests --changed --related --globals --typecheck --retry= --testTimeout= --version
      --no-coverage --no-file-parallelism --hideSkippedTests --allowOnly`,
  },
  jest: {
    safe: `-t: -u -i -b -w: -o --watch --watchAll --coverage --testNamePattern= --updateSnapshot --runInBand --bail --silent --verbose
      --passWithNoTests --ci --onlyChanged --maxWorkers= --testPathPattern= --no-coverage --forceExit --detectOpenHandles
      --listTests --version --colors --no-cache --testPathPatterns= --findRelatedTests --selectProjects`,
  },
  mocha: { safe: '-g: -f: -t: -b -i --grep= --fgrep= --timeout= --bail --invert --exit --no-color --version' },
  biome: {
    safe: '--version',
    subs: named('check lint format ci', {
      safe: '--write --fix --unsafe --staged --changed --no-errors-on-unmatched --colors= --max-diagnostics= --reporter= --diagnostic-level= --error-on-warnings',
    }),
  },
  openssl: { safe: '', subs: { version: { safe: '-a', words: true } } },
  gpg: { safe: '--version --list-keys -k --fingerprint', operand: () => false },
  tree: {
    safe: '-a -d -f -i -L: -P: -I: -h -s -D -t -r -C -n -F -l -x -q -N -u -g -p --noreport --dirsfirst --gitignore --prune --filelimit --version --du --sort=',
  },
  file: { safe: '-b -i -L -h -k -I --brief --mime --mime-type --mime-encoding --dereference --version' },
  date: {
    safe: '-u -R -d: -I: -r: --utc --date= --iso-8601 --iso-8601= --rfc-3339= --reference= --rfc-email --version',
    operand: (text) => text.startsWith('+'),
  },
  xxd: { safe: '-l: -s: -c: -g: -p -b -u -i', most: 1, data: true },
  tcpdump: { safe: '--version -D', operand: () => false },
  sqlite3: { safe: '--version -version', operand: () => false },
  psql: { safe: '--version -V', operand: () => false },
  mysql: { safe: '--version -V', operand: () => false },
  ffmpeg: { safe: '-version', words: true, operand: () => false },
  '7z': { safe: '', operand: () => false },
  patch: { safe: '--dry-run --version', operand: () => false },
  hostname: { safe: '-f -s -i -I -d', operand: () => false },
  base64: { safe: '-d -D -w: --decode --wrap= --ignore-garbage', most: 1, data: true },
  ...named('exit return break continue', { operand: (text) => /^\d{1,3}$/.test(text) }),
  test: { code: 'test', data: true },
  '[': { code: 'test', data: true },
  printf: { code: 'printf', data: true },
  read: { code: 'read', data: true },
  ...named(
    '. source export declare typeset local readonly let unset mapfile readarray getopts shopt enable hash bind complete compgen coproc fc history',
    {
      operand: () => false,
    },
  ),
  set: { safe: '-e -u -f -o', operand: (text) => text === 'pipefail' || /^\+[eu]+$/.test(text) },
  umask: { operand: (text) => /^0?0[0-7]{2}$/.test(text) },
  ulimit: { safe: '-a', operand: () => false },
  watch: { operand: () => false },
};

export const SAME_AS: Readonly<Record<string, string>> = {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  gfind: 'find',
  fdfind: 'fd',
  nvim: 'vim',
  vi: 'vim',
  view: 'vim',
  ex: 'vim',
  vimdiff: 'vim',
  gtar: 'tar',
  bsdtar: 'tar',
  gmake: 'make',
  nodejs: 'node',
  python2: 'python',
  python3: 'python',
  pip3: 'pip',
  cc: 'gcc',
  'g++': 'gcc',
  'c++': 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
  podman: 'docker',
  pico: 'nano',
  gsort: 'sort',
  gdate: 'date',
};

/**
 * They print, compare or count, and can neither run nor write anything through their arguments: the only ones that may
 * get a word that is computed while they run.
 */
export const HARMLESS: ReadonlySet<string> = new Set(
  `echo true false : pwd cat head tail wc ls grep egrep fgrep basename dirname realpath readlink stat du df seq expr
   sleep nl cut tr paste fold rev od hexdump md5sum sha1sum sha256sum sha512sum shasum cksum b2sum sum comm cmp join column
   yes factor numfmt id whoami uname nproc tty groups who uptime free printenv which type jq diff`.split(/\s+/),
);

/** No rule is needed for these: they look at files or end the text, and change nothing. */
export const NEEDS_NO_RULE: ReadonlySet<string> = new Set(
  '[ [[ test true false : exit return break continue set'.split(' '),
);
