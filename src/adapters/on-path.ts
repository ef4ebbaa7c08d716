/** Looks a program up as a shell would. A PTY reports a missing program as exit code 1 and text, so look before. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** The absolute path of the program, or undefined. A name with a slash is taken as a path from `cwd`. */
export function onPath(
  command: string,
  { env, cwd = process.cwd() }: { env: Record<string, string | undefined>; cwd?: string },
): string | undefined {
  if (command === '') return undefined;
  if (command.includes('/')) {
    const path = resolve(cwd, command);
    return isExecutable(path) ? path : undefined;
  }
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    // An empty entry means the current directory in PATH; nobody wants that searched for an agent.
    const path = dir === '' ? undefined : resolve(cwd, dir, command);
    if (path !== undefined && isExecutable(path)) return path;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Absent or not ours to run: look further along PATH.
  }
}
