/**
 * Programs that start another one, beyond the wrappers whose options are read. Where the words behind the launcher are a
 * command, it is unfolded; elsewhere every word could begin one, which only deny rules look at.
 */
import { afterOptions, guessed, prefix, type Runs, type Wrapper } from './runs.js';
import type { Word } from './shell-words.js';

const anything: Wrapper = (args) => ({ unclear: 'it runs a command', ...guessed(args) });
/** The words that start something are among others that do not: no doubt for those. */
const perhaps: Wrapper = (args) => guessed(args);

/** `poetry run CMD`, `bundle exec CMD`: behind these words stands a command. */
function behind(words: RegExp, values = ''): Wrapper {
  return (args) => {
    const at = args.findIndex((word) => word.exact && words.test(word.text));
    if (at < 0) return {};
    // Options between the program and the word belong to the program; they are judged with it.
    return command(args, at + 1, values);
  };
}

function command(args: Word[], start: number, values: string): Runs {
  const rest = args.slice(start);
  const inner = afterOptions(rest, { flags: 'y q yes quiet no-install silent verbose', values });
  if (!inner) return { unclear: 'an option that is not understood', ...guessed(rest) };
  return inner.length > 0 ? { commands: [inner], from: args.length - inner.length } : {};
}

const npx: Wrapper = (args) => {
  const text = args.findIndex((word) => /^(-c|--call)$/.test(word.text));
  const joined = args.find((word) => word.text.startsWith('--call='));
  if (text >= 0 || joined) return { unclear: 'it runs a command', ...guessed(args) };
  return command(args, 0, 'p package');
};

const npm: Wrapper = (args) => {
  const at = args.findIndex((word) => word.exact && !word.text.startsWith('-'));
  const sub = args[at]?.text ?? '';
  if (/^(exec|x|dlx|node)$/.test(sub)) {
    const inner = npx(args.slice(at + 1), sub);
    return inner.from === undefined ? inner : { ...inner, from: inner.from + at + 1 };
  }
  // `yarn run X` may run a program instead of a script; `npm run env -- X` too.
  return /^(run|explore|exec-.*|workspace|workspaces|foreach|-r)$/.test(sub) ? guessed(args.slice(at + 1)) : {};
};

const git: Wrapper = (args) => {
  const sub = args.findIndex((word) => /^(bisect|submodule|rebase|filter-branch|hook|difftool)$/.test(word.text));
  const config = args.filter((word) => /^alias\.|=!|^-c/.test(word.text));
  const texts = config.flatMap((word) =>
    word.text.includes('=!') ? [{ ...word, text: word.text.split('=!')[1]! }] : [],
  );
  if (sub < 0) return texts.length > 0 ? { guessedTexts: texts } : {};
  const rest = args.slice(sub + 1);
  const found = /^(bisect|submodule)$/.test(args[sub]!.text) && !rest.some((word) => /^(run|foreach)$/.test(word.text));
  if (found) return {};
  const more = guessed(rest.map((word) => ({ ...word, text: word.text.replace(/^(--exec=|-x(?=.))/, '') })));
  return { ...more, guessedTexts: [...texts, ...more.guessedTexts!] };
};

export const LAUNCHERS: [string, Wrapper][] = [
  ['fakeroot', prefix({ values: 'l s i lib faked' })],
  ['setarch linux32 linux64 i386 x86_64', anything],
  ['npx bunx pnpx uvx', npx],
  ['npm pnpm yarn bun', npm],
  ['corepack', prefix({})],
  ['git', git],
  ['poetry pipenv pdm hatch rye pixi devbox doppler op', behind(/^run$/)],
  ['uv', behind(/^run$/, 'with p python')],
  ['pipx', behind(/^run$/, 'spec')],
  ['bundle rbenv pyenv asdf', behind(/^exec$/)],
  ['cross-env env-cmd', (args) => ({ unclear: 'it sets variables for another program', ...guessed(args) })],
  [
    `setpriv prlimit chpst setuidgid gosu su-exec watch entr parallel strace ltrace gdb lldb unshare nsenter systemd-run
     systemd-inhibit dbus-run-session xvfb-run firejail bwrap proot valgrind perf numactl cgexec catchsegv unbuffer expect
     torsocks tsocks proxychains proxychains4 cpulimit pkexec cross-env-shell dotenv direnv mise conda mamba micromamba nix
     nix-shell concurrently nodemon wireit hyperfine rlwrap ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1
     ld-musl-x86_64.so.1 uftrace rr dtach abduco reptyr start-stop-daemon daemonize ssh-agent dbus-launch gpg-agent sg newgrp
     machinectl capsh faketime datefudge eatmydata chronic ts ifne pee mispipe cronic tini dumb-init s6-setuidgid runsv
     softlimit envdir setlock pgrphack multilog arch`,
    anything,
  ],
  ['docker podman nerdctl kubectl oc lerna nx turbo just tmux screen vagrant ansible gh', perhaps],
];
