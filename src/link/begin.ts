/**
 * A host's process from its birth to its first word. A second face of this room, for who must start fast: a host takes
 * longer to load than the command that wants it, so it is begun before anything is known but the session's name, loads,
 * and waits. It goes on when it is told to; when whoever began it ends without a word, it ends too and has done nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HOST_ONLY, LIMIT_MARK, SPARING } from '../contract/ids.js';
import type { Env } from '../contract/index.js';
import { lastWordsFile, makeDir, sessionsDir } from '../disk/index.js';

export type { Env };

export interface BeginHost {
  /** The built host program. */
  program: string;
  dir: string;
  env: Env;
  /** Where a dying host leaves its last words. */
  lastWords: string;
  /** The kind of work it will most likely do, to be loaded meanwhile. */
  likely?: string;
}

export interface BegunHost {
  readonly dir: string;
  readonly lastWords: string;
  /** Lets it begin its session, with the word by which it will know who began it. Resolves with its first line, or what there was of it; rejects if it never ran. */
  go(starter: string): Promise<string>;
}

/** The directory and the last words of a session that does not exist yet. */
export const placesOf = (env: Env, id: string) => ({
  dir: join(sessionsDir(env), id),
  lastWords: lastWordsFile(env, id),
});

/** Throws when there is no place for its last words. It keeps nobody waiting until it is told to go. */
export function beginHost(options: BeginHost): BegunHost {
  const { dir, lastWords } = options;
  const child = spawnHost(options);
  const first = firstLine(child);
  // Whoever tells it to go learns of it; until then nobody minds.
  first.catch(() => undefined);
  const { stdin, stdout } = child;
  stdin?.on('error', () => undefined); // it died before it was told anything: its first word is missing, which says so
  const pipes = [stdin, stdout] as unknown as { ref(): void; unref(): void }[];
  for (const one of [child, ...pipes]) one?.unref();
  return {
    dir,
    lastWords,
    async go(starter) {
      pipes[1]?.ref();
      stdin?.end(`go ${starter}\n`);
      try {
        return await first;
      } finally {
        stdout?.destroy();
      }
    },
  };
}

function spawnHost({ program, dir, env, lastWords, likely }: BeginHost): ChildProcess {
  makeDir(dirname(lastWords));
  const words = openSync(lastWords, 'a', 0o600);
  try {
    // No V8 flags here: with any of them Node cannot use its own compiled code, and starts 20 ms later.
    const [command, ...args] = marked([process.execPath, program, dir, ...(likely === undefined ? [] : [likely])]);
    return spawn(command!, args, {
      cwd: '/',
      env: spare(env) as NodeJS.ProcessEnv,
      detached: true,
      stdio: ['pipe', 'pipe', words],
    });
  } finally {
    closeSync(words);
  }
}

/** What the user has set is the user's, and stays. */
export function spare(env: Env): Env {
  const added = Object.entries(SPARING).filter(([name]) => env[name] === undefined);
  return { ...env, ...Object.fromEntries(added), [HOST_ONLY]: added.map(([name]) => name).join(' ') };
}

/** Sets the limit and becomes the program in its arguments. Shells have one letter or the other for it, or none. */
const MARKING = `ulimit -x ${LIMIT_MARK} 2>/dev/null || ulimit -w ${LIMIT_MARK} 2>/dev/null; exec "$0" "$@"`;
const SHELL = '/bin/sh';

/** The host, and so everything it will ever start, under the limit that says "inside a session" (`proc/inside.ts`). */
function marked(argv: string[]): string[] {
  return process.platform === 'linux' && existsSync(SHELL) ? [SHELL, '-c', MARKING, ...argv] : argv;
}

/** The first line, or what there was of it when the stream ended. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const text = () => Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '';
    child.once('error', reject);
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.includes(10)) resolve(text());
    });
    child.stdout?.once('close', () => resolve(text()));
  });
}
