/**
 * A text in the user's own editor, on the terminal whatever our standard streams are. The file is the user's alone and
 * is gone afterwards. The caller must not read the terminal meanwhile: the editor does.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type EditorOutcome = { text: string } | { problem: string };

export const editorOf = (env: NodeJS.ProcessEnv): string | undefined => env.VISUAL || env.EDITOR || undefined;

/** Contract: never rejects. An aborted signal ends the editor. */
export async function editInFile(
  file: { text: string; suffix: string },
  options: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<EditorOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'reins-edit-'));
  const path = join(folder, `input${file.suffix}`);
  try {
    await writeFile(path, file.text, { mode: 0o600 });
    const problem = await run(path, options);
    return problem === undefined ? { text: await readFile(path, 'utf8') } : { problem };
  } catch (error) {
    return { problem: `the editor could not be used: ${(error as Error).message}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  path: string,
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string | undefined> {
  const command = editorOf(env);
  if (command === undefined) return Promise.resolve('neither VISUAL nor EDITOR is set');
  const tty = openSync('/dev/tty', 'r+');
  return new Promise((resolve) => {
    // Through a shell, as git does it: the variable may hold arguments.
    const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', path], { env, signal, stdio: [tty, tty, tty] });
    closeSync(tty);
    child.on('error', (error) => resolve(`the editor could not be used: ${error.message}`));
    child.on('close', (code, killedBy) =>
      resolve(code === 0 ? undefined : `the editor ended with ${killedBy ?? code}`),
    );
  });
}
