/**
 * The tools of the practice agent. They really do what they say, files only inside the working directory. As in the
 * real agents every shell command gets a session of its own, so signals to the agent's group do not reach it.
 */
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';

export interface ToolResult {
  ok: boolean;
  /** What the model is told. */
  text: string;
  /** The structured side of it, as in claude's `tool_use_result`. */
  data: unknown;
}

/** Which tools ask before they run; the rest only reads. */
export const needsPermission = (tool: string): boolean => ['Bash', 'Write', 'Edit', 'ExitPlanMode'].includes(tool);

/** More output than this is cut, as the real agents do. */
const OUTPUT_CHARS = 30_000;
/** How long the pipes of a command that ended may still bring output. */
const LINGER_MS = 200;

export async function runTool(
  call: { tool: string; input: Record<string, unknown> },
  around: { cwd: string; signal: AbortSignal },
): Promise<ToolResult> {
  const text = (key: string) => (typeof call.input[key] === 'string' ? (call.input[key] as string) : '');
  try {
    if (call.tool === 'Bash') return await runBash(text('command'), around);
    if (call.tool === 'ExitPlanMode') return done('User has approved your plan. You can now start coding.');
    const path = inside(around.cwd, text('file_path'));
    if (call.tool === 'Read') return done(readFileSync(path, 'utf8'));
    if (call.tool === 'Write') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text('content'));
      return done(`File created successfully at: ${path}`);
    }
    if (call.tool === 'Edit') {
      const before = readFileSync(path, 'utf8');
      if (!before.includes(text('old_string'))) return failed('String to replace not found in file.');
      writeFileSync(
        path,
        before.replace(text('old_string'), () => text('new_string')),
      );
      return done(`The file ${path} has been updated.`);
    }
    return failed(`No such tool available: ${call.tool}`);
  } catch (error) {
    return failed((error as Error).message);
  }
}

export const done = (text: string, data: unknown = text): ToolResult => ({ ok: true, text, data });
export const failed = (text: string): ToolResult => ({ ok: false, text, data: `Error: ${text}` });

/** Resolves links: a path that leads out of the working directory is an error, also by a link to nothing. */
function inside(cwd: string, path: string): string {
  if (path === '') throw new Error('file_path is missing');
  const root = realpathSync(cwd);
  const real = realpathOf(resolve(root, path));
  if (real !== root && !real.startsWith(root + sep)) throw new Error(`${path} is outside the working directory`);
  return real;
}

/** Like realpath, for files that do not exist yet. */
function realpathOf(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })) return realpathSync(path);
  return path === dirname(path) ? path : resolve(realpathOf(dirname(path)), basename(path));
}

export function runBash(command: string, around: { cwd: string; signal: AbortSignal }): Promise<ToolResult> {
  return new Promise((settle) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: around.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        if (said[name].length < OUTPUT_CHARS) said[name] = (said[name] + chunk).slice(0, OUTPUT_CHARS);
      });
    }
    const kill = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Already gone: that is what we wanted.
      }
    };
    around.signal.addEventListener('abort', kill, { once: true });
    let ended = false;
    const end = (code: number | null, trouble?: string) => {
      if (ended) return;
      ended = true;
      child.stdout.destroy();
      child.stderr.destroy();
      around.signal.removeEventListener('abort', kill);
      const { stdout, stderr } = said;
      const data = { stdout, stderr, interrupted: around.signal.aborted, isImage: false, noOutputExpected: false };
      const words = (stdout + stderr).trimEnd();
      if (code === 0) return settle({ ok: true, text: words || '(Bash completed with no output)', data });
      settle({
        ok: false,
        text: `${trouble ?? `Exit code ${code ?? 'none: killed'}`}${words ? `\n${words}` : ''}`,
        data,
      });
    };
    child.on('error', (error) => end(null, error.message));
    child.on('close', (code) => end(code));
    // A background child keeps the pipes open, and a real agent does not wait for it either.
    child.on('exit', (code) => setTimeout(() => end(code), LINGER_MS));
  });
}
