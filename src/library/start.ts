/** Starting, finding and listing sessions from a program. What the command line does, with values instead of words. */
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { SessionRow, Size, Trust } from '../contract/index.js';
import { ReinsError } from '../contract/index.js';
import { FILES } from '../disk/index.js';
import { journalOf } from '../journal/read.js';
import type { Place } from '../link/index.js';
import { connectTo, findSession, listed, lostHost, type Where } from '../sessions/index.js';
import type { AgentTask } from '../sessions/run.js';
import { Session } from './session.js';

/** Where a program stands. Everything has a default: its own environment and folder. */
export interface Here {
  cwd?: string;
  /** Of the agents it starts. `HOME` and `XDG_STATE_HOME` in it say where sessions are kept. */
  env?: Record<string, string | undefined>;
}

interface StartBase extends Here {
  name?: string;
  /** Which paired devices may know of it; `default` unless told. */
  namespace?: string;
  /** Of its terminal. */
  size?: Size;
  /** Lives on when this program ends; else it ends with it, however that ends. */
  detach?: boolean;
  /** Seconds one iteration, or the command, may take. */
  timeoutSecs?: number;
  /** What a person at a command line would be told on the way. */
  notice?(line: string): void;
}

export interface CommandOptions extends StartBase {
  /** Any command: the program and its arguments. */
  command: readonly string[];
  /** In a terminal it believes in (the default), or on plain pipes. */
  pty?: boolean;
}

export interface AgentOptions extends StartBase {
  /** `claude`, `codex`, `gemini`, …; without it the config says which, or the first that is found. */
  agent?: string;
  /** Instead of `agent`: the whole path of a module of your own with an `Adapter` as its default export. */
  adapter?: string;
  /** `autonomous`: we drive, to an end. `interactive`: its own terminal program, message by message. */
  mode?: 'autonomous' | 'interactive';
  prompt?: string;
  /** Handed to the agent as they are. */
  args?: readonly string[];
  trust?: Trust;
  /** One iteration, whatever it says. */
  once?: boolean;
  /** `key=value` as for `--set`, over every file. */
  set?: readonly string[];
  /** A file instead of the folder's `reins.yml`. */
  config?: string;
  /** The folder's file is followed although nobody agreed to it: only for folders that are yours. */
  trustFolder?: boolean;
  /** Autonomous: start also where another loop works in the same folder; else that is refused (FOLDER_BUSY). */
  shareFolder?: boolean;
  /** In a git worktree of this name, with a branch of its own; `true`: a new one. */
  worktree?: string | true;
}

export type StartOptions = CommandOptions | AgentOptions;

/** A terminal nobody looks at yet. */
const UNSEEN: Size = { cols: 120, rows: 40 };

/** Contract: throws ReinsErrors that say what to do; then nothing runs. */
export async function startSession(options: StartOptions): Promise<Session> {
  const where = whereOf(options);
  // Config, agents and policy are loaded by who starts something, not by who looks.
  const { startSession: start } = await import('../sessions/run.js');
  const tie = options.detach !== true;
  const { place } = await start(
    where,
    'command' in options ? commandOf(options) : await agentOf(options),
    {
      size: options.size ?? UNSEEN,
      tied: tie,
      non_interactive: null,
      presence: { present: false, reason: 'program' },
      terminal: true,
    },
    { ports: { tell: (line) => options.notice?.(line) } },
  );
  return session(where, place, tie);
}

/** A session by its id, the beginning of one, or its name. Throws NO_SUCH_SESSION, SESSION_AMBIGUOUS, SESSION_ENDED. */
export async function openSession(wanted: string, here: Here = {}): Promise<Session> {
  const where = whereOf(here);
  return session(where, findSession(where, wanted), false);
}

/** As `reins ls` lists them, newest first. */
export async function sessions(options: Here & { ended?: boolean } = {}): Promise<SessionRow[]> {
  const { rows } = await listed(whereOf(options), { ended: options.ended === true });
  return rows;
}

const commonOf = ({ name, namespace, cwd, timeoutSecs }: StartOptions) => ({
  ...(name === undefined ? {} : { name }),
  ...(namespace === undefined ? {} : { namespace }),
  ...(cwd === undefined ? {} : { cwd }),
  ...(timeoutSecs === undefined ? {} : { timeout: timeoutSecs }),
});

function commandOf(options: CommandOptions) {
  if (options.command.length === 0) throw new ReinsError('USAGE', { problem: 'there is no command', fix: 'name one' });
  const io = options.pty === false ? ('pipe' as const) : ('pty' as const);
  return { ...commonOf(options), argv: [...options.command], io };
}

async function agentOf(options: AgentOptions): Promise<AgentTask> {
  const { mode, prompt, args, trust, once, set, config, trustFolder, shareFolder, worktree } = options;
  return {
    ...commonOf(options),
    mode,
    prompt,
    agentArgs: [...(args ?? [])],
    ...(await whichOf(options)),
    ...(trust === undefined ? {} : { trust }),
    ...(once === undefined ? {} : { once }),
    ...(set === undefined ? {} : { set: [...set] }),
    ...(config === undefined ? {} : { config }),
    ...(trustFolder === undefined ? {} : { trustFolder }),
    ...(shareFolder === undefined ? {} : { shareFolder }),
    ...(worktree === undefined ? {} : { worktree }),
  };
}

/** What is in a module says its name. */
async function whichOf({ agent, adapter }: AgentOptions): Promise<Pick<AgentTask, 'backend' | 'module'>> {
  if (adapter === undefined) return agent === undefined ? {} : { backend: agent };
  const wrong = (problem: string) => new ReinsError('USAGE', { problem, fix: 'name one agent, or one module' });
  if (agent !== undefined) throw wrong('both agent and adapter were given');
  if (!isAbsolute(adapter)) throw wrong(`the adapter ${adapter} is not a whole path`);
  const { bringAdapter } = await import('../adapters/index.js');
  const { id } = await bringAdapter(adapter);
  return { backend: id, module: { id, file: adapter } };
}

function session(where: Where, place: Place, tie: boolean): Promise<Session> {
  const connect: Parameters<typeof Session.open>[0]['connect'] = (incoming) => connectTo(where, place, incoming);
  const lost = async (reason: string) => (await lostHost(where, { session: place.id, reason, tie })).error;
  const past = (since: number) => journalOf(join(place.dir, FILES.journal)).since(since);
  return Session.open({ id: place.id, connect, past, lost }, { tie });
}

function whereOf({ cwd, env }: Here): Where {
  return { cwd: cwd ?? process.cwd(), env: env ?? process.env, version: version() };
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
