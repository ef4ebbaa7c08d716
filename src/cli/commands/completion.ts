/** `reins completion`: a script for the user's shell that asks `reins` itself what could come next. */
import { ReinsError } from '../../contract/index.js';
import type { Command } from '../commander.js';
import { complete } from '../complete.js';
import type { Context } from '../context.js';

const BASH = `# bash: put this line into ~/.bashrc:  source <(reins completion bash)
_reins() {
  local IFS=$'\\n'
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(reins __complete -- "\${words[@]}" 2>/dev/null | cut -f1))
}
complete -o default -F _reins reins
`;

const ZSH = `#compdef reins
# zsh: put this line into ~/.zshrc, behind compinit:  source <(reins completion zsh)
_reins() {
  local -a found
  local line
  for line in "\${(@f)$(reins __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then _describe reins found; else _files; fi
}
compdef _reins reins
`;

const FISH = `# fish: reins completion fish > ~/.config/fish/completions/reins.fish
function __reins_complete
  set -l words (commandline -opc) (commandline -ct)
  reins __complete -- $words[2..-1] 2>/dev/null
end
complete -c reins -a '(__reins_complete)'
`;

const SCRIPTS: Record<string, string> = { bash: BASH, zsh: ZSH, fish: FISH };

export async function completion(context: Context, shell: string): Promise<number> {
  const script = SCRIPTS[shell];
  if (script === undefined) {
    throw new ReinsError('USAGE', { problem: `there is no completion for ${shell}`, fix: 'name bash, zsh or fish' });
  }
  context.channels.out(script);
  return 0;
}

/** Never an error: a shell that is completing has no place for one. */
export async function candidates(context: Context, program: Command, words: string[]): Promise<number> {
  const lines = await complete(context, program, words).catch(() => []);
  context.channels.out(lines.map((line) => `${line}\n`).join(''));
  return 0;
}
