/**
 * The program an agent calls before it uses a tool, in the session's own directory. An agent calls it for as long as it
 * runs: had an upgrade meanwhile put another build's in its place, or none, every tool call of the night would be denied.
 * The same goes for Node itself, which version managers remove; then the host's own process still has it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from '../disk/index.js';
import { keepFile, launcherOf } from './kept-files.js';

/** Throws what the disk says. Returns how it is called; the agent's event is added behind. */
export function keepHookProgram(dir: string): string[] {
  const program = join(dir, FILES.hooks, 'hook.cjs');
  const launcher = join(dir, FILES.hooks, 'hook.sh');
  keepFile({ path: program, content: readFileSync(new URL('../hook/main.cjs', import.meta.url), 'utf8') });
  keepFile({ path: launcher, content: launcherOf(program, { say: 'the call is not allowed', exit: 2 }) });
  return ['/bin/sh', launcher];
}
