/**
 * The place where everything is measured: a temporary directory with a state directory of its own, the compiled
 * helpers, and a list of all that was started, so that all of it is ended, whatever happens.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const quick = process.argv.includes('--quick');

/** At least five, so that a median means something; fewer only while trying things out. */
export const ROUNDS = quick ? 3 : 5;

/** No command of a benchmark takes longer; one that does is stuck. */
const COMMAND_MS = 60_000;

/** The life of a helper that everyone forgot. */
export const LIFE_SECS = '120';

const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'dist');
export const program = join(dist, 'cli', 'main.js');
export const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

export const dir = mkdtempSync(join(tmpdir(), 'reins-bench-'));
for (const name of ['home', 'state', 'config', 'work']) mkdirSync(join(dir, name), { mode: 0o700 });

/** Nothing of the user's: neither configuration nor sessions, and no terminal we happen to run in. */
export const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: join(dir, 'home'),
  XDG_STATE_HOME: join(dir, 'state'),
  XDG_CONFIG_HOME: join(dir, 'config'),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  SHELL: '/bin/sh',
  SCREENDIR: join(dir, 'home'),
};

/** A room of the built program, with the types of its source. */
export const room = async <T>(name: string): Promise<T> => (await import(join(dist, name, 'index.js'))) as T;

const running = new Set<ChildProcess>();
const ends: (() => Promise<unknown>)[] = [];

/** Called at the end, last one first: what lives on its own (servers, sessions) is ended by its own command. */
export function atEnd(call: () => Promise<unknown>): void {
  ends.unshift(call);
}

export async function cleanUp(): Promise<void> {
  for (const end of ends.splice(0)) await end().catch(() => undefined); // gone already is as good as ended
  for (const child of running) child.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}

export function onPath(name: string): string | undefined {
  for (const part of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(part, name), constants.X_OK);
      return join(part, name);
    } catch {
      // not here: the next one
    }
  }
  return undefined;
}

export async function output(argv: string[], extra: NodeJS.ProcessEnv = {}): Promise<string> {
  const [command = '', ...args] = argv;
  const options = {
    env: { ...env, ...extra },
    cwd: join(dir, 'work'),
    timeout: COMMAND_MS,
    maxBuffer: 64 * 1024 * 1024,
  };
  const done = execute(command, args, options);
  // An open stdin would be taken for content that is still coming.
  done.child.stdin?.end();
  return (await done).stdout;
}

export const reins = (...args: string[]): Promise<string> => output([process.execPath, program, ...args]);

/** How long a command takes from start to end, in ms. */
export function timed(
  argv: string[],
  place: { cwd?: string; env?: NodeJS.ProcessEnv; stdin?: string } = {},
): Promise<number> {
  const [command = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(command, args, {
      env: place.env ?? env,
      cwd: place.cwd ?? join(dir, 'work'),
      stdio: [place.stdin === undefined ? 'ignore' : 'pipe', 'ignore', 'ignore'],
      timeout: COMMAND_MS,
    });
    child.once('error', reject);
    // `node -e 0` ends without reading it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(place.stdin);
    child.once('exit', (code) => {
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      if (code === 0) resolve(ms);
      else reject(new Error(`${argv.join(' ')} ended with ${code}`));
    });
  });
}

let compiled: Promise<{ drive: string; agent: string }> | undefined;

export function helpers(): Promise<{ drive: string; agent: string }> {
  compiled ??= (async () => {
    const cc = onPath('cc') ?? onPath('gcc') ?? onPath('clang');
    if (!cc) throw new Error('there is no C compiler here, and the reader must be as fast as a terminal can be');
    const [drive = '', agent = ''] = await Promise.all(
      ['drive', 'agent'].map(async (name) => {
        const source = fileURLToPath(new URL(`./c/${name}.c`, import.meta.url));
        await output([cc, '-O2', '-o', join(dir, name), source, '-lutil']);
        return join(dir, name);
      }),
    );
    return { drive, agent };
  })();
  return compiled;
}

export interface Driven {
  /** Lets it go on from READY. */
  go(): void;
  /** Its line of figures. */
  result: Promise<string>;
  end(): Promise<void>;
}

/** A viewer in a terminal of its own; resolves when the program in it has said that it is ready. */
export async function drive(
  mode: 'flood' | 'watch' | 'stall' | 'echo' | 'poke' | 'open',
  argv: string[],
  goal = 'DONE-7',
): Promise<Driven> {
  const { drive: driver } = await helpers();
  const child = spawn(driver, [mode, mode === 'open' ? goal : 'READY-7', goal, LIFE_SECS, '--', ...argv], {
    env,
    cwd: join(dir, 'work'),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void exited.then(() => running.delete(child));
  child.stdin.on('error', () => undefined); // it ended first; its exit tells
  let said = '';
  let complaint = '';
  const waiters: { line: number; resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  const tell = () => {
    const lines = said.split('\n').slice(0, -1);
    for (const waiter of [...waiters]) {
      if (lines.length <= waiter.line) continue;
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.resolve(lines[waiter.line]!);
    }
  };
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
    tell();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    complaint += bytes.toString();
  });
  void exited.then(() => {
    for (const { reject } of waiters) reject(new Error(`${argv.join(' ')}: ${complaint.trim() || 'no figures came'}`));
  });
  const line = (at: number) =>
    new Promise<string>((resolve, reject) => {
      waiters.push({ line: at, resolve, reject });
      tell();
    });
  await line(0);
  const result = line(1);
  result.catch(() => undefined); // whoever needs it hears of it
  return {
    go: () => child.stdin.write('go\n'),
    result,
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** A fact the kernel keeps about a process, from a file of `Name: value kB` lines. */
export function memoryOf(pid: number, file: 'smaps_rollup' | 'status', name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  return Number(found?.[1] ?? Number.NaN) / 1024;
}
