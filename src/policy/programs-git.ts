/** git, as data: what each sub-command takes that neither runs a program nor writes a file of the caller's choice. */
import type { Program } from './programs.js';

const DIFF = `-p -u -s -U: -M: -C: -D -R -a -w -b -W -z -c -m --patch --no-patch --stat --stat= --numstat --shortstat --dirstat
  --summary --name-only --name-status --color --color= --no-color --word-diff --word-diff= --color-words --minimal --patience
  --histogram --diff-algorithm= --check --full-index --binary --abbrev --abbrev= --find-renames --find-renames= --find-copies
  --no-renames --diff-filter= -S: -G: --pickaxe-all --pickaxe-regex --relative --relative= --text --ignore-space-change
  --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --inter-hunk-context= --function-context
  --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules --ignore-submodules= --submodule --submodule=
  --src-prefix= --dst-prefix= --no-prefix --raw --unified= --cached --staged --merge-base --no-index --compact-summary
  --patch-with-stat --cc --ws-error-highlight= --color-moved --color-moved= --indent-heuristic`;
const LOG = `${DIFF} -n: -# -i -E -F -P -L: -g -q --oneline --pretty --pretty= --format= --graph --decorate --decorate=
  --no-decorate --all --branches --branches= --tags --tags= --remotes --remotes= --first-parent --no-merges --merges --since=
  --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --reverse --follow
  --date= --date-order --topo-order --author-date-order --abbrev-commit --no-abbrev-commit --max-count= --skip= --full-history
  --simplify-merges --ancestry-path --boundary --left-right --cherry --cherry-pick --cherry-mark --left-only --right-only
  --source --walk-reflogs --dense --sparse --children --parents --not --no-walk --notes --no-notes --relative-date --count
  --objects --max-parents= --min-parents= --no-mailmap --use-mailmap`;
const NET = `-a -p -P -q -v -t -n -k -j: -f -4 -6 --all --prune --prune-tags --quiet --verbose --tags --no-tags --depth= --deepen=
  --unshallow --dry-run --force --append --multiple --progress --no-progress --shallow-since= --atomic
  --no-recurse-submodules --set-upstream --refetch --jobs= --ipv4 --ipv6 --no-auto-gc`;
const REFS = `--list --list= --sort= --format= --contains --contains= --no-contains --no-contains= --merged --merged=
  --no-merged --no-merged= --points-at= --column --no-column --color --color= --no-color --ignore-case --force -f -i`;

/** `ext::` and its like name a program to talk to. */
const isPlainUrl = (text: string) => !text.includes('::');
/** What it makes lies in the working directory. */
const staysBelow = (text: string) => isPlainUrl(text) && !/^[/~]|(^|\/)\.\.(\/|$)/.test(text);
const log: Program = { safe: LOG };
const url = (safe: string): Program => ({ safe, operand: isPlainUrl });

