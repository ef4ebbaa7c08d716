/**
 * What a loop's agent finds in its shells: `reins` where a login shell has taken our folder off PATH (`bash -lc` reads the
 * profile, which sets PATH anew), the way out for its events, and, in a loop that a ralph.yml describes, a `ralph` that
 * publishes them. That one stands first on PATH, and only there: where the user has the real one, its events would go
 * into its own files, and nobody would hear them.
 */
import { join } from 'node:path';
import { EMIT_PROGRAM, EMIT_VIA } from '../contract/ids.js';
import { type EmitVia, viaText } from '../link/emit-drop.js';
import { keepFile, quoted } from './kept-files.js';

export interface InsidePrograms {
  /** A folder for the front of PATH. */
  first?: string;
  env: Record<string, string>;
}

/** Throws what the disk says. `bin`: the folder with our own program. */
export function insidePrograms(given: { dir: string; bin: string; via: EmitVia; ralph: boolean }): InsidePrograms {
  const { dir, bin, via } = given;
  const reins = join(bin, 'reins');
  const emit = join(dir, 'inside', 'emit');
  keepFile({ path: emit, content: `#!/bin/sh\nexec ${quoted(reins)} emit "$@"\n`, mode: 0o700 });
  const ralph = given.ralph ? join(dir, 'inside', 'ralph', 'ralph') : undefined;
  if (ralph) keepFile({ path: ralph, content: ralphScript(reins), mode: 0o700 });
  return {
    ...(ralph ? { first: join(dir, 'inside', 'ralph') } : {}),
    env: {
      [EMIT_PROGRAM]: emit,
      [EMIT_VIA]: viaText(via),
      // Every bash takes these over, whatever its profile does to PATH; the user's own `reins` comes first as ever.
      'BASH_FUNC_reins%%': `() { if type -P reins >/dev/null; then command reins "$@"; else ${quoted(reins)} "$@"; fi; }`,
      ...(ralph ? { 'BASH_FUNC_ralph%%': `() { ${quoted(ralph)} "$@"; }` } : {}),
    },
  };
}

/** `ralph emit TOPIC [PAYLOAD]` with ralph's own flags; what they say has no meaning here. */
const ralphScript = (reins: string): string => `#!/bin/sh
# Made by Reins for a loop that a ralph.yml describes.
no() { echo "ralph: $1" >&2; exit 2; }
usage='this loop runs under Reins, which has \`ralph emit TOPIC [PAYLOAD]\` of it (PAYLOAD - is stdin)'
case "$1" in
  emit) shift ;;
  tools) no "there are no \\\`ralph tools\\\` here: keep notes and tasks in files of the project; $usage" ;;
  run | resume | loops) no "a loop is running already, and you are in it; $usage" ;;
  '' | -h | --help | help) no "$usage" ;;
  *) no "there is no \\\`ralph $1\\\` here; $usage" ;;
esac
topic= payload= words=0
word() {
  case $words in 0) topic=$1 ;; 1) payload=$1 ;; *) payload="$payload $1" ;; esac
  words=$((words + 1))
}
while [ $# -gt 0 ]; do
  case "$1" in
    -j | --json | -v | --verbose) ;;
    --ts | --file | --target | -c | --config | -H | --hats | --color) [ $# -gt 1 ] && shift ;;
    --ts=* | --file=* | --target=* | --config=* | --hats=* | --color=*) ;;
    -h | --help) no "$usage" ;;
    --) shift; while [ $# -gt 0 ]; do word "$1"; shift; done; break ;;
    -?*) [ $words -eq 0 ] && no "\\\`ralph emit\\\` knows no $1 here; $usage"; word "$1" ;;
    *) word "$1" ;;
  esac
  shift
done
[ $words -gt 0 ] || no "$usage"
exec ${quoted(reins)} emit "$topic" -- "$payload"
`;
