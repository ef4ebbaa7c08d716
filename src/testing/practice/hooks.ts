/**
 * Command hooks in claude's format: which ones a settings file registers for an event, running them with the event as
 * JSON on stdin, and what their output means. As in claude a broken hook decides nothing: only exit 2 or a clear word does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Hook {
  type?: string;
  command?: string;
  args?: string[];
  timeout?: number;
}

export interface HookSaid {
  /** Exit 2: stderr is the reason. */
  blocked?: string;
  output: Record<string, unknown>;
  specific: Record<string, unknown>;
}

/** Claude's own default. */
const TIMEOUT_SECS = 600;

type Registered = Record<string, { matcher?: string; hooks?: Hook[] }[]>;

export class Hooks {
  readonly #registered: Registered;
  readonly #session: { id: string; cwd: string; transcript: string; skipPermissions: boolean };
  readonly #running = new Set<ChildProcess>();

  constructor(given: {
    settings: string | undefined;
    session: { id: string; cwd: string; transcript: string; skipPermissions: boolean };
  }) {
    this.#session = given.session;
    const text = given.settings?.trimStart().startsWith('{')
      ? given.settings
      : given.settings && readFileSync(given.settings, 'utf8');
    this.#registered = text ? ((JSON.parse(text) as { hooks?: Registered }).hooks ?? {}) : {};
  }

  /** Runs every hook of this event side by side; what they said, in order. */
  run(event: string, details: Record<string, unknown>, tool = ''): Promise<HookSaid[]> {
    const hooks = (this.#registered[event] ?? [])
      .filter(({ matcher }) => !matcher || matcher === '*' || new RegExp(`^(?:${matcher})$`).test(tool))
      .flatMap((group) => group.hooks ?? [])
      .filter((hook) => hook.type === 'command' && hook.command);
    const { id, cwd, transcript, skipPermissions } = this.#session;
    const payload = JSON.stringify({
      session_id: id,
      transcript_path: transcript,
      cwd,
      permission_mode: skipPermissions ? 'bypassPermissions' : 'default',
      hook_event_name: event,
      ...details,
    });
    return Promise.all(hooks.map((hook) => this.#call(hook, payload)));
  }

  /** Ends hooks that still wait. Contract: may be called twice. */
  close(): void {
    for (const child of this.#running) child.kill('SIGTERM');
    this.#running.clear();
  }

  #call(hook: Hook, payload: string): Promise<HookSaid> {
    return new Promise((settle) => {
      const [program, args] = hook.args ? [hook.command!, hook.args] : ['/bin/sh', ['-c', hook.command!]];
      const child = spawn(program, args, {
        cwd: this.#session.cwd,
        env: { ...process.env, CLAUDE_PROJECT_DIR: this.#session.cwd },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: (hook.timeout ?? TIMEOUT_SECS) * 1000,
      });
      this.#running.add(child);
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        stdout += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
      });
      // A hook that does not read its input is not an error of ours.
      child.stdin.on('error', () => undefined).end(payload);
      const end = (code: number | null) => {
        this.#running.delete(child);
        settle(code === 2 ? { blocked: stderr.trim() || 'blocked by a hook', output: {}, specific: {} } : read(stdout));
      };
      child.on('error', () => end(null));
      child.on('close', end);
    });
  }
}

function read(stdout: string): HookSaid {
  try {
    const output = JSON.parse(stdout) as Record<string, unknown>;
    if (output === null || typeof output !== 'object') return { output: {}, specific: {} };
    const specific = output.hookSpecificOutput;
    return { output, specific: specific && typeof specific === 'object' ? (specific as Record<string, unknown>) : {} };
  } catch {
    // Not JSON: the hook said nothing that counts.
    return { output: {}, specific: {} };
  }
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