const SUBS: Record<string, Program> = {
  status: {
    safe: `-s -b -u: -z -v --short --branch --porcelain --porcelain= --long --verbose --untracked-files --untracked-files=
      --ignored --ignored= --no-renames --renames --find-renames --column --no-column --ahead-behind --no-ahead-behind
      --show-stash --ignore-submodules --ignore-submodules=`,
  },
  diff: { safe: `${DIFF} -#` },
  log,
  show: log,
  whatchanged: log,
  reflog: { safe: LOG, subs: { show: log, exists: {} } },
  'rev-list': log,
  'range-diff': log,
  'diff-tree': { safe: `${LOG} -r -t --root --no-commit-id` },
  'diff-index': log,
  'diff-files': log,
  add: {
    safe: `-A -u -n -v -f -N --all --update --dry-run --verbose --force --intent-to-add --ignore-errors --refresh --renormalize
      --no-all --sparse`,
  },
  commit: {
    safe: `-m: -a -q -v -s -n -F: -C: -i -o -z --message= --all --quiet --verbose --signoff --no-verify --amend --no-edit
      --allow-empty --allow-empty-message --author= --date= --file= --fixup= --squash= --reuse-message= --dry-run --only
      --include --no-status --status --reset-author --trailer= --no-gpg-sign --short --porcelain --branch --cleanup=
      --no-post-rewrite --no-signoff`,
    data: true,
  },
  branch: {
    safe: `${REFS} -a -r -v -l -d -D -m -M -c -C -t -u: -q --all --remotes --show-current --verbose --delete --move --copy --track
      --track= --no-track --set-upstream-to= --unset-upstream --abbrev= --create-reflog --quiet`,
  },
  switch: {
    safe: `-c: -C: -d -f -q -t -m --create= --force-create= --detach --discard-changes --force --merge --track --track=
      --no-track --guess --no-guess --orphan= --quiet --progress --no-progress --ignore-other-worktrees
      --no-recurse-submodules --conflict=`,
  },
  checkout: {
    safe: `-b: -B: -q -f -t -d -m --detach --force --track --track= --no-track --quiet --ours --theirs --merge --orphan=
      --progress --no-progress --guess --no-guess --conflict= --no-recurse-submodules`,
  },
  restore: {
    safe: '-s: -S -W -q --source= --staged --worktree --quiet --ours --theirs --merge --progress --no-progress --ignore-unmerged',
  },
  reset: { safe: '--soft --mixed --hard --keep --merge -q --quiet -N --no-refresh --refresh' },
  fetch: url(NET),
  pull: url(`${NET} -r --rebase --no-rebase --ff --ff-only --no-ff --autostash --no-autostash --no-edit --squash --no-squash
    --commit --no-commit --stat --no-stat --log --no-log --signoff --no-verify`),
  push: url(`-u -f -n -q -v -d -o: --set-upstream --force --force-with-lease --force-with-lease= --force-if-includes --dry-run
    --quiet --verbose --delete --tags --follow-tags --all --mirror --prune --porcelain --progress --no-progress --atomic
    --no-verify --thin --no-thin --push-option= --branches`),
  clone: {
    operand: staysBelow,
    safe: `-q -v -n -b: -l -j: --quiet --verbose --no-checkout --branch= --depth= --single-branch --no-single-branch
    --no-tags --shallow-since= --filter= --jobs= --progress --local --no-hardlinks --sparse --no-local`,
  },
  'ls-remote': url('-h -t -q --heads --tags --refs --exit-code --get-url --sort= --symref --quiet --branches'),
  merge: {
    safe: `-q -v -n -m: -F: -X: --no-edit --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --abort --continue
      --quit --stat --no-stat --log --no-log --message= --file= --strategy-option= --signoff --no-verify --quiet --verbose
      --progress --no-progress --autostash --no-autostash --allow-unrelated-histories --no-rerere-autoupdate`,
  },
  rebase: {
    safe: `-n -q -v -f -X: --continue --abort --skip --quit --onto= --root --autosquash --no-autosquash --autostash
      --no-autostash --keep-base --fork-point --no-fork-point --stat --no-stat --quiet --verbose --force-rebase --no-ff
      --rebase-merges --update-refs --no-update-refs --ignore-whitespace --committer-date-is-author-date --signoff
      --no-verify --verify --reapply-cherry-picks --empty= --strategy-option=`,
  },
  'cherry-pick': {
    safe: '-n -x -m: -s -X: --no-commit --mainline= --continue --abort --skip --quit --allow-empty --keep-redundant-commits --signoff --ff --strategy-option=',
  },
  revert: { safe: '-n -m: -s -X: --no-edit --no-commit --mainline= --continue --abort --skip --quit --signoff' },
  stash: {
    safe: '-u -a -k -q -m: -S --message= --include-untracked --all --keep-index --no-keep-index --quiet --staged',
    subs: {
      list: log,
      show: { safe: `${DIFF} -u --include-untracked --only-untracked` },
      push: {
        safe: '-u -a -k -q -m: -S --message= --include-untracked --all --keep-index --no-keep-index --quiet --staged',
      },
      pop: { safe: '-q --index --quiet' },
      apply: { safe: '-q --index --quiet' },
      drop: { safe: '-q --quiet' },
      clear: {},
      branch: {},
    },
  },
  tag: {
    safe: `${REFS} -l -n: -d -a -m: -F: --delete --annotate --message= --file= --cleanup= --create-reflog`,
  },
  remote: {
    safe: '-v --verbose',
    subs: {
      show: { safe: '-n' },
      'get-url': { safe: '--all --push' },
      prune: { safe: '-n --dry-run' },
      update: { safe: '-p --prune' },
    },
  },
  'rev-parse': {
    safe: `-q --short --short= --abbrev-ref --abbrev-ref= --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir
      --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository
      --absolute-git-dir --symbolic --symbolic-full-name --all --branches --tags --remotes --sq --not --revs-only
      --path-format= --git-path= --show-superproject-working-tree`,
  },
  'ls-files': {
    safe: `-c -d -m -o -i -s -u -k -t -v -z -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed
      --exclude= --exclude-standard --error-unmatch --full-name --directory --eol --recurse-submodules --abbrev=
      --deduplicate --format=`,
  },
  'ls-tree': {
    safe: '-r -d -t -l -z --name-only --name-status --long --full-name --full-tree --abbrev= --format= --object-only',
  },
  'cat-file': {
    safe: '-t -s -e -p -z --batch --batch-check --batch= --batch-check= --batch-all-objects --unordered --buffer',
    data: true,
  },
  blame: {
    safe: `-L: -l -t -s -w -c -e -f -n -p -M: -C: -b --root --show-stats --line-porcelain --porcelain --incremental --date=
      --since= --show-name --show-number --show-email --color-lines --color-by-age --abbrev= --ignore-rev= --first-parent
      --progress --reverse`,
  },
  grep: {
    safe: `-n -i -l -L -c -w -v -E -F -G -P -h -H -o -q -e: -A: -B: -C: -a -I -r -z -W -p -m: -# --line-number --ignore-case
      --files-with-matches --files-without-match --name-only --count --word-regexp --invert-match --extended-regexp
      --fixed-strings --basic-regexp --perl-regexp --only-matching --quiet --cached --untracked --no-index --context=
      --after-context= --before-context= --color --no-color --color= --heading --break --show-function --function-context
      --all-match --and --or --not --max-depth= --recurse-submodules --full-name --null --threads= --max-count= --column
      --text --exclude-standard --no-exclude-standard`,
  },
  shortlog: {
    safe: '-s -n -e -c -w: --summary --numbered --email --group= --committer --format= --since= --until= --no-merges --all',
    data: true,
  },
  describe: {
    safe: '--tags --all --always --dirty --dirty= --abbrev= --long --match= --exclude= --exact-match --first-parent --candidates= --contains --broken',
  },
  'merge-base': { safe: '-a --is-ancestor --all --octopus --fork-point --independent' },
  'show-ref': {
    safe: '-q -s: -d --heads --tags --verify --hash --hash= --head --dereference --quiet --abbrev= --branches',
  },
  'for-each-ref': { safe: `${REFS} --count=` },
  'name-rev': { safe: '--tags --all --name-only --always --refs= --no-undefined' },
  'symbolic-ref': { safe: '-q --short --quiet', most: 1 },
  'count-objects': { safe: '-v -H --verbose --human-readable' },
  'check-ignore': { safe: '-v -q -n -z --no-index --stdin --verbose --quiet --non-matching', data: true },
  'check-attr': { safe: '-a -z --all --stdin --cached', data: true },
  'interpret-trailers': { safe: '--parse --only-trailers --only-input --unfold --trailer= --no-divider', data: true },
  'hash-object': { safe: '-t: --stdin --no-filters', data: true },
  cherry: { safe: '-v --abbrev=' },
  worktree: { subs: { list: { safe: '--porcelain -v -z --verbose' } } },
  submodule: { subs: { status: { safe: '--recursive --cached' }, summary: { safe: '--cached --files' } } },
  bisect: { subs: { start: {}, good: {}, bad: {}, old: {}, new: {}, skip: {}, reset: {}, log: {}, terms: {} } },
  bundle: { subs: { verify: { safe: '-q --quiet' }, 'list-heads': {} } },
  config: {
    safe: '-l -z --list --get --get-all --get-regexp --get= --show-origin --show-scope --global --local --system --name-only --null --includes --type= --default=',
    needs: /^(-l|--list|--get|--get-all|--get-regexp)$/,
  },
  rm: { safe: '-r -f -n -q --cached --force --dry-run --quiet --ignore-unmatch --sparse' },
  mv: { safe: '-f -k -n -v --force --dry-run --verbose --sparse' },
  clean: { safe: '-n -d -f -x -X -q -e: --dry-run --force --quiet --exclude=' },
  init: { safe: '-q -b: --quiet --initial-branch=', operand: staysBelow },
  archive: { safe: '-l -v --list --format= --prefix= --verbose' },
  fsck: { safe: '--full --strict --no-dangling --connectivity-only --verbose --progress --no-progress' },
  gc: { safe: '-q --auto --quiet --aggressive --prune --prune= --no-prune' },
  version: { safe: '--build-options' },
};

export const GIT: Program = {
  safe: '--version --no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs',
  takes: ['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env'],
  subs: SUBS,
};
