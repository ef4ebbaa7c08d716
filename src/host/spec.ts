/**
 * The start facts of a session, as `session.json` holds them: everything the host needs that is not in its environment.
 * The environment itself is inherited and never written down: it may hold keys. What is to be done (the task) is kept apart
 * from where whoever started it sits (the seat): a session is continued from another seat with the same task.
 */
import type { Config } from '../config/index.js';
import type { Change, Mode, Presence, RuleRef, SessionId, Size, Trust } from '../contract/index.js';

export interface SessionRule {
  effect: 'allow' | 'ask' | 'deny';
  text: string;
  source: string;
}

/** Where whoever started a session sits, and goes on from. */
export interface Seat {
  size: Size;
  /** Its session ends when the viewer that started it vanishes. */
  tied: boolean;
  /** Why nobody can answer, whatever is attached: `flag` or `env`. */
  non_interactive: string | null;
  /** What the starting viewer saw of its own terminal. */
  presence: Presence;
  /** Whether its output is a terminal, which can show the agent's own. */
  terminal: boolean;
  /** TERM of that terminal; absent: what our own screen understands. */
  term?: string;
}

/** What the config came from: files are read again when a session goes on, words stand. Absent: an older build's. */
export interface StartWords {
  /** `-c FILE`, absolute. */
  config?: string;
  /** `--set`, in order. */
  set: string[];
  /** A program's own adapter. */
  module?: { id: string; file: string };
  /** Flags of their own that set config values, by the flag's name in a program (`maxIterations`). */
  flags: Record<string, string | number>;
  /** The prompt came from the config or PROMPT.md, which are read again too. */
  prompt_from_files?: boolean;
  /** The project's file as it was followed, and what it permitted or named to be run. */
  file?: { path: string; sha256: string };
  permits: string[];
}

/** What is to be done, with everything decided. */
export interface Task {
  name: string;
  mode: Mode;
  cwd: string;
  /** A branch and a folder of its own, of the repository it was started in. `from`: where; config and prompt are of there. */
  worktree?: { name: string; branch: string; folder: string; root: string; from: string };
  /** The session inside which it was started, and how many there are above it. */
  parent?: string;
  depth?: number;
  /** Absent: the default one. */
  namespace?: string;
  trust: Trust;
  trust_source: string;
  /** run: the adapter, and the agent as it was found. */
  agent?: { adapter: string; path: string; version?: string; note?: string };
  agent_args: string[];
  /** Where the user has said that these agents may use what the folder brings along, and what that was (agent → lines). */
  trusted_folder?: { folder: string; agents: string[]; seen?: Record<string, string[]> };
  /** The user's prompt, in a file of the session's directory: it may be large. */
  prompt_file?: string;
  /** What of its task was read again from files when it went on: its agent may have changed them by then. */
  reread?: { prompt?: true; hats?: true };
  /** exec: the command itself. */
  exec?: {
    argv: string[];
    io: 'pty' | 'pipe';
    /** In a terminal, streams that were redirected: they stay pipes. */
    apart?: { stdin?: boolean; stderr?: boolean };
  };
  /** One iteration, no promise needed. */
  once: boolean;
  /** Autonomous, but in the agent's own terminal program. */
  tui: boolean;
  /** Seconds; 0 is off. */
  idle_timeout_secs: number;
  timeout_secs: number;
  config: Config;
  /** A ralph.yml describes it: its agent is told of `ralph emit`. */
  ralph?: boolean;
  rules: SessionRule[];
  /** Where each policy value came from, by its dotted key. */
  sources: Record<string, RuleRef['source']>;
  said?: StartWords;
  /** What it was started, and went on, for: asked again, it is the same session. */
  wishes?: string[];
}

export interface SessionSpec extends Task {
  v: 1;
  id: SessionId;
  created_at: string;
  /** The version that started it. */
  reins: string;
  seat: Seat;
  /** What it goes on with differently, and behind which entry: on record once its host has begun. */
  changed?: { since: number; changes: Change[] };
}
